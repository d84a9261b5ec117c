"""sinfo and scontrol: partitions and reservations."""

import pytest
from hypothesis import given

from tests.core.slurm.answering import FIELD, ROW, TOKEN, rows, unreadable
from tests.core.slurm.noise import LOST, noise
from trainwatch.core.model.observations import Reservation
from trainwatch.core.slurm import partitions
from trainwatch.core.slurm.partitions import Partition

SINFO = rows(
    ("gpu*", "up", "20:00:00", "40", "allocated", "gpu:v100:4(S:0-1)"),
    ("gpu*", "up", "20:00:00", "3", "idle~", "gpu:v100:4"),
    ("gpu*", "up", "20:00:00", "2", "drained", "gpu:v100:4"),
    ("gpu*", "up", "20:00:00", "1", "draining@", "gpu:v100:4"),
    ("gpu*", "up", "20:00:00", "4", "down*", "gpu:v100:4"),
    ("gpu*", "up", "20:00:00", "1", "idle*", "gpu:v100:4"),
    ("prepost", "up", "infinite", "2", "mixed", "(null)"),
    ("old", "drain", "1-00:00:00", "0", "n/a", "(null)"),
    header=False,
)
PARTITIONS = (
    Partition(
        name="gpu",
        default=True,
        max_time_s=72000.0,
        nodes_up=43,
        nodes_drained=3,
        nodes_down=5,
        gpus=True,
    ),
    Partition(name="prepost", nodes_up=2),
    Partition(name="old", up=False, max_time_s=86400.0),
)


def test_a_partition_is_all_of_its_rows() -> None:
    assert partitions.parse(SINFO, TOKEN) == PARTITIONS


def test_the_command() -> None:
    *words, layout = partitions.argv(TOKEN)
    assert words == ["sinfo", "-h", "-o"]
    assert layout == f"%P{FIELD}%a{FIELD}%l{FIELD}%D{FIELD}%T{FIELD}%G{ROW}"


@pytest.mark.parametrize("data", [*(case[0] for case in LOST), SINFO[:-9], SINFO[:20]])
def test_what_is_no_answer(data: bytes) -> None:
    assert unreadable(lambda: partitions.parse(data, TOKEN))


MAINTENANCE = (
    b"ReservationName=maint_1 StartTime=1795168800 EndTime=1795240800 Duration=20:00:00 "
    b"Nodes=n[1-2] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) "
    b"Flags=MAINT,IGNORE_JOBS,SPEC_NODES TRES=cpu=8 Users=root Accounts=(null) State=INACTIVE\n"
    b"ReservationName=course StartTime=2026-11-20T11:00:00 EndTime=2026-11-20T12:00:00 "
    b"Nodes=(null) NodeCnt=0 Flags=(null) Users=ana State=ACTIVE\n"
)


def test_reservations() -> None:
    maintenance, course = partitions.parse_reservations(MAINTENANCE, utc_offset_s=3600.0)
    assert maintenance == Reservation(
        name="maint_1",
        start=1795168800.0,
        end=1795240800.0,
        nodes="n[1-2]",
        node_count=2,
        flags=("MAINT", "IGNORE_JOBS", "SPEC_NODES"),
    )
    assert maintenance.maintenance
    assert course == Reservation(name="course", start=1795168800.0, end=1795172400.0, node_count=0)
    assert not course.maintenance
    assert partitions.parse_reservations(b"No reservations in the system\n") == ()


@pytest.mark.parametrize("data", [case[0] for case in LOST])
def test_what_is_no_answer_of_scontrol(data: bytes) -> None:
    assert unreadable(lambda: partitions.parse_reservations(data)).startswith("not an answer")


@given(noise)
def test_any_bytes_are_an_answer_or_unreadable(data: bytes) -> None:
    assert unreadable(lambda: partitions.parse(data, TOKEN)).isprintable()
    assert unreadable(lambda: partitions.parse_reservations(data)).isprintable()
