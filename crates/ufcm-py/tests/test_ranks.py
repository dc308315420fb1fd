"""One problem on several ranks, through each engine that is installed: the same bits everywhere, errors that are everyone's."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ranked
import ufcm

SCRIPT = str(Path(__file__).parent / "ranked.py")
MPI = shutil.which("mpirun") is not None and importlib.util.find_spec("mpi4py") is not None
TORCH = importlib.util.find_spec("torch") is not None


def _address():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


def _needs(engine):
    missing = {"mpi4py": not MPI, "torch": not TORCH}.get(engine, False)
    if missing and os.environ.get("CI") == "true" and engine == "mpi4py":
        pytest.fail(f"{engine} is not installed")
    if missing:
        pytest.skip(f"{engine} is not installed")


def mpirun(size, job):
    """Ranks of mpi4py."""
    env = os.environ | {name: "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")}
    env["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    command = ["mpirun", "-n", str(size), sys.executable, SCRIPT, "mpi4py", job]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)


def run(engine, size, job="solve"):
    """What each rank answers."""
    _needs(engine)
    if engine == "mpi4py":
        output = mpirun(size, job)
        texts = output.stdout, output.stderr
        answers = [json.loads(line) for line in texts[0].splitlines() if line.startswith("{")]
        assert len(answers) == size, texts
        return sorted(answers, key=lambda told: told["rank"])
    where = _address() if engine == "sockets" else f"tcp://{_address()}"
    command = [sys.executable, SCRIPT, engine, job]
    ranks = [
        subprocess.Popen([*command, str(rank), str(size), where], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for rank in range(size)
    ]
    texts = [rank.communicate(timeout=120) for rank in ranks]
    return [json.loads(out.splitlines()[-1]) if out.strip() else {"error": err} for out, err in texts]


@pytest.mark.parametrize("engine", ["sockets", "mpi4py", "torch"])
@pytest.mark.parametrize("size", [2, 4])
def test_all_ranks_have_the_answer_of_one_to_the_same_bits(engine, size):
    alone = ranked.problem().solve()
    first, again = run(engine, size), run(engine, size)
    for told in first + again:
        assert told.get("status") == "Certified", told
        assert told["verified"] and told["x"] == first[0]["x"]
        assert told["objective"] == pytest.approx(alone.objective, abs=2e-6)
        assert told["reductions"] <= 80


@pytest.mark.parametrize("engine", ["sockets", "mpi4py"])
def test_functions_of_ones_own_have_parts_on_ranks(engine):
    told = run(engine, 2, "function")
    alone = ranked.problem(job="function").solve()
    assert alone.success
    for rank in told:
        assert rank["x"] == told[0]["x"] and rank["status"] == alone.status, rank
        assert rank["objective"] == pytest.approx(alone.objective, rel=1e-5)


@pytest.mark.parametrize("engine", ["sockets", "mpi4py"])
def test_an_exception_on_one_rank_is_raised_on_all(engine):
    told = run(engine, 3, "raise")
    assert told[1]["error"] == "RuntimeError: the disk is gone", told
    for rank in (told[0], told[2]):
        assert "on rank 1" in rank["error"] and "the disk is gone" in rank["error"] and "row 0" in rank["error"], rank


@pytest.mark.parametrize("job", ["fit", "groups"])
def test_estimators_fit_one_model_to_the_rows_of_all_ranks(job):
    told = run("sockets", 3, job)
    alone = ranked.fitted(None, 0, 1, job)
    for rank in told:
        assert "error" not in rank, rank
        assert rank["coef"] == told[0]["coef"]
        assert rank["losses"] == pytest.approx(alone["losses"], abs=1e-5)
    slopes = [[float.fromhex(v) for v in one["coef"]] for one in (told[0], alone)]
    assert slopes[0] == pytest.approx(slopes[1], abs=1e-2)


def test_ranks_with_other_classes_are_refused():
    for told in run("sockets", 2, "one class"):
        assert "the ranks do not have the same classes" in told["error"], told


def test_data_that_one_rank_cannot_read_end_the_fit_of_all():
    told = run("sockets", 3, "nan")
    assert "NaN" in told[1]["error"], told
    for rank in (told[0], told[2]):
        assert "the rows of 1 other rank(s) cannot be read" in rank["error"], rank


def test_different_problems_are_refused():
    for told in run("sockets", 2, "differ"):
        assert "they do not have the same bounds" in told["error"], told


def test_a_rank_that_leaves_ends_the_others_at_once():
    start = time.monotonic()
    told = run("sockets", 2, "leave")
    assert "rank 1 has left" in told[0]["error"], told
    assert time.monotonic() - start < 20.0


@pytest.mark.parametrize("engine", ["sockets", "torch"])
def test_a_killed_rank_ends_the_others(engine):
    told = run(engine, 3, "kill")
    killed = told[1]["killed"]
    for rank in (told[0], told[2]):
        assert rank["error"] and rank["at"] - killed < 5.0, told


def test_a_killed_rank_of_mpi4py_ends_the_job():
    _needs("mpi4py")
    output = mpirun(3, "kill")
    assert output.returncode != 0
    lines = [json.loads(line) for line in output.stdout.splitlines() if line.startswith("{")]
    assert [line["rank"] for line in lines if "killed" in line] == [1], output
    assert time.time() - lines[0]["killed"] < 10.0


def test_what_is_no_communicator_is_refused():
    with pytest.raises(TypeError, match="communicator is int"):
        ufcm.Problem(minimize=ufcm.linear([1.0]), communicator=3)
    with pytest.raises(ValueError, match="rank is 2"):
        ufcm.ranks.Sockets(2, 2, "127.0.0.1:1")


def test_one_rank_is_as_none():
    class Alone:
        rank, size = 0, 1

        def sum(self, array):
            pass

    A, y = ranked.samples(0, 1)
    p = ufcm.Problem(minimize=ufcm.logistic(A, y), domain=ufcm.ball(1.0), communicator=Alone())
    q = ufcm.Problem(minimize=ufcm.logistic(A, y), domain=ufcm.ball(1.0))
    assert np.array_equal(p.solve().x, q.solve().x)
    assert p.traffic[0] > 0 and q.traffic is None
    with pytest.raises(TypeError, match="pickled"):
        p.__reduce__()


def _task(rank, size):
    """What a task of Dask does."""
    sys.path.insert(0, str(Path(SCRIPT).parent))
    import ranked

    import ufcm

    return ranked.answer(ufcm.distributed.from_dask(rank, size, "tests"), rank, size, "solve")


def _check(told):
    alone = ranked.problem().solve()
    for rank in told:
        assert rank.get("status") == "Certified" and rank["x"] == told[0]["x"], rank
        assert rank["objective"] == pytest.approx(alone.objective, abs=2e-6)


def test_tasks_of_dask():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            workers = list(client.scheduler_info()["workers"])
            jobs = [client.submit(_task, rank, 2, workers=[workers[rank]], pure=False) for rank in range(2)]
            _check(client.gather(jobs))


def test_tasks_of_ray():
    """In a process of its own: Ray forks, which JAX in this one warns of."""
    pytest.importorskip("ray")
    told = subprocess.run([sys.executable, SCRIPT, "ray", "solve"], capture_output=True, text=True, timeout=180)
    answers = [line for line in told.stdout.splitlines() if line.startswith("[")]
    assert answers, told
    _check(json.loads(answers[-1]))
