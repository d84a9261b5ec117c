"""Real folders and real processes: what is run, how it ends, and what is left on the disk."""

import os
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from trainwatch.adapters.scripts import LedgerFile, Machine, output, processes, running
from trainwatch.core.errors import StoreFull, StoreUnusable, UsageError
from trainwatch.core.model.scripts import Begun, Ended, Ledger, Process

CLOSED = 0o755


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "cron.hourly"
    place.mkdir(mode=CLOSED)
    tmp_path.chmod(CLOSED)
    return place


def put(folder: Path, name: str, text: str = "exit 0\n", mode: int = CLOSED) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(mode)
    return path


# -- folders


def test_what_is_run_and_what_is_not(folder: Path) -> None:
    for name in ("quota", "sweep.sh", "backup_2", "job.slurm"):
        put(folder, name)
    (folder / "job.slurm").chmod(0o644)  # submitted, not run
    for name in ("a~", "b.bak", "c.disabled", "d.off", ".hidden", "README", "README.md", "#e#"):
        put(folder, name)
    put(folder, "notes.txt", mode=0o644)
    (folder / "lib").mkdir()
    os.mkfifo(folder / "pipe")
    listing = Machine().listed(str(folder))
    assert listing.names == ("backup_2", "job.slurm", "quota", "sweep.sh")
    assert (listing.left_out, listing.trouble) == ((), "")


LEFT_OUT = {
    "not executable": ("forgotten", 0o644, "it is not executable"),
    "world-writable": ("open.sh", 0o777, "everybody may write to it (chmod o-w)"),
    "a blank in its name": ("my script", CLOSED, "its name holds other characters"),
    "a line end in its name": ("a\nb", CLOSED, "its name holds other characters"),
    "markup in its name": ("[red]x", CLOSED, "its name holds other characters"),
    "an escape in its name": ("x\x1b[2J", CLOSED, "its name holds other characters"),
    "an option as a name": ("-rf", CLOSED, "its name holds other characters"),
    "a line end behind a name": ("x\n", CLOSED, "its name holds other characters"),
}


@pytest.mark.parametrize(("name", "mode", "why"), LEFT_OUT.values(), ids=LEFT_OUT.keys())
def test_what_somebody_may_have_meant_is_said(folder: Path, name: str, mode: int, why: str) -> None:
    put(folder, name, mode=mode)
    listing = Machine().listed(str(folder))
    assert listing.names == ()
    assert [left for left, _ in listing.left_out] == [name]
    assert listing.left_out[0][1].startswith(why)


def test_a_name_that_is_no_text_is_said_as_text(folder: Path) -> None:
    path = os.fsencode(folder) + b"/\xff\xfe"
    Path(os.fsdecode(path)).write_text("#!/bin/sh\n")
    Path(os.fsdecode(path)).chmod(CLOSED)
    ((name, why),) = Machine().listed(str(folder)).left_out
    assert name == "��"
    assert why.startswith("its name")


