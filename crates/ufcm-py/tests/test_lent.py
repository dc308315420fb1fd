"""CSR matrices are read where they are; while they are, NumPy and SciPy refuse to write to them."""

import ctypes
import gc
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import ufcm


def csr(seed=0, shape=(40, 6)):
    A = sp.random(*shape, density=0.4, random_state=seed, format="csr")
    # SciPy's own choice of the width depends on its version.
    A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
    return A


def writeable(A):
    gc.collect()
    return A.data.flags.writeable, A.indices.flags.writeable


def test_nothing_is_copied():
    A, x = csr(), np.ones(6)
    M = ufcm.matrix(A)
    before = M.apply(x)
    # Behind NumPy's back: the number is in one place only.
    ctypes.cast(A.data.ctypes.data, ctypes.POINTER(ctypes.c_double))[0] += 8.0
    after = M.apply(x)
    row = int(np.flatnonzero(np.diff(A.indptr))[0])
    assert after[row] - before[row] == pytest.approx(8.0)
    assert np.delete(after, row).tolist() == np.delete(before, row).tolist()


def test_an_index_changed_behind_numpys_back_reads_no_other_memory():
    A = csr()
    M = ufcm.matrix(A)
    ctypes.cast(A.indices.ctypes.data, ctypes.POINTER(ctypes.c_int32))[0] = 1 << 30
    with pytest.raises(ufcm.Error, match="index out of bounds"):
        M.apply(np.ones(6))


