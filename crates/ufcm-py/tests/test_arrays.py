"""Arrays in every shape in which users have them."""

import numpy as np
import pytest
import scipy.sparse as sp

import ufcm

X = np.array([0.3, -0.7, 1.1])


def data(rng):
    A = rng.normal(size=(11, 3))
    return A, rng.normal(size=11)


def layouts(A):
    wide = np.zeros((2 * A.shape[0], 3 * A.shape[1]))
    wide[::2, ::3] = A
    backwards = np.ascontiguousarray(A[::-1, ::-1])
    swapped = A.astype(A.dtype.newbyteorder())
    raw = np.frombuffer(b"x" + A.tobytes(), dtype=np.uint8)[1:]
    return {
        "C order": np.ascontiguousarray(A),
        "Fortran order": np.asfortranarray(A),
        "with gaps": wide[::2, ::3],
        "reversed": backwards[::-1, ::-1],
        "transposed view": np.ascontiguousarray(A.T).T,
        "other byte order": swapped,
        "not aligned": raw.view(np.float64).reshape(A.shape),
        "list": A.tolist(),
        "matrix": ufcm.matrix(A),
        "csr": sp.csr_array(A),
        "csc": sp.csc_array(A),
        "coo": sp.coo_array(A),
        "csr_matrix": sp.csr_matrix(A),
        "read only": _read_only(A),
    }


def _read_only(A):
    A = A.copy()
    A.flags.writeable = False
    return A


def test_all_layouts_are_the_same_matrix(rng):
    A, b = data(rng)
    expected = 0.5 * np.mean((A @ X - b) ** 2)
    slope = A.T @ (A @ X - b) / len(b)
    for name, layout in layouts(A).items():
        value, gradient = ufcm.least_squares(layout, b).value_and_gradient(X)
        assert value == pytest.approx(expected, rel=1e-14), name
        np.testing.assert_allclose(gradient, slope, rtol=1e-13, err_msg=name)


def test_a_square_fortran_matrix_is_not_transposed(rng):
    A = np.triu(rng.normal(size=(4, 4)))
    x = rng.normal(size=4)
    np.testing.assert_allclose(ufcm.affine(np.asfortranarray(A))(x), A @ x, rtol=1e-14)
    np.testing.assert_allclose(ufcm.matrix(np.asfortranarray(A)).entries(), A, rtol=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.int64, np.uint16, bool, object])
def test_other_dtypes_are_converted_exactly(dtype):
    A = np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype)
    f = ufcm.least_squares(A, np.array([0, 1]).astype(dtype))
    assert f(X) == pytest.approx(0.25 * ((X[0] + X[2]) ** 2 + (X[1] + X[2] - 1) ** 2), rel=1e-14)


def test_float32_keeps_the_numbers_it_has():
    A = np.array([[0.1]], dtype=np.float32)
    assert ufcm.matrix(A).entries()[0, 0] == float(np.float32(0.1))


@pytest.mark.parametrize("index", [np.int32, np.int64, np.int16])
@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array])
def test_sparse_indices_of_any_width(rng, index, make):
    A = make(sp.random(20, 7, density=0.3, random_state=3))
    A.indptr, A.indices = A.indptr.astype(index), A.indices.astype(index)
    x = rng.normal(size=7)
    np.testing.assert_allclose(ufcm.affine(A)(x), A @ x, rtol=1e-13, atol=1e-15)


def test_unsorted_and_doubled_sparse_entries():
    A = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    np.testing.assert_allclose(ufcm.affine(A)([1.0, 1.0, 1.0]), [6.0])


def test_data_frames(rng):
    pd = pytest.importorskip("pandas")
    A, b = data(rng)
    frame = pd.DataFrame(A, columns=["one", "two", "three"])
    f = ufcm.least_squares(frame, pd.Series(b, index=range(5, 16)))
    assert f(X) == pytest.approx(0.5 * np.mean((A @ X - b) ** 2), rel=1e-14)
    mixed = pd.DataFrame({"a": np.arange(3), "b": np.array([0.5, 1.5, 2.5], dtype=np.float32), "c": [True, False, True]})
    np.testing.assert_array_equal(ufcm.matrix(mixed).entries(), mixed.to_numpy(dtype=float))
    when = pd.DataFrame({"when": pd.to_datetime(["2020-01-01"]), "a": [1.0]})
    with pytest.raises(TypeError, match="a column 'when' of type datetime64"):
        ufcm.matrix(when)
    with pytest.raises(TypeError, match="entries that are no numbers"):
        ufcm.matrix(pd.DataFrame({"a": ["x"]}))