def test_links(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir(mode=CLOSED)
    put(tmp_path / "bin", "tool")
    (folder / "good").symlink_to(tmp_path / "bin" / "tool")
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    (folder / "circle").symlink_to(folder / "circle")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    put(tmp_path / "open", "tool")
    (folder / "elsewhere").symlink_to(tmp_path / "open" / "tool")
    listing = Machine().listed(str(folder))
    assert listing.names == ("good",)
    assert dict(listing.left_out) == {
        "dangling": "it is a link that leads nowhere",
        "circle": "too many levels of symbolic links",
        "elsewhere": f"everybody may write to {tmp_path / 'open'} (chmod o-w)",
    }


def test_folders_that_others_may_write_to(folder: Path, tmp_path: Path) -> None:
    put(folder, "quota")
    folder.chmod(0o777)
    assert "everybody may write to it" in Machine().listed(str(folder)).trouble
    folder.chmod(0o1777)  # sticky, and yet anybody may put a script there
    assert "everybody may write to it" in Machine().listed(str(folder)).trouble
    folder.chmod(CLOSED)
    tmp_path.chmod(0o777)  # anybody may put another folder in its place
    assert f"everybody may write to {tmp_path}" in Machine().listed(str(folder)).trouble
    tmp_path.chmod(0o1777)
    assert Machine().listed(str(folder)).names == ("quota",)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_groups_and_owners(folder: Path) -> None:
    path = put(folder, "quota")
    os.chown(path, 12345, 23456)
    assert "belongs to 12345" in Machine().listed(str(folder)).left_out[0][1]
    os.chown(folder, 12345, 23456)  # a colleague's folder, which you named
    assert Machine().listed(str(folder)).names == ("quota",)
    path.chmod(0o775)
    assert "the group 23456 may write to it" in Machine().listed(str(folder)).left_out[0][1]
    assert Machine(group_may_write=True).listed(str(folder)).names == ("quota",)
    os.chown(path, 0, 0)  # root's own group
    assert Machine().listed(str(folder)).names == ("quota",)


def test_a_folder_that_is_not_there_or_is_none(tmp_path: Path) -> None:
    assert Machine().listed(str(tmp_path / "none")).trouble == "no such file or directory"
    (tmp_path / "file").write_text("")
    assert Machine().listed(str(tmp_path / "file")).trouble == "not a directory"
    (tmp_path / "empty").mkdir()
    listing = Machine().listed(str(tmp_path / "empty"))
    assert (listing.names, listing.left_out, listing.trouble) == ((), (), "")


# -- processes


class Clock:
    """Hand-wound, for deadlines."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def start(path: Path, clock: Clock | None = None, deadline_s: float = 60.0) -> running.Running:
    return Machine(clock=clock or time.monotonic).start(
        str(path),
        output=path.parent.parent / "out" / f"{path.name}.out",
        heading="=== then",
        environment={**os.environ, "TRAINWATCH_PERIOD": "hourly"},
        deadline_s=deadline_s,
    )


def end(script: running.Running, patience_s: float = 20.0) -> Ended:
    until = time.monotonic() + patience_s
    while (ended := script.poll()) is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    return ended


def gone(pid: int) -> bool:
    until = time.monotonic() + 5
    while processes.birth(pid) is not None:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def written_at(path: Path) -> Path:
    return path.parent.parent / "out" / f"{path.name}.out"


def written(path: Path) -> str:
    return written_at(path).read_text(errors="replace")


def test_a_script_that_works(folder: Path) -> None:
    path = put(folder, "ok", 'pwd; echo "$TRAINWATCH_PERIOD"; cat; ls /proc/self/fd | wc -l >&2\n')
    script = start(path)
    assert processes.alive(script.process) in (True, False)
    ended = end(script)
    assert (ended.exit_code, ended.how) == (0, "")
    lines = written(path).splitlines()
    assert lines[:3] == ["=== then", str(folder), "hourly"]
    assert int(lines[3]) <= 4  # no file of ours is left open to it
    assert lines[-1].startswith("=== exit 0, ")
    assert (path.parent.parent / "out" / "ok.out").stat().st_mode & 0o777 == 0o600


def test_a_script_that_fails(folder: Path) -> None:
    ended = end(start(put(folder, "bad", "echo first; echo no quota left >&2; exit 7\n")))
    assert (ended.exit_code, ended.how) == (7, "")
    assert ended.tail == "first\nno quota left\n"
    ended = end(start(put(folder, "shot", "kill -9 $$\n")))
    assert (ended.exit_code, ended.how) == (137, "was killed by SIGKILL")


def test_a_hang_is_ended_with_its_children(folder: Path) -> None:
    """Also those that do not listen to SIGTERM."""
    clock = Clock()
    text = "(trap '' TERM; exec sleep 600) & echo $!\ntrap '' TERM\nwhile :; do sleep 600; done\n"
    path = put(folder, "hang", text)
    script = start(path, clock, deadline_s=1800.0)
    until = time.monotonic() + 5
    while not (children := written_pids(path)) and time.monotonic() < until:
        time.sleep(0.01)
    clock.now = 1799.0
    assert script.poll() is None
    clock.now = 1800.0
    assert script.poll() is None  # it is asked to end
    clock.now += running.GRACE_S - 1
    time.sleep(0.05)
    assert script.poll() is None
    clock.now += 1
    script.poll()  # it is killed
    ended = end(script)
    assert (ended.exit_code, ended.took_s) == (None, 1810.0)
    assert ended.how == "was ended after its deadline of 30 min"
    assert gone(script.process.pid)
    assert all(gone(pid) for pid in children)
    assert "=== was ended after its deadline of 30 min" in written(path)


def written_pids(path: Path) -> list[int]:
    try:
        return [int(line) for line in written(path).splitlines() if line.isdigit()]
    except FileNotFoundError:
        return []


def test_one_that_listens_ends_in_time(folder: Path) -> None:
    clock = Clock()
    path = put(folder, "polite", "trap 'echo cleaned up; exit 0' TERM\nsleep 600 & wait\n")
    script = start(path, clock, deadline_s=10.0)
    time.sleep(0.2)
    clock.now = 10.0
    ended = end(script)
    assert ended.exit_code is None  # its deadline ended it, whatever it says
    assert ended.tail == "cleaned up\n"


def test_what_is_left_in_the_background_goes_with_it(folder: Path) -> None:
    path = put(folder, "leaves", "sleep 600 & echo $!\nexit 0\n")
    ended = end(start(path))
    assert ended.exit_code == 0
    assert all(gone(pid) for pid in written_pids(path))


def test_one_that_escapes_does_not_hold_us(folder: Path) -> None:
    path = put(folder, "escapes", "setsid sh -c 'echo $$; exec sleep 30' & sleep 0.2; exit 3\n")
    began = time.monotonic()
    ended = end(start(path))
    assert ended.exit_code == 3
    assert time.monotonic() - began < 5
    for pid in written_pids(path):
        os.kill(pid, 9)


def test_runaway_output_fills_no_disk(folder: Path) -> None:
    path = put(
        folder, "yes", "head -c 1500000 /dev/zero | tr '\\0' x; echo; echo the reason\nexit 1\n"
    )
    ended = end(start(path))
    assert ended.exit_code == 1
    assert ended.tail.endswith("\nthe reason\n")
    text = written(path)
    assert len(text) < output.HEAD_BYTES + output.TAIL_BYTES + 200
    assert "bytes are left out ..." in text
    assert "\nthe reason\n" in text


def test_a_middling_output_is_whole(folder: Path) -> None:
    path = put(folder, "numbers", "seq 1 90000\n")
    end(start(path))
    lines = written(path).splitlines()
    assert lines[1:90001] == [str(n) for n in range(1, 90001)]


def test_output_is_rotated(folder: Path) -> None:
    path = put(folder, "long", "seq 1 90000\n")
    for _ in range(7):
        end(start(path))
    files = sorted((folder.parent / "out").iterdir())
    assert [file.name for file in files] == ["long.out", "long.out.1"]
    assert all(file.stat().st_size < 2 * 1024 * 1024 for file in files)


def test_output_that_cannot_be_written_is_done_without(folder: Path) -> None:
    (folder.parent / "out").write_text("a file in the way")
    ended = end(start(put(folder, "bad", "echo why; exit 1\n")))
    assert (ended.exit_code, ended.tail) == (1, "why\n")


def test_output_does_not_follow_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ok.out").symlink_to(tmp_path / "precious")
    (tmp_path / "precious").write_text("mine")
    end(start(put(folder, "ok", "echo overwritten\n")))
    assert (tmp_path / "precious").read_text() == "mine"


def test_what_cannot_be_started(folder: Path) -> None:
    (folder / "no-shebang").write_bytes(b"\x00\x01")
    (folder / "no-shebang").chmod(CLOSED)
    with pytest.raises(OSError, match="Exec format error"):
        start(folder / "no-shebang")
    (folder / "crlf").write_bytes(b"#!/bin/sh\r\necho\r\n")
    (folder / "crlf").chmod(CLOSED)
    with pytest.raises(FileNotFoundError):
        start(folder / "crlf")
    assert "=== could not be started" in written_in_time(folder / "crlf")
    until = time.monotonic() + 5
    while [t for t in threading.enumerate() if t.name == "script-output"]:
        assert time.monotonic() < until  # nothing of it is left
        time.sleep(0.01)


def written_in_time(path: Path) -> str:
    until = time.monotonic() + 5
    while not (found := written(path) if written_at(path).exists() else "").endswith("started\n"):
        assert time.monotonic() < until
        time.sleep(0.01)
    return found


def test_one_that_halts_itself_is_ended(folder: Path) -> None:
    clock = Clock()
    script = start(put(folder, "halts", "kill -STOP $$\n"), clock, deadline_s=5.0)
    time.sleep(0.1)
    clock.now = 5.0
    assert end(script).exit_code is None
    assert gone(script.process.pid)


def test_one_that_closes_its_output_runs_on(folder: Path) -> None:
    path = put(folder, "quiet", "echo last words; exec >&- 2>&-; sleep 0.3; exit 5\n")
    ended = end(start(path))
    assert (ended.exit_code, ended.tail) == (5, "last words\n")


def test_stopping_waits_first(folder: Path) -> None:
    ended = start(put(folder, "quick", "sleep 0.2; exit 4\n")).stop(10.0, "was stopped")
    assert (ended.exit_code, ended.how) == (4, "")
    ended = start(put(folder, "slow", "sleep 600\n")).stop(0.0, "was stopped")
    assert (ended.exit_code, ended.how) == (None, "was stopped")


def test_processes_are_told_apart() -> None:
    me = processes.me()
    assert processes.alive(me) is True
    assert processes.alive(Process(host=me.host, pid=me.pid, birth="another")) is False
    assert processes.alive(Process(host=me.host, pid=0)) is False
    assert processes.alive(Process(host="r1i0n0", pid=me.pid, birth=me.birth)) is None


def test_batch_scripts_are_read(folder: Path) -> None:
    path = put(folder, "job.slurm", "echo grüße\n")
    assert Machine().text(str(path)) == "#!/bin/sh\necho grüße\n"
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="UTF-8"):
        Machine().text(str(path))
    with pytest.raises(UsageError, match="No such file"):
        Machine().text(str(folder / "none"))


# -- the ledger

RUN = Begun(began=5.0, label="cron.hourly/quota")


def replace(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def test_the_ledger_is_kept(tmp_path: Path) -> None:
    ledger = LedgerFile(tmp_path / "cron" / "scripts.json", replace, nullcontext)
    assert ledger.read() == Ledger()
    kept = Ledger(scripts={"hourly:/x": RUN})
    assert ledger.change(lambda there: kept if there == Ledger() else None) == kept
    assert ledger.read() == kept
    assert ledger.change(lambda _: None) is None
    assert ledger.read() == kept


def test_a_damaged_ledger_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "scripts.json"
    for damage in (b"", b"{", b"\xff\xfe", b"[]", b'{"scripts": {"x": 5}}'):
        path.write_bytes(damage)
        ledger = LedgerFile(path, replace, nullcontext)
        assert ledger.read() is None
        ledger.change(lambda there: Ledger(since=9.0) if there is None else None)
        assert ledger.read() == Ledger(since=9.0)
        assert (tmp_path / "scripts.json.damaged").read_bytes() == damage


def test_a_newer_ledger_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "scripts.json").write_text('{"version": 2, "scripts": []}')
    with pytest.raises(StoreUnusable, match="newer trainwatch"):
        LedgerFile(tmp_path / "scripts.json", replace, nullcontext).change(lambda _: Ledger())


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    def full(_path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreFull, match="No space left"):
        LedgerFile(tmp_path / "scripts.json", full, nullcontext).change(lambda _: Ledger())
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable):
        LedgerFile(tmp_path / "file" / "scripts.json", replace, nullcontext).change(
            lambda _: Ledger()
        )
