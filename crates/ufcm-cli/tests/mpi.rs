//! `mpirun -n R ufcm solve PROBLEM.toml --mpi`, for builds with MPI: the answer, its bits, and faults of single ranks.
#![cfg(feature = "mpi")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use ufcm_io::npy;

const ROWS: usize = 6_000;
const COLUMNS: usize = 15;

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

impl Folder {
    /// A problem with its data: the loss on one class, with a bound on that on the other.
    fn new(name: &str) -> Self {
        let folder = Self(std::env::temp_dir().join(format!("ufcm-mpi-{name}-{}", std::process::id())));
        std::fs::create_dir_all(&folder.0).unwrap();
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let shift = |i: usize| if i < ROWS / 3 { -0.1 } else { 0.1 };
        let values: Vec<f64> = (0..ROWS * COLUMNS).map(|k| next() + shift(k / COLUMNS)).collect();
        let labels: Vec<f64> = (0..ROWS).map(|i| if i < ROWS / 3 { -1.0 } else { 1.0 }).collect();
        folder.write_data(&values);
        std::fs::write(folder.0.join("y.npy"), npy::vector_bytes(&labels)).unwrap();
        folder.write_problem("p.toml", 0.6);
        folder
    }

    fn write_data(&self, values: &[f64]) {
        std::fs::write(self.0.join("a.npy"), npy::matrix_bytes(ROWS, COLUMNS, values.iter().copied()))
            .unwrap();
    }

    fn write_problem(&self, name: &str, bound: f64) {
        let text = format!(
            "[data.d]\nfile = \"a.npy\"\nlabel = \"y.npy\"\nmapped = true
[components.alarms]\nkind = \"logistic\"\ndata = \"d\"\nrows = \"label == -1\"
[components.missed]\nkind = \"logistic\"\ndata = \"d\"\nrows = \"label == 1\"
[objective]\nminimise = \"alarms\"
[[constraints]]\ncomponent = \"missed\"\nat_most = {bound}
[domain]\nkind = \"ball\"\nradius = 10\n"
        );
        std::fs::write(self.0.join(name), text).unwrap();
    }
}

fn mpirun(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    for name in
        ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"]
    {
        command.env(name, "1");
    }
    command
}

const UFCM: &str = env!("CARGO_BIN_EXE_ufcm");

