"""Why a job waits, in words; and which reasons are for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.slurm.reasons import REASONS, in_words, never_starts

NEVER = "will never start by itself"
WORDS = [
    ("Priority", "waits for its turn"),
    ("Resources", "waits for free nodes"),
    ("JobArrayTaskLimit", "waits for its turn in the array"),
    ("Dependency", "waits for another job"),
    ("DependencyNeverSatisfied", f"its dependency can never be met: {NEVER}"),
    ("JobHeldUser", f"held by its owner: {NEVER}"),
    ("JobHeldAdmin", f"held by an administrator: {NEVER}"),
    ("launch failed requeued held", f"could not be launched, requeued and held: {NEVER}"),
    ("launch_failed_requeued_held", f"could not be launched, requeued and held: {NEVER}"),
    ("job requeued in held state", f"requeued and held: {NEVER}"),
    ("PartitionTimeLimit", f"asks for more time than the partition allows: {NEVER}"),
    ("BadConstraints", f"asks for what no node has: {NEVER}"),
    ("PartitionDown", "its partition is down: nothing starts there until it is up"),
    ("(BeginTime)", "waits for the time it was told to begin at"),
    ("ReqNodeNotAvail", "a node it needs is not available"),
    ("ReqNodeNotAvail, UnavailableNodes:r1i0n[0-3]", "a node it needs is not available"),
    ("ReqNodeNotAvail(Unavailable:n1)", "a node it needs is not available"),
    ("ReqNodeNotAvail, UnavailableNo", "a node it needs is not available"),
    ("ReqNodeNotAvail, Reserved for maintenance", "the nodes are reserved for maintenance"),
    ("ReqNodeNotAvail,_Reserved_for_maintenance", "the nodes are reserved for maintenance"),
    ("Reserved for maintenance", "the nodes are reserved for maintenance"),
    (
        "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
        "a node it needs is down, drained or reserved",
    ),
    ("AssocGrpNodes", "blocked by a group limit (Nodes)"),
    (
        "AssocGrpCPUMinutesLimit",
        f"the hours of its group are used up (CPU Minutes Limit): {NEVER}",
    ),
    ("AssocGrpWallLimit", f"the hours of its group are used up (Wall Limit): {NEVER}"),
    ("QOSGrpWallLimit", f"the hours of its group are used up (Wall Limit): {NEVER}"),
    ("AssociationTimeLimit", f"the hours of its account are used up: {NEVER}"),
    ("AssociationJobLimit", "blocked by a limit on the jobs of its account"),
    ("PartitionConfig", f"asks for what the partition does not allow: {NEVER}"),
    ("AssocGrpGRESRunMinutes", "blocked by a group limit (GRES Run Minutes)"),
    ("AssocMaxJobsLimit", "blocked by a group limit (Jobs Limit)"),
    (
        "AssocMaxWallDurationPerJobLimit",
        f"asks for more than its account allows (Wall Duration Per Job Limit): {NEVER}",
    ),
    ("QOSMaxGRESPerUser", "blocked by the limit of the QOS (GRES Per User)"),
    ("QOSMaxJobsPerUserLimit", "blocked by the limit of the QOS (Jobs Per User Limit)"),
    ("QOSGrpNodeLimit", "blocked by the limit of the QOS (Node Limit)"),
    (
        "QOSMaxWallDurationPerJobLimit",
        f"asks for more than the QOS allows (Wall Duration Per Job Limit): {NEVER}",
    ),
    ("QOSMinGRES", f"asks for less than the QOS wants (GRES): {NEVER}"),
    ("MaxGRESPerAccount", "blocked by a group limit (Max GRES Per Account)"),
    ("Prolog", "its nodes are being prepared (prolog)"),
    ("Licenses", "waits for a license"),
    ("Cleaning", "is cleaned up after its last attempt"),
    ("Resources,Priority", "waits for free nodes; waits for its turn"),
    ("Priority,Priority", "waits for its turn"),
    ("SomethingNew", "SomethingNew"),
    ("new\x1b[2J\nthing", "new [2J thing"),
    ("", ""),
    ("x" * 500, "x" * 79 + "…"),
]


@pytest.mark.parametrize(("reason", "words"), WORDS)
def test_in_words(reason: str, words: str) -> None:
    assert in_words(reason) == words


@pytest.mark.parametrize(("reason", "words"), WORDS)
def test_what_never_starts_says_so(reason: str, words: str) -> None:
    assert never_starts(reason, "PENDING") == (NEVER in words)


def test_a_state_may_be_for_ever() -> None:
    assert never_starts("", "REQUEUE_HOLD")
    assert never_starts("Priority", "REQUEUE_HOLD")
    assert not never_starts("", "PENDING")


def test_the_table() -> None:
    for code, reason in REASONS.items():
        assert code == code.lower()
        assert reason.never == (NEVER in reason.words)


@given(st.text(max_size=200), st.text(max_size=10))
def test_any_text(reason: str, state: str) -> None:
    assert in_words(reason).isprintable()
    assert isinstance(never_starts(reason, state), bool)