def test_lent_arrays_are_read_only_until_the_last_borrower_goes():
    A, b = csr(), np.zeros(40)
    f, g = ufcm.least_squares(A, b), ufcm.huber(A, b, 1.0)
    assert writeable(A) == (False, False)
    with pytest.raises(ValueError, match="read-only"):
        A.data[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        A.data *= 2.0
    with pytest.raises(ValueError, match="read-?only"):
        A.eliminate_zeros()
    problem = ufcm.Problem(minimize=f, subject_to=[g <= 1.0], domain=ufcm.ball(1.0))
    result = problem.solve()
    del f, g
    assert writeable(A) == (False, False)
    del problem, result
    assert writeable(A) == (True, True)
    A.data[0] = 1.0


def test_a_copy_stays_writeable():
    A, x = csr(), np.ones(6)
    M = ufcm.matrix(A, copy=True)
    before = M.apply(x)
    assert writeable(A) == (True, True)
    A.data[:] = 0.0
    assert M.apply(x).tolist() == before.tolist()


def test_what_the_user_made_read_only_stays_so():
    A = csr()
    A.data.flags.writeable = False
    M = ufcm.matrix(A)
    assert writeable(A) == (False, False)
    del M
    assert writeable(A) == (False, True)


def test_what_cannot_be_lent_is_copied():
    x = np.ones(6)
    unsorted = sp.csr_array((np.array([1.0, 2.0]), np.array([2, 0]), np.array([0, 2])), shape=(1, 6))
    wide, narrow, by_columns = csr(), csr(), csr().tocsc()
    narrow.data = narrow.data.astype(np.float32)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for A, expected in [
        (unsorted, (True, True)),
        (wide, (False, True)),
        (narrow, (True, False)),
        (by_columns, (True, True)),
    ]:
        M = ufcm.matrix(A)
        assert writeable(A) == expected
        np.testing.assert_allclose(M.apply(x), A @ x, rtol=1e-6)


def test_views_are_lent_with_their_owners(tmp_path):
    whole = csr()
    owner = np.concatenate([whole.data, [7.0]])
    A = sp.csr_array((owner[:-1], whole.indices, whole.indptr), shape=whole.shape)
    M = ufcm.matrix(A)
    assert not owner.flags.writeable and not A.data.flags.writeable
    del M
    gc.collect()
    assert owner.flags.writeable and A.data.flags.writeable
    # A mapped file is lent, too: it may be larger than memory.
    np.save(tmp_path / "data.npy", whole.data)
    mapped = np.load(tmp_path / "data.npy", mmap_mode="r+")
    A = sp.csr_array((mapped, whole.indices, whole.indptr), shape=whole.shape)
    M = ufcm.matrix(A)
    assert not mapped.flags.writeable
    np.testing.assert_allclose(M.apply(np.ones(6)), whole @ np.ones(6))


def test_bad_data_are_given_back():
    A = csr()
    A.data[3] = np.nan
    with pytest.raises(ValueError, match="is NaN"):
        ufcm.matrix(A)
    assert writeable(A) == (True, True)
    A.data[3] = 0.0
    A.indices[2] = -1
    with pytest.raises(ValueError, match=r"indices\[2\] is -1; it must not be negative"):
        ufcm.matrix(A)
    A.indices[2] = 6
    with pytest.raises(ValueError, match=r"indices\[2\] is 6; it must be below 6"):
        ufcm.matrix(A)
    assert writeable(A) == (True, True)


def test_an_exception_that_drops_the_last_borrower_is_kept():
    A = csr()

    def fails():
        borrower = ufcm.matrix(A)
        assert borrower.is_sparse
        raise KeyError("on its way")

    with pytest.raises(KeyError, match="on its way"):
        fails()
    with pytest.raises(ValueError, match="targets has length 3; expected 40"):
        ufcm.least_squares(A, np.zeros(3))
    assert writeable(A) == (True, True)


def test_borrowing_in_many_threads():
    A, x = csr(shape=(2000, 6)), np.ones(6)
    expected, wrong = A @ x, []

    def borrow():
        for _ in range(100):
            if not np.allclose(ufcm.matrix(A).apply(x), expected):
                wrong.append(1)

    threads = [threading.Thread(target=borrow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and writeable(A) == (True, True)


def test_a_pickled_matrix_is_its_own():
    A, x = csr(), np.ones(6)
    again = pickle.loads(pickle.dumps(ufcm.matrix(A)))
    assert writeable(A) == (True, True)
    np.testing.assert_allclose(again.apply(x), A @ x)


def test_python_may_end_before_the_borrower():
    script = "import scipy.sparse as sp, ufcm, builtins; builtins.kept = ufcm.matrix(sp.eye_array(5, format='csr'))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_an_estimator_leaves_its_data_writeable():
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    X, y = csr(shape=(80, 6)), rng.integers(0, 2, 80)
    model = ufcm.sklearn.NeymanPearsonClassifier().fit(X, y)
    assert writeable(X) == (True, True) and model.predict(X).shape == (80,)


def dense(dtype, seed=3, shape=(500, 7)):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def answer(A):
    y = np.where(np.arange(len(A)) % 2 == 0, 1.0, -1.0)
    result = ufcm.Problem(minimize=ufcm.logistic(A, y), domain=ufcm.ball(3.0)).solve()
    assert result.status == "Certified"
    return result.x.tolist()


def test_arrays_of_float32_are_read_where_they_are_and_have_the_bits_of_float64():
    A, x = dense(np.float32), np.ones(7)
    M = ufcm.matrix(A)
    before = M.apply(x)
    ctypes.cast(A.ctypes.data, ctypes.POINTER(ctypes.c_float))[0] += 8.0
    assert M.apply(x)[0] - before[0] == pytest.approx(8.0)
    with pytest.raises(ValueError, match="read-only"):
        A[0, 0] = 1.0
    assert M.apply(x).tolist() == ufcm.matrix(A.astype(np.float64)).apply(x).tolist()
    assert answer(A) == answer(A.astype(np.float64))
    assert pickle.loads(pickle.dumps(M)).apply(x).tolist() == M.apply(x).tolist()
    del M
    gc.collect()
    A[0, 0] = 1.0
    copied = ufcm.matrix(A, copy=True)
    A[0, 0] = 2.0
    assert copied.shape == A.shape
    # What is not in C order, or not of this machine, is copied.
    assert answer(np.asfortranarray(A)) == answer(A.astype(">f4")) == answer(A.astype(np.float64))
    with pytest.raises(ValueError, match=r"values\[1, 0\] is NaN"):
        ufcm.matrix(np.array([[1.0], [np.nan]], np.float32))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_mapped_files_are_read_where_they_are(tmp_path, dtype):
    A = dense(dtype)
    np.save(tmp_path / "a.npy", A)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r+")
    M, x = ufcm.matrix(mapped), np.ones(7)
    before = M.apply(x)
    pointer = ctypes.c_double if dtype is np.float64 else ctypes.c_float
    ctypes.cast(mapped.ctypes.data, ctypes.POINTER(pointer))[0] += 8.0
    assert M.apply(x)[0] - before[0] == pytest.approx(8.0)
    del M, mapped
    np.save(tmp_path / "a.npy", A)
    for view in (np.load(tmp_path / "a.npy", mmap_mode="r"), np.memmap(tmp_path / "a.npy", dtype, "r", 128, A.shape)):
        assert answer(view) == answer(A.astype(np.float64))
        assert answer(view[100:400]) == answer(A[100:400].astype(np.float64))


def test_large_arrays_are_copied_all_the_same():
    large = np.ones((1100, 500))
    loss = ufcm.least_squares(large, np.zeros(1100), reduction="sum")
    assert large.flags.writeable
    large[:] = 0.0
    assert loss(np.ones(500)) == 0.5 * 1100 * 500.0**2
