"""CVXPY's own tests of solvers: every continuous standard problem without semidefinite cones, at the suite's own places."""

import pytest

cp = pytest.importorskip("cvxpy")
from cvxpy.tests import solver_test_helpers as suite  # noqa: E402

import ufcm.cvxpy  # noqa: E402

CLASSES = (
    suite.StandardTestLPs,
    suite.StandardTestQPs,
    suite.StandardTestSOCPs,
    suite.StandardTestECPs,
    suite.StandardTestMixedCPs,
    suite.StandardTestPCPs,
    suite.StandardTestInfeasibleProblems,
)
# Integer models, cones that are refused; and two problems whose tests ask for another solver's package, or for the form of solvers
# of quadratic programs: these are solved below.
LEFT_OUT = ("_mi_", "sdp", "psd", "test_lp_7", "test_qp_bound_attr")


def cases():
    for owner in CLASSES:
        for name in sorted(vars(owner)):
            if name.startswith("test_") and not any(part in name for part in LEFT_OUT):
                yield pytest.param(getattr(owner, name), id=name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", list(cases()))
def test_standard_problem(case):
    case(solver="UFCM")


def test_ill_posed_program():
    case = suite.lp_7()
    case.solve(solver="UFCM")
    case.verify_objective(places=4)


def test_quadratic_program_with_bounds():
    case = suite.qp_bound_attr()
    case.solve(solver="UFCM")
    case.verify_objective(places=4)
    case.verify_primal_values(places=4)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [suite.sdp_2, suite.mi_lp_0])
def test_what_is_refused_is_named(case):
    with pytest.raises(ufcm.cvxpy.Unsupported, match="PSD|boolean|integer"):
        case().solve(solver="UFCM")
