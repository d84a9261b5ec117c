"""The formats of `trainwatch report`: what they hold, and that a log's name is text in each."""

import csv
import io
from pathlib import Path

import pytest

from tests.app.reporting.logs import report, rows_of, write
from trainwatch.core.rows import KEYS


def test_json_has_the_fixed_keys_first_and_its_version(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (row,) = rows_of(capsys, str(write(tmp_path / "a.out")))
    assert tuple(row) == KEYS
    assert row["schema_version"] == 1


def test_csv_has_the_same_keys_and_full_numbers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = str(write(tmp_path / "a.out"))
    out, _ = report(capsys, log, "--format", "csv")
    (line,) = csv.DictReader(io.StringIO(out))
    (row,) = rows_of(capsys, log)
    for key, value in row.items():
        assert line[key] == ("" if value is None else str(value)), key


def test_markdown_is_a_table_a_person_reads(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / "runs" / "fast.out", ms=5000)
    write(tmp_path / "runs" / "none.out", iterations=0)
    out, err = report(capsys, "runs")
    assert out == (
        "| Log      | GPUs | Size | TP | PP | DP | MBS | GBS | Iterations "
        "| Sec/it | TFLOPs | Tokens/s |  Loss | End     |\n"
        "| -------- | ---: | ---: | -: | -: | -: | --: | --: | ---------: "
        "| -----: | -----: | -------: | ----: | ------- |\n"
        "| fast.out |    8 |    - |  - |  - |  - |   - | 512 |          3 "
        "|      5 |      - |        - | 8.185 | unknown |\n"
        "| none.out |    8 |    - |  - |  - |  - |   - |   - |          0 "
        "|   fail |   fail |        - |     - | unknown |\n"
    )
    assert err == ""


def test_html_shows_foreign_text_as_text(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / "<img src=x>|[b].out")
    out, _ = report(capsys, str(tmp_path), "--format", "html")
    assert out.startswith("<!doctype html>")
    assert "<img" not in out
    assert "&lt;img src=x&gt;|[b].out" in out
    markdown, _ = report(capsys, str(tmp_path))
    assert r"| \<img src=x\>\|\[b\].out |" in markdown


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("meg_ds_3d_n16-1999616.out", "meg_ds_3d_n16-1999616.out"),
        ("_all_.out", r"\_all\_.out"),
        ("a*b*`c`~~d~~.out", r"a\*b\*\`c\`\~\~d\~\~.out"),
        ("[x](javascript:y).out", r"\[x\](javascript:y).out"),
        ("a&lt;b\\.out", r"a\&lt;b\\.out"),
        ("two\nlines \x1b[31m.out", r"two lines  \[31m.out"),
    ],
)
def test_a_name_is_no_markup_in_markdown(
    name: str, cell: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / name)
    out, _ = report(capsys, str(tmp_path))
    assert out.splitlines()[2].startswith(f"| {cell} | ")


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(1)"])
def test_a_name_is_no_formula_in_csv(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / f"{name}\n\x1b[31m.out")
    out, _ = report(capsys, "*.out", "--format", "csv")
    (line,) = csv.DictReader(io.StringIO(out))
    assert line["log"] == f"'{name}  [31m.out"
    assert len(out.splitlines()) == 2
