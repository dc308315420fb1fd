//! x
use ufcm::component::*; use ufcm::problem::*; use ufcm::mapping::Affine; use ufcm::matrix::Matrix; use ufcm::regulariser::*; use ufcm::settings::Settings;
fn main() {
    let data = Matrix::row_major(4, 1, vec![1.06, -0.556, 0.81, -0.0318]).unwrap();
    let f = Poisson::new(data, vec![0.0, 2.0, 5.0, 2.0]).unwrap().scaled(1048576.0).unwrap();
    let a = Matrix::row_major(4, 1, vec![2.0, 2.0, 2.0, 12.0]).unwrap();
    let p = Problem::minimise(f).subject_to(Affine::new(a, vec![0.0; 4]).unwrap().between(vec![-4.5, -4.5, -4.5, -20.999755859375], vec![-3.5, -3.5, -3.5, -19.999755859375]))
        .regularised_by(ElasticNet::new(330745.0, 671925.0).unwrap()).build().unwrap();
    let r = p.solve(&Settings::default()).unwrap();
    println!("{} {} {}", r.status, r.lower_bound, r.violation);
}