/// Runs `ufcm solve` on so many ranks; its output, the solution and the certificate.
fn solved(folder: &Folder, ranks: &str) -> (Output, Vec<u8>) {
    let arguments =
        ["-n", ranks, UFCM, "solve", "p.toml", "--mpi", "--solution", "x.npy", "--certificate", "c.json"];
    let output = mpirun(&folder.0, &arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (output, std::fs::read(folder.0.join("x.npy")).unwrap())
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes[128..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn ranks_certify_the_answer_of_one_with_the_same_bits_every_time() {
    let folder = Folder::new("answer");
    let alone = Command::new(UFCM)
        .current_dir(&folder.0)
        .args(["solve", "p.toml", "--solution", "x.npy"])
        .output()
        .unwrap();
    assert!(alone.status.success());
    // Values, bounds and rates of the answer, as far as they are shown.
    let answer = |said: &str| -> Vec<String> {
        let lines = said.lines().skip_while(|line| !line.starts_with("constraint  "));
        lines.take_while(|line| !line.starts_with("x  ")).map(str::to_owned).collect()
    };
    let shown = answer(&String::from_utf8_lossy(&alone.stdout));
    assert!(shown.iter().any(|line| line.contains("samples")) && shown.len() > 4, "{shown:?}");
    let expected = numbers(&std::fs::read(folder.0.join("x.npy")).unwrap());
    for ranks in ["2", "4"] {
        let (output, first) = solved(&folder, ranks);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("Certified") && said.matches("status").count() == 1, "{said}");
        assert!(said.contains(&format!("{ranks} ranks: ")), "{said}");
        assert_eq!(answer(&said), shown, "{ranks} ranks");
        let (_, second) = solved(&folder, ranks);
        assert_eq!(first, second, "{ranks} ranks, run after run");
        let largest = numbers(&first).iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(largest < 1e-3, "{ranks} ranks: {largest}");
        // The proof holds on one machine.
        let verified =
            Command::new(UFCM).current_dir(&folder.0).args(["verify", "p.toml", "c.json"]).output().unwrap();
        assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    }
}

#[test]
fn rows_of_a_matrix_market_file_have_the_bits_of_mapped_rows() {
    let folder = Folder::new("market");
    let values = numbers(&std::fs::read(folder.0.join("a.npy")).unwrap());
    let by_columns = (0..ROWS * COLUMNS).map(|k| values[k % ROWS * COLUMNS + k / ROWS]);
    let lines: String = by_columns.map(|value| format!("{value}\n")).collect();
    let text = format!("%%MatrixMarket matrix array real general\n{ROWS} {COLUMNS}\n{lines}");
    std::fs::write(folder.0.join("a.mtx"), text).unwrap();
    let mapped = std::fs::read_to_string(folder.0.join("p.toml")).unwrap();
    for ranks in ["1", "2", "4"] {
        std::fs::write(folder.0.join("p.toml"), &mapped).unwrap();
        let (_, expected) = solved(&folder, ranks);
        let market = mapped.replace("a.npy", "a.mtx").replace("mapped = true", "");
        std::fs::write(folder.0.join("p.toml"), market).unwrap();
        assert_eq!(solved(&folder, ranks).1, expected, "{ranks} ranks");
    }
}

#[test]
fn bad_data_of_one_rank_end_all_with_its_name() {
    let folder = Folder::new("nan");
    let path = folder.0.join("a.npy");
    let mut bytes = std::fs::read(&path).unwrap();
    // In the last row of the second class, which the last rank has.
    let end = bytes.len() - 8;
    bytes[end..].copy_from_slice(&f64::NAN.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let output = mpirun(&folder.0, &["-n", "3", UFCM, "solve", "p.toml", "--mpi"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("rank 2: ") && said.contains("is NaN"), "{said}");
}

#[test]
fn different_problems_are_refused() {
    let folder = Folder::new("different");
    folder.write_problem("q.toml", 0.5);
    let each = |name| ["-n", "1", UFCM, "solve", name, "--mpi"];
    let arguments: Vec<&str> = each("p.toml").into_iter().chain([":"]).chain(each("q.toml")).collect();
    let output = mpirun(&folder.0, &arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("they do not have the same bounds"), "{said}");
}

/// The processes of the command under `mpirun`.
fn ranks_of(job: &Child) -> Vec<u32> {
    let path = format!("/proc/{0}/task/{0}/children", job.id());
    let children = std::fs::read_to_string(path).unwrap_or_default();
    children.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

#[test]
fn a_killed_rank_ends_the_job() {
    let folder = Folder::new("killed");
    // A method that takes as many iterations as it is told to.
    let endless = [
        "--method",
        "ufcm",
        "--iterations",
        "1000000000",
        "--l-ada",
        "1",
        "--d-x",
        "1",
        "--d-lambda",
        "1",
        "--c",
        "1",
    ];
    let more = ["--delta", "1", "--eps-rel", "1e-15", "--eps-abs", "0", "--time-limit", "60", "-q"];
    let start = ["-n", "2", UFCM, "solve", "p.toml", "--mpi"];
    let arguments: Vec<&str> = start.into_iter().chain(endless).chain(more).collect();
    let job = mpirun(&folder.0, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let ranks = ranks_of(&job);
    assert_eq!(ranks.len(), 2, "both ranks run");
    let killed = Instant::now();
    assert!(Command::new("kill").args(["-9", &ranks[1].to_string()]).status().unwrap().success());
    let output = job.wait_with_output().unwrap();
    assert!(killed.elapsed() < Duration::from_secs(5), "{:?}", killed.elapsed());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("rank 1") && said.contains("signal 9"), "{said}");
}