def test_later_changes_of_the_arrays_change_nothing(rng):
    A, b = data(rng)
    f = ufcm.least_squares(A, b)
    before = f(X)
    A[:], b[:] = 0.0, 0.0
    assert f(X) == before


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ufcm.logistic([1.0, 2.0], [1, -1]), ValueError, "A has 1 dimensions; expected 2"),
        (lambda: ufcm.logistic([[1.0], [2.0]], [1, -1, 1]), ValueError, "labels has length 3; expected 2"),
        (lambda: ufcm.logistic([[1.0], [2.0]], [1, 0.5]), ValueError, r"labels\[1\] is 0.5; it must be -1 or 1"),
        (lambda: ufcm.logistic([[1.0], [2.0]], [0, 2]), ValueError, r"labels\[1\] is 2; it must be 0 or 1"),
        (lambda: ufcm.logistic([[np.nan]], [1]), ValueError, r"dense matrix: values\[0, 0\] is NaN"),
        (lambda: ufcm.logistic(sp.csr_array([[0.0, np.inf]]), [1]), ValueError, r"values\[0, 1\] is inf"),
        (lambda: ufcm.logistic([[1j]], [1]), TypeError, "A has complex entries"),
        (lambda: ufcm.logistic([["a"]], [1]), TypeError, "A has entries of type <U1"),
        (lambda: ufcm.logistic([[1.0], [1.0, 2.0]], [1, 1]), ValueError, "A is no array"),
        (lambda: ufcm.least_squares([[1.0]], [[1.0, 2.0]]), ValueError, "b has shape"),
        (lambda: ufcm.least_squares([[1.0]], [np.nan]), ValueError, r"targets\[0\] is NaN"),
        (lambda: ufcm.least_squares([[1.0]], [1.0], weights=[-1.0]), ValueError, r"weights\[0\] is -1"),
        (lambda: ufcm.least_squares([[1.0]], [1.0], reduction="max"), ValueError, "reduction is \"max\""),
        (lambda: ufcm.huber([[1.0]], [1.0], -1.0), ValueError, "delta is -1; it must be positive"),
        (lambda: ufcm.poisson([[1.0]], [-1.0]), ValueError, r"counts\[0\] is -1"),
        (lambda: ufcm.power([[1.0]], [1.0], 0.5), ValueError, "p is 0.5; it must be finite and at least 1"),
        (lambda: ufcm.quadratic([[1.0, 2.0, 3.0]]), ValueError, "quadratic"),
        (lambda: ufcm.quadratic(), ValueError, "give Q"),
        (lambda: ufcm.quadratic([1.0], [1.0, 2.0]), ValueError, "c has length 2; expected 1"),
        (lambda: ufcm.affine([[1.0]], [1.0, 2.0]), ValueError, "b has length 2; expected 1"),
        (lambda: ufcm.linear([]), ValueError, "slope is empty"),
        (lambda: ufcm.matrix(np.zeros((2, 2, 2))), ValueError, "A has 3 dimensions"),
        (lambda: ufcm.matrix(np.ma.masked_array([[1.0, 2.0]], [[True, False]])), ValueError, "masked"),
        (lambda: ufcm.quadratic([1.0])([1.0, 2.0]), ValueError, "x has length 2; expected 1"),
        (lambda: ufcm.quadratic([1.0])([np.nan]), ufcm.OracleError, r"x\[0\] is NaN"),
        (lambda: ufcm.poisson([[1.0]], [1.0])([1e4]), ufcm.OracleError, "term 0 overflows"),
    ],
)
def test_bad_data_are_refused_by_name(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_what_pandas_has_as_missing_is_nan():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.array([1, None, 3], dtype="Int64"), "b": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"values\[1, 0\] is NaN"):
        ufcm.least_squares(frame, np.ones(3))
    A, y = ufcm.omit_nan(frame, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(A, [[1.0, 1.0], [3.0, 3.0]])
    np.testing.assert_array_equal(y, [1.0, 3.0])


def test_sparse_data_where_dense_are_expected_are_named():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="array 0 is sparse; it must be dense here"):
        ufcm.omit_nan(sparse.csr_array([[1.0, np.nan]]), [1.0])
