"""import trainwatch, as a notebook does it: what is read, what is raised, and what it costs."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import trainwatch
from tests.app.exporting.logs import STARTS, line
from trainwatch.app.cli import run as command
from trainwatch.app.exporting import history as exporting
from trainwatch.core.errors import ExitCode

ROOT = Path(trainwatch.__file__).parent
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```$",
    (ROOT.parent / "docs" / "api.md").read_text(),
    re.MULTILINE | re.DOTALL,
)


@pytest.fixture(autouse=True)
def state_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(exporting, "CHUNK_ROWS", 4)
    return tmp_path / "state"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Two attempts: 1 to 5, then 4 to 9; a NaN loss at 6, a skipped step at 7."""
    path = tmp_path / "main_log.txt"
    second = [line(4), line(5), line(6, loss=""), line(7, loss="", skipped=1), line(8), line(9)]
    path.write_text("".join([STARTS, *map(line, range(1, 6)), STARTS, *second]))
    return path


def test_a_log_is_read_as_report_and_export_tell_it(log: Path) -> None:
    read = trainwatch.read(log)
    columns = read.columns
    assert columns["iteration"].tolist() == [1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9]
    assert columns["attempt"].tolist() == [0] * 5 + [1] * 6
    assert columns["iteration"][columns["loss_is_nan"]].tolist() == [6]
    assert columns["iteration"][columns["step_skipped"]].tolist() == [7]
    assert np.isnan(columns["loss"]).sum() == 2
    assert columns["params_norm"].tolist() == [7.5] * 11
    assert {len(column) for column in columns.values()} == {11}
    assert (read.summary.attempts, read.summary.retrained) == (2, 2)
    assert repr(read) == f"<trainwatch.Log {log}: 11 rows, unknown>"


