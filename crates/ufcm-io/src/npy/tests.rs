use super::*;

pub(crate) fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn parse(descr: &str, shape: &str, data: &[u8]) -> Result<Array, Fault> {
    Array::parse(&npy(descr, "False", shape, data))
}

#[test]
fn every_number_type_in_both_byte_orders() {
    let cases: [(&str, Vec<u8>, f64); 14] = [
        ("'<f8'", (-1.5f64).to_le_bytes().to_vec(), -1.5),
        ("'>f8'", (-1.5f64).to_be_bytes().to_vec(), -1.5),
        ("'<f4'", 0.1f32.to_le_bytes().to_vec(), f64::from(0.1f32)),
        ("'>f4'", 0.1f32.to_be_bytes().to_vec(), f64::from(0.1f32)),
        ("'|i1'", vec![0xfe], -2.0),
        ("'<i2'", (-300i16).to_le_bytes().to_vec(), -300.0),
        ("'>i4'", (-70_000i32).to_be_bytes().to_vec(), -70_000.0),
        ("'<i8'", (-1i64 << 53).to_le_bytes().to_vec(), -(2f64.powi(53))),
        ("'>i8'", 12i64.to_be_bytes().to_vec(), 12.0),
        ("'|u1'", vec![0xfe], 254.0),
        ("'<u2'", 65_535u16.to_le_bytes().to_vec(), 65_535.0),
        ("'>u4'", u32::MAX.to_be_bytes().to_vec(), f64::from(u32::MAX)),
        ("'<u8'", 7u64.to_le_bytes().to_vec(), 7.0),
        ("'|b1'", vec![1], 1.0),
    ];
    for (descr, data, expected) in cases {
        assert_eq!(parse(descr, "()", &data).unwrap().scalar().unwrap(), expected, "{descr}");
    }
}

#[test]
fn shapes_and_orders() {
    let data = [1, 2, 3, 4, 5, 6];
    let c = Array::parse(&npy("'|u1'", "False", "(2, 3)", &data)).unwrap();
    let f = Array::parse(&npy("'|u1'", "True", "(3, 2)", &data)).unwrap();
    assert_eq!(c.values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(f.values(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(c.into_matrix().unwrap(), Matrix::row_major(2, 3, vec![1., 2., 3., 4., 5., 6.]).unwrap());
    let vector = parse("'|u1'", "(6,)", &data).unwrap();
    assert_eq!(vector.clone().into_indices().unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(vector.into_matrix().unwrap().columns(), 1);
    assert_eq!(parse("'|u1'", "(0, 3)", &[]).unwrap().into_matrix().unwrap().rows(), 0);
}

#[test]
fn texts_are_read_where_asked_for() {
    assert_eq!(parse_text(&npy("'|S4'", "False", "()", b"csr\0")).unwrap(), "csr");
    assert_eq!(parse_text(&npy("'<U3'", "False", "()", b"c\0\0\0s\0\0\0c\0\0\0")).unwrap(), "csc");
    assert!(parse_text(&npy("'|u1'", "False", "()", &[1])).is_err());
}

#[test]
fn what_is_wrong_is_named() {
    let cases = [
        (parse("'|O'", "(1,)", &[0; 8]), "`|O` (Python objects) is not supported; pickles are never read"),
        (parse("[('a', '<f8')]", "(1,)", &[0; 8]), "a structured element type is not supported"),
        (parse("'<c16'", "(1,)", &[0; 16]), "the element type `<c16` is not supported"),
        (parse("'<f2'", "(1,)", &[0; 2]), "the element type `<f2` is not supported"),
        (parse("'<U2'", "(1,)", &[0; 8]), "an array of text is not supported"),
        (parse("'<f8'", "(2,)", &[0; 8]), "expected 16 bytes of data for the shape [2], found 8"),
        (parse("'<f8'", "(99999999999, 99999999999)", &[]), "expected too many bytes of data"),
        (parse("'<f8'", "(1, 1, 1)", &[0; 8]), "an array of 3 dimensions is not supported"),
        (parse("'<f8'", "(-1,)", &[]), "expected a shape such as (3, 4), found `(-1,)"),
        (parse("'<i8'", "(1,)", &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]), "within 2^53 in entry 0"),
        (Array::parse(&npy("'<f8'", "Maybe", "()", &[0; 8])), "expected True or False for `fortran_order`"),
        (Array::parse(b"\x93NUMPY\x09\0\0\0"), "expected .npy version 1, 2 or 3, found 9"),
        (Array::parse(b"\x93NUMPY\x01\0\xff\xff{"), "expected a header, found the end of the file"),
        (Array::parse(b"\x93NUMPY\x01\0\x02\0{}"), "expected `descr` in the header, found `{}`"),
        (Array::parse(b"PK"), "expected a .npy file"),
    ];
    for (result, message) in cases {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let vector = parse("'<f8'", "(1,)", &1.5f64.to_le_bytes()).unwrap();
    assert_eq!(vector.into_indices().unwrap_err().to_string(), "expected an index in entry 0, found 1.5");
    let nan = parse("'<f8'", "(1,)", &f64::NAN.to_le_bytes()).unwrap();
    assert!(nan.into_matrix().unwrap_err().to_string().contains("values[0, 0] is NaN"));
}
