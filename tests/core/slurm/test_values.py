"""The small things Slurm prints, in tables."""

import pytest

from trainwatch.core.slurm import hosts, values
from trainwatch.core.slurm.values import Amount, Figure, Nodes

LENGTHS = [
    ("1-07:27:33", 113253.0),
    ("20:00:00", 72000.0),
    ("27:33", 1653.0),
    ("0:05", 5.0),
    ("90:00", 5400.0),
    ("1-00", 86400.0),
    ("1-07:30", 113400.0),
    ("90", 5400.0),
    ("365-00:00:00", 31536000.0),
    ("UNLIMITED", None),
    ("infinite", None),
    ("INVALID", None),
    ("NOT_SET", None),
    ("Partition_Limit", None),
    ("N/A", None),
    ("", None),
    ("-1", None),
    ("1:2:3:4", None),
    ("٣:00", None),
    ("9" * 40, None),
]


@pytest.mark.parametrize(("text", "expected_s"), LENGTHS)
def test_lengths_of_time(text: str, expected_s: float | None) -> None:
    assert values.seconds(text) == expected_s


MINUTES = [
    (60, 3600.0),
    ("1200", 72000.0),
    (Amount(number=60), 3600.0),
    (Amount(set=False, number=60), None),
    (Amount(infinite=True, number=0), None),
    (Amount(), None),
    (None, None),
    ("UNLIMITED", None),
    (0xFFFFFFFE, None),
    (0xFFFFFFFF, None),
    (2.0**64, None),
    (-1, None),
    (float("nan"), None),
]


@pytest.mark.parametrize(("figure", "expected_s"), MINUTES)
def test_limits_in_json(figure: Figure, expected_s: float | None) -> None:
    assert values.minutes(figure) == expected_s


MOMENTS = [
    ("1795168800", None, 1795168800.0),
    ("0", None, None),
    ("2026-11-20T10:00:00", 0.0, 1795168800.0),
    ("2026-11-20T11:00:00", 3600.0, 1795168800.0),
    ("2026-11-20T04:30:00", -19800.0, 1795168800.0),
    ("2026-11-20T10:00:00", None, None),
    ("2026-11-20T10:00:00Z", None, 1795168800.0),
    ("2026-11-20T11:00:00+0100", None, 1795168800.0),
    ("2026-13-40T10:00:00", 0.0, None),
    ("N/A", 0.0, None),
    ("Unknown", 0.0, None),
    ("None", 0.0, None),
    ("NONE", 0.0, None),
    ("", 0.0, None),
    ("٣", 0.0, None),
    ("9" * 400, 0.0, None),
]


@pytest.mark.parametrize(("text", "offset_s", "expected"), MOMENTS)
def test_moments(text: str, offset_s: float | None, expected: float | None) -> None:
    assert values.moment(text, offset_s) == expected


STATES = [
    ("PENDING", "PENDING"),
    ("running", "RUNNING"),
    ("CANCELLED by 1000", "CANCELLED"),
    ("CANCELLED+", "CANCELLED"),
    ("", ""),
    (" ", ""),
    (None, ""),
    ([], ""),
    (["PENDING"], "PENDING"),
    (["RUNNING", "COMPLETING"], "COMPLETING"),
    (["COMPLETED", "COMPLETING"], "COMPLETING"),
    (["COMPLETING", "REQUEUED", "PENDING"], "COMPLETING"),
    (["PENDING", "REQUEUED"], "REQUEUED"),
    (["PENDING", "REQUEUE_HOLD"], "REQUEUE_HOLD"),
    (["REQUEUED", "REQUEUE_HOLD", "PENDING"], "REQUEUE_HOLD"),
    (["PENDING", "SPECIAL_EXIT"], "REQUEUE_HOLD"),
    ("SPECIAL_EXIT", "REQUEUE_HOLD"),
    (["PENDING", "RESV_DEL_HOLD"], "REQUEUE_HOLD"),
    (["RUNNING", "CONFIGURING"], "CONFIGURING"),
    (["RUNNING", "SIGNALING"], "RUNNING"),
    ("SIGNALING", "RUNNING"),
    (["RUNNING", "STAGE_OUT"], "COMPLETING"),
    (["RUNNING", "STOPPED"], "SUSPENDED"),
    (["LAUNCH_FAILED", "FAILED"], "FAILED"),
    (["LAUNCH_FAILED"], "LAUNCH_FAILED"),
    (["SOMETHING_NEW"], "SOMETHING_NEW"),
]


@pytest.mark.parametrize(("said", "expected"), STATES)
def test_states(said: str | list[str] | None, expected: str) -> None:
    assert values.state(said) == expected


def test_nodes_of_an_answer_are_bounded() -> None:
    nodes = Nodes(most=5)
    assert nodes.of("n[1-3]") == ("n1", "n2", "n3")
    assert nodes.of("n[1-3]") is nodes.of("n[1-3]")
    assert nodes.of("m[1-3]") == ()
    assert nodes.of("m[1-2]") == ("m1", "m2")
    for unknown in ("", None, "(null)", "None assigned", "n[", f"n[0-{hosts.MOST}]"):
        assert nodes.of(unknown) == ()


def test_nodes_share_their_names() -> None:
    nodes = Nodes()
    assert nodes.of("n[1-2]")[0] is nodes.of("n[1,3]")[0]