def test_the_columns_are_those_of_export_in_their_order(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = list(trainwatch.read(str(log)).columns)
    assert command(["export", str(log)]) == ExitCode.OK
    assert capsys.readouterr().out.splitlines()[0].split(",") == names


def test_a_log_that_grows_is_read_on(log: Path) -> None:
    trainwatch.read(log)
    with log.open("a") as file:
        file.write(line(10))
    assert trainwatch.read(log).columns["iteration"][-1] == 10


def test_a_run_is_what_its_watcher_kept(log: Path, state_dir: Path) -> None:
    command(["watch", str(log), "--once"])
    run = trainwatch.open_run(state_dir)
    log.unlink()
    assert (run.status().iteration, run.status().run) == (9, log.parent.name)
    assert list(run.columns("loss_is_nan", "iteration")) == ["loss_is_nan", "iteration"]
    assert run.columns("iteration")["iteration"].tolist()[-2:] == [8, 9]
    assert tuple(run.columns()) == run.names()
    assert [event.kind for event in run.events()].count("attempt-began") == 2
    (folder,) = (state_dir / "runs").iterdir()
    assert trainwatch.open_run(folder).folder == folder
    assert repr(run) == f"<trainwatch.Run {folder}>"


def kept(folder: Path) -> dict[Path, tuple[int, ...]]:
    """What tells that a file was touched; when one was last *read* is the filesystem's own affair."""
    files = {path: path.stat() for path in folder.rglob("*")}
    return {
        at: (it.st_ino, it.st_mode, it.st_size, it.st_mtime_ns, it.st_ctime_ns)
        for at, it in files.items()
    }


def test_reading_a_run_changes_nothing_and_waits_for_nobody(log: Path, state_dir: Path) -> None:
    command(["watch", str(log), "--once"])
    before = kept(state_dir)
    run = trainwatch.open_run(str(state_dir))
    run.status(), run.columns(), run.events()
    assert kept(state_dir) == before


def test_a_silent_watcher_is_not_believed(
    log: Path, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(["watch", str(log), "--once"])
    from trainwatch.app import clock

    later = clock.now() + 3600.0
    monkeypatch.setattr(clock, "now", lambda: later)
    status = trainwatch.open_run(state_dir).status()
    assert status.health == "unknown"
    assert "silent for 60 min" in status.reason


def test_of_several_runs_one_is_named(log: Path, state_dir: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    other.write_text(log.read_text())
    command(["watch", str(log), str(other), "--once"])
    with pytest.raises(trainwatch.UsageError, match=r"holds several runs; name one .*other-"):
        trainwatch.open_run(state_dir)
    with pytest.raises(trainwatch.UsageError, match="does not hold one run 'third'"):
        trainwatch.open_run(state_dir, "third")
    run = trainwatch.open_run(state_dir, "other")
    assert run.status().log == str(other)
    assert trainwatch.open_run(state_dir, run.folder.name).folder == run.folder


def test_what_is_no_log_is_said_so(tmp_path: Path) -> None:
    unknown, empty = tmp_path / "unknown.txt", tmp_path / "empty.txt"
    unknown.write_text("hello\n" * 100)
    empty.touch()
    with pytest.raises(trainwatch.LogUnknown, match="holds no log format"):
        trainwatch.read(unknown)
    with pytest.raises(trainwatch.LogUnknown, match="is empty so far"):
        trainwatch.read(empty)
    with pytest.raises(trainwatch.LogUnreadable, match=r"gone\.txt does not exist"):
        trainwatch.read("gone.txt")
    with pytest.raises(trainwatch.LogUnreadable, match="is a folder"):
        trainwatch.read(tmp_path)


def test_what_is_no_run_is_said_so(tmp_path: Path, log: Path, state_dir: Path) -> None:
    with pytest.raises(trainwatch.StoreUnusable, match="does not exist"):
        trainwatch.open_run("nowhere")
    with pytest.raises(trainwatch.StoreUnusable, match="holds no run"):
        trainwatch.open_run(tmp_path)
    command(["watch", str(log), "--once"])
    run = trainwatch.open_run(state_dir)
    with pytest.raises(trainwatch.UsageError, match="there is no column 'los'; there are: iter"):
        run.columns("los")
    (run.folder / "status.json").write_text('{"half')
    with pytest.raises(trainwatch.StoreUnusable, match="no status that can be read"):
        run.status()
    (run.folder / "journal.jsonl").unlink()
    (run.folder / "journal.jsonl").mkdir()
    with pytest.raises(trainwatch.StoreUnusable, match=r"journal\.jsonl: Is a directory"):
        run.events()
    (run.folder / "state.json").unlink()
    with pytest.raises(trainwatch.StoreUnusable, match="nothing was kept"):
        run.columns()


def test_a_configuration_counts(log: Path, tmp_path: Path) -> None:
    settings = tmp_path / "own.toml"
    settings.write_text(f'[[runs]]\nlog = "{log}"\n[runs.cluster]\ngpus = 384\n')
    assert trainwatch.read(log).summary.gpus is None
    assert trainwatch.read(log, config_file=settings).summary.gpus == 384
    elsewhere = tmp_path / "elsewhere"
    trainwatch.read(log, state_dir=elsewhere)
    assert trainwatch.open_run(elsewhere).status().iteration == 9


def test_the_examples_of_the_page_run(
    tmp_path: Path, state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["simulate", "sim", "--scenario", "crash-and-restart", "--iterations", "300"]
    assert command(made) == ExitCode.OK
    (tmp_path / "sim" / "main_log.txt").rename(tmp_path / "main_log.txt")
    capsys.readouterr()
    names = {"state_dir": state_dir}
    for example in EXAMPLES:
        exec(compile(example, "docs/api.md", "exec"), names)
    first, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("megatron-deepspeed ")
    assert names["saves"]
    assert len(EXAMPLES) == 2


def test_importing_it_costs_nothing() -> None:
    code = "import sys, trainwatch; dir(trainwatch); print(*sys.modules)"
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(got.stdout.split())
    assert loaded.isdisjoint({"numpy", "msgspec", "click", "trainwatch.app", "trainwatch.core"})


def test_what_is_offered_is_typed_and_documented() -> None:
    stub = ast.parse((ROOT / "__init__.pyi").read_text())
    named = [node.names for node in ast.walk(stub) if isinstance(node, ast.ImportFrom)]
    typed = {alias.name for names in named for alias in names}
    assert typed | {"__version__"} == set(trainwatch.__all__) == set(dir(trainwatch))
    assert (ROOT / "py.typed").exists()
    page = (ROOT.parent / "docs" / "api.md").read_text()
    assert [name for name in typed if name not in page] == []
    with pytest.raises(AttributeError, match="no attribute 'raed'"):
        trainwatch.raed  # type: ignore[attr-defined]  # noqa: B018
