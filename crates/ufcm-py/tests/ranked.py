"""What each rank runs in tests of ranks: `python ranked.py ENGINE JOB`, once for each rank; the answer as one line of JSON."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import ufcm

ROWS, COLUMNS = 3000, 8


def samples(rank, size):
    """The rows of this rank, of two classes; unlike numbers of them."""
    rng = np.random.default_rng(11)
    A = rng.standard_normal((ROWS, COLUMNS))
    y = np.sign(A @ rng.standard_normal(COLUMNS) + rng.standard_normal(ROWS))
    cuts = [ROWS * k * (k + 1) // (size * (size + 1)) for k in range(size + 1)]
    own = slice(cuts[rank], cuts[rank + 1])
    return A[own], y[own]


def problem(communicator=None, rank=0, size=1, *, job="solve"):
    A, y = samples(rank, size)
    bound = 0.35 + 0.01 * rank if job == "differ" else 0.35
    objective = ufcm.logistic(A[y < 0], y[y < 0])
    if job in ("function", "raise", "kill"):
        rows = A[y < 0]

        def squares(x):
            if job == "raise" and rank == 1 and np.abs(x).max() > 0:
                raise RuntimeError("the disk is gone")
            if job == "kill" and rank == 1 and np.abs(x).max() > 0:
                sys.stdout.write(json.dumps({"rank": rank, "killed": time.time()}) + "\n")
                sys.stdout.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            r = rows @ x + 1.0
            return r @ r / 2, rows.T @ r

        objective = ufcm.ranks.per_rank(ufcm.component(squares, n=COLUMNS)) * 1e-3
    return ufcm.Problem(
        minimize=objective,
        subject_to=[(ufcm.logistic(A[y > 0], y[y > 0]) <= bound).named("missed")],
        domain=ufcm.ball(10.0),
        communicator=communicator,
    )


def fitted(communicator, rank, size, job):
    """A model of scikit-learn's style over the rows of all ranks."""
    import pickle

    X, y = samples(rank, size)
    if job == "groups":
        groups = np.where(X[:, 0] > 0, "right", "left")
        model = ufcm.sklearn.GroupRobustClassifier().fit(X, y, groups=groups, communicator=communicator)
        losses = model.group_losses_.tolist()
    else:
        if job == "one class" and rank == 1:
            X, y = X[y > 0], y[y > 0]
        if job == "nan" and rank == 1:
            X = np.where(X == X[0], np.nan, X)
        model = ufcm.sklearn.NeymanPearsonClassifier(max_loss=0.3).fit(X, y, communicator=communicator)
        losses = [model.loss_, model.other_loss_]
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    return {"coef": [v.hex() for v in np.ravel(model.coef_).tolist()], "losses": losses}


def answer(communicator, rank, size, job):
    try:
        if job in ("fit", "groups", "one class", "nan"):
            return {"rank": rank, **fitted(communicator, rank, size, job)}
        p = problem(communicator, rank, size, job=job)
        r = p.solve(threads=1)
        verified = r.certificate is not None and r.certificate.verify(p).gap <= 2e-6
        told = {"status": r.status, "x": [v.hex() for v in r.x.tolist()], "objective": r.objective, "verified": verified}
        told["reductions"] = p.traffic[0]
    except Exception as error:  # the test looks at it
        told = {"error": f"{type(error).__name__}: {error}", "at": time.time()}
    return {"rank": rank, **told}


def tasks_of_ray(size):
    """What tasks of Ray answer, started from here."""
    import ray

    def task(rank):
        sys.path.insert(0, folder)
        import ranked

        import ufcm

        return ranked.answer(ufcm.distributed.from_ray(rank, size, "tests"), rank, size, "solve")

    folder = str(Path(__file__).parent)
    path = [str(Path(part).resolve()) for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    env = {"PYTHONPATH": os.pathsep.join([*path, folder])}
    ray.init(num_cpus=size, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": env})
    try:
        remote = ray.remote(num_cpus=1)(task)
        return ray.get([remote.remote(rank) for rank in range(size)], timeout=120)
    finally:
        ray.shutdown()


def main():
    engine, job = sys.argv[1:3]
    if engine == "ray":
        sys.stdout.write(json.dumps(tasks_of_ray(2)) + "\n")
        return
    if engine == "mpi4py":
        from mpi4py import MPI

        c = ufcm.distributed.from_mpi4py(MPI.COMM_WORLD)
        rank, size = c.rank, c.size
    elif engine == "torch":
        import torch.distributed as c

        c.init_process_group("gloo", init_method=sys.argv[5], rank=int(sys.argv[3]), world_size=int(sys.argv[4]))
        c = ufcm.distributed.from_torch()
        rank, size = c.rank, c.size
    else:
        rank, size = int(sys.argv[3]), int(sys.argv[4])
        c = ufcm.distributed.from_sockets(rank, size, sys.argv[5])
    if job == "leave" and rank == 1:
        problem(c, rank, size, job=job)
        sys.exit(3)
    sys.stdout.write(json.dumps(answer(c, rank, size, job)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
