"""TensorBoard's event files, read back, also after kills; by TensorBoard itself where it is installed."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("tensorboardX", reason="pip install 'trainwatch[tensorboard]'")

from tensorboardX.proto.event_pb2 import Event
from tensorboardX.record_writer import masked_crc32c

from tests.dying import dies_at
from trainwatch.adapters.scalars import Scalars
from trainwatch.adapters.store.files import replace_file
from trainwatch.core.errors import LeaseHeld, StoreUnusable

AT = 1_780_000_000.0
TAG = "speed/tokens_per_s"


@contextmanager
def free(path: Path) -> Iterator[None]:
    yield


def scalars(folder: Path) -> Scalars:
    """As a new life of a watcher makes it."""
    replace = partial(replace_file, sync=True)
    return Scalars(folder / "tb", folder / "scalars.json", replace, free)


def events(folder: Path) -> Iterator[tuple[int, float, dict[str, float]]]:
    """Step, time and values of all whole records, in TensorBoard's order."""
    for path in sorted((folder / "tb" / "trainwatch").glob("events.out.tfevents.*")):
        data = path.read_bytes()
        while len(data) >= 12:
            (size,) = struct.unpack("<Q", data[:8])
            body, crc = data[12 : 12 + size], data[12 + size : 16 + size]
            if len(crc) < 4:
                break  # torn by a kill
            assert struct.unpack("<I", crc)[0] == masked_crc32c(body)
            event = Event.FromString(body)
            data = data[16 + size :]
            if event.summary.value:
                values = {each.tag: each.simple_value for each in event.summary.value}
                yield event.step, event.wall_time, values


def steps(folder: Path) -> list[int]:
    return [step for step, _, _ in events(folder)]


def test_a_step_is_written_once_over_lives(tmp_path: Path) -> None:
    for life in range(3):
        sink = scalars(tmp_path)
        for step in (10 * life, 10 * life + 5, 10 * life + 5, 3):
            assert sink.write(step, AT + step, {TAG: float(step)})
    assert steps(tmp_path) == [0, 5, 10, 15, 20, 25]
    assert next(events(tmp_path)) == (0, AT, {TAG: 0.0})
    names = [path.name for path in (tmp_path / "tb" / "trainwatch").iterdir()]
    assert len(names) == 3
    assert len({name[:30] for name in names}) == 3, "TensorBoard reads them in the order of names"


def test_killed_anywhere_a_step_is_lost_at_most_and_never_double(tmp_path: Path) -> None:
    warm = scalars(tmp_path / "warm")
    (tmp_path / "warm").mkdir()
    warm.write(0, AT, {TAG: 0.0})  # all is imported: the kills hit writing
    moment, killed = 0, True
    while killed:
        moment += 1
        write = partial(scalars(tmp_path).write, moment, AT + moment, {TAG: 1.0})
        killed = dies_at(moment, write)
        if killed:
            write()  # the next life tries again
    assert moment > 4, "it was killed at several moments"
    found = steps(tmp_path)
    assert found == sorted(set(found))
    assert found[-1] == moment
    assert len(found) >= moment - 4, "only a kill behind the promise loses a step"


def test_tensorboard_reads_it_past_an_end_that_a_kill_tore(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="TensorBoard itself is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    scalars(tmp_path).write(1, AT, {TAG: 1.5, "run/goodput": 0.75})
    (first,) = (tmp_path / "tb" / "trainwatch").iterdir()
    scalars(tmp_path).write(2, AT + 1, {TAG: 2.5})
    first.write_bytes(first.read_bytes() + b"\x20\0\0\0\0\0\0\0torn")
    read = EventAccumulator(str(tmp_path / "tb" / "trainwatch"))
    read.Reload()
    assert [(each.step, each.wall_time, each.value) for each in read.Scalars(TAG)] == [
        (1, AT, 1.5),
        (2, AT + 1, 2.5),
    ]
    assert [each.value for each in read.Scalars("run/goodput")] == [0.75]


def test_another_folder_begins_anew_and_damage_is_told(tmp_path: Path) -> None:
    scalars(tmp_path).write(7, AT, {TAG: 1.0})
    assert scalars(tmp_path).last_step() == 7
    replace = partial(replace_file, sync=True)
    other = Scalars(tmp_path / "other", tmp_path / "scalars.json", replace, free)
    assert other.last_step() is None
    (tmp_path / "scalars.json").write_text("{")
    with pytest.raises(StoreUnusable, match="Move it away"):
        scalars(tmp_path).write(8, AT, {TAG: 1.0})


def test_who_writes_just_now_is_left_alone(tmp_path: Path) -> None:
    def held(path: Path) -> "Iterator[None]":
        raise LeaseHeld("another trainwatch writes")

    replace = partial(replace_file, sync=True)
    sink = Scalars(tmp_path / "tb", tmp_path / "s.json", replace, contextmanager(held))
    assert not sink.write(1, AT, {TAG: 1.0})
    assert not (tmp_path / "tb").exists()
