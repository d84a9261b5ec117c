"""Core files and runaway outputs: by name, by first bytes, by growth."""

import struct

import pytest

from trainwatch.core.strays import Found, Growth, Kind, is_core, kind_of, lines, strays

GB, H = 10**9, 3600.0
T0 = 1_790_000_000.0


def elf(kind: int, order: str = "<") -> bytes:
    """The first bytes of a file for a 64-bit machine."""
    data = 1 if order == "<" else 2
    return b"\x7fELF\x02" + bytes([data, 1]) + bytes(9) + struct.pack(f"{order}H", kind)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("core", "core"),
        ("core.12345", "core"),
        ("core.r1i0n0.12345", "core"),
        ("core.jean-zay-ia810.12345", "core"),
        ("python.core", "core"),
        ("vgcore.77", "core"),
        ("core.py", None),
        ("core_utils.1", None),
        ("score", None),
        ("main_log.txt", "output"),
        ("main_log", "output"),
        ("slurm-7.out", "output"),
        ("rank0.err", "output"),
        ("x.log", "output"),
        ("x.log.gz", None),
        (".out", None),
        ("weights.bin", None),
    ],
)
def test_names(name: str, kind: Kind | None) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("head", "core"),
    [
        (elf(4), True),
        (elf(4, ">"), True),
        (elf(2), False),  # a program
        (elf(3), False),  # a library
        (elf(4)[:17], False),
        (b"import os\nimport sys\n", False),
        (b"", False),
    ],
)
def test_first_bytes(head: bytes, core: bool) -> None:
    assert is_core(head) == core


def outputs(growth: Growth, at: float, **sizes_gb: float) -> list[str]:
    found = [Found(f"/{name}", "output", int(size * GB)) for name, size in sizes_gb.items()]
    return [f"{one.path} {one.why}" for one in strays(found, growth, at, 100 * GB, 10 * GB)]


def test_an_output_that_is_too_large_or_grows_too_fast() -> None:
    growth = Growth()
    assert outputs(growth, T0, a=101, b=20, c=20) == ["/a large output"]
    assert outputs(growth, T0 + 12 * H, a=101, b=30, c=21) == ["/a large output"]
    said = outputs(growth, T0 + 18 * H, a=102, b=31, c=22)
    assert said == ["/a large output", "/b grew by 11 GB in 18 h"]


def test_growth_is_of_a_day() -> None:
    growth = Growth()
    for day in range(16):
        assert outputs(growth, T0 + day * 12 * H, a=20 + day * 4.9) == []
    assert len(growth.sizes["/a"]) <= 3


def test_an_output_that_was_begun_anew_grew_by_nothing() -> None:
    growth = Growth()
    outputs(growth, T0, a=50)
    assert outputs(growth, T0 + H, a=1) == []
    assert outputs(growth, T0 + 2 * H, a=10) == []
    assert outputs(growth, T0 - H, a=40) == []  # by a clock that was set back
    outputs(growth, T0, b=50)
    assert list(growth.sizes) == ["/b"]


def test_as_they_are_shown() -> None:
    found = [Found(f"/core.{n}", "core", n * GB) for n in range(1, 9)]
    told = lines(strays([*found, Found("/\x1b[2J.out", "output", 300 * GB)], Growth(), T0, GB, GB))
    assert told[:2] == ("300 GB / [2J.out: large output", "8 GB /core.8: core file")
    assert told[-1] == "10 GB in 4 more"
    assert len(told) == 6
