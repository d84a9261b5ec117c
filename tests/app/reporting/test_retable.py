"""The TFLOPs column of people's own tables: computed, and nothing else touched."""

from pathlib import Path

import pytest

from trainwatch.app.cli import run
from trainwatch.app.reporting.retable import Given, retabled
from trainwatch.core.errors import ExitCode, UsageError

TABLE = """\
# Results

| Nodes | Size | DP | TP | PP | MBS |  GBS | Mem  | Sec/it | TFLOPs | Notes  |
| ----: | ---: | -: | -: | -: | --: | ---: | ---: | -----: | -----: | -----: |
|    16 |  52B |  1 |  4 | 16 |   1 | 1024 | 47GB |    122 |   1.00 | a \\| b |
|    16 |  52B |  1 |  4 | 16 |   1 | 1024 | 47GB | 146.00 |  46.68 | right  |
|    16 |  52B |  1 |  4 | 16 |   1 |  768 | 47GB |    122 | 9.9 ^  | 02-20  |
|    16 |  52B |  1 |  4 | 16 |   1 | 1024 | 44GB |      - |   OOM  | 02-20  |
|       |      |    |    |    |     |      |      |        |        |        |

Text | with a pipe | TFLOPs
"""
SEQ = Given(seq_length=1024)


def test_a_table_as_it_is_kept() -> None:
    expected = TABLE.replace("|   1.00 | a", "|  55.87 | a").replace("| 9.9 ^  |", "| 41.90^ |")
    done = retabled(TABLE, SEQ)
    assert done.text.splitlines() == expected.splitlines()
    assert done.computed == 3
    assert [(left.line, left.why) for left in done.left] == [(8, "no number in Sec/it: '-'")]


@pytest.mark.parametrize(
    ("head", "row", "given", "value"),
    [
        ("GPUs|Size|GBS|Sec/it|TFLOPs", "64|52|1024|122|x", SEQ, "55.87"),
        ("GPUs|Size|GBS|s/it|TFLOPs", "64|52B|1,024|122s|x", SEQ, "55.87"),
        ("**GPUs**|Model size|GBS|secs/iter|TFLOPs/GPU", "64|52000M|1024|146|x", SEQ, "46.68"),
        ("GPUs|Size|GBS|Seq|Sec/it|TFLOPs", "64|52B|1024|1024|122|x", Given(), "55.87"),
        ("GPUs|Size|GBS|Sec/it|TFLOPs", "64|52B|1024|122|x", Given(1024, recompute=False), "41.90"),
        ("GPUs|AC|Size|GBS|Sec/it|TFLOPs", "64|No|52B|1024|122|x", SEQ, "41.90"),
        ("Nodes|Size|GBS|Sec/it|TFLOPs", "16|52B|1024|122|x", Given(1024, 4), "55.87"),
        ("DP|TP|PP|Size|GBS|Sec/it|TFLOPs", "1|4|16|52B|1024|122|x", SEQ, "55.87"),
        ("GPUs|DP|MBS|GAS|Size|Sec/it|TFLOPs", "64|1|4|256|52B|122|x", SEQ, "55.87"),
    ],
)
def test_columns_by_the_names_people_use(head: str, row: str, given: Given, value: str) -> None:
    rule = "|".join("-" for _ in head.split("|"))
    done = retabled(f"{head}\n{rule}\n{row}\n", given)
    assert done.text.splitlines()[2] == f"{row[:-1]}{value}"


@pytest.mark.parametrize(
    ("head", "row", "why"),
    [
        ("GPUs|Size|GBS|Sec/it|TFLOPs", "64|52B|1024|122|x", "--seq-length"),
        ("Nodes|Size|GBS|Seq|Sec/it|TFLOPs", "16|52B|1024|1024|122|x", "--gpus-per-node"),
        ("GPUs|Size|Seq|Sec/it|TFLOPs", "16|52B|1024|122|x", "no GBS"),
        ("GPUs|GBS|Seq|Sec/it|TFLOPs", "16|1024|1024|122|x", "no Size"),
        ("GPUs|Size|GBS|Seq|TFLOPs", "64|52B|1024|1024|x", "no Sec/it"),
        ("GPUs|Size|GBS|Seq|Sec/it|TFLOPs", "64|52B|1024|1024|0|x", "greater than zero"),
        ("GPUs|Size|GBS|Seq|Sec/it|TFLOPs", "64|big|1024|1024|122|x", "no number in Size: 'big'"),
        ("GPUs|Size|GBS|Seq|Sec/it|TFLOPs", "64|52B", "fewer cells"),
    ],
)
def test_a_row_that_cannot_be_computed_stays_and_is_named(head: str, row: str, why: str) -> None:
    text = f"{head}\n{'|'.join('-' for _ in head.split('|'))}\n{row}\n"
    done = retabled(text, Given())
    assert done.text == text
    assert done.computed == 0
    assert why in done.left[0].why


@pytest.mark.parametrize(
    "text",
    [
        "no table\n",
        "| GPUs | TFLOPs |\nno rule\n",
        "```\n| GPUs | TFLOPs |\n| --- | --- |\n| 1 | 2 |\n```\n",
        "| GPUs | Loss |\n| --- | --- |\n| 1 | 2 |\n",
        "",
    ],
)
def test_without_such_a_table_it_says_so(text: str) -> None:
    with pytest.raises(UsageError, match="no Markdown table"):
        retabled(text, SEQ)


def test_in_place_keeps_every_other_byte_and_the_permissions(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    file, link = tmp_path / "real.md", tmp_path / "link.md"
    before = b"\xef\xbb\xbf" + TABLE.replace("\n", "\r\n").encode() + b"caf\xe9, no end of line"
    file.write_bytes(before)
    file.chmod(0o640)
    link.symlink_to(file)
    options = ["report", "--update-table", str(link), "--seq-length", "1024"]
    assert run(options) == 0
    shown = capsysbinary.readouterr()
    assert file.read_bytes() == before
    assert b"55.87" in shown.out
    assert b"line 8 stays as it is" in shown.err
    assert run([*options, "--in-place"]) == 0
    after = before.replace(b"|   1.00 | a", b"|  55.87 | a").replace(b"| 9.9 ^  |", b"| 41.90^ |")
    assert file.read_bytes() == after
    assert file.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.md", "real.md"]
    assert capsysbinary.readouterr().out == b""
    assert run([*options, "--in-place"]) == 0
    assert b"right already" in capsysbinary.readouterr().err


def test_a_table_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "--update-table", str(tmp_path / "no.md")]) == ExitCode.USAGE
    assert "no.md" in capsys.readouterr().err


def test_our_own_table_can_be_computed_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shared_logs: Path
) -> None:
    log = shared_logs / "bigscience" / "meg_ds_3d_gpt2_perf_n16-ds-on.out"
    assert run(["report", str(log)]) == 0
    table = capsys.readouterr().out
    done = retabled(table, Given())
    assert done.computed == 1
    assert "49.74" in done.text  # quick; exact it is 50.65
