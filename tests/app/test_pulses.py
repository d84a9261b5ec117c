"""A ping says that somebody watches; a log of logs says how the runs are."""

from pathlib import Path

from tests.core.news import AT
from trainwatch.adapters.statuslog import StatusLog
from trainwatch.app.pulses import Pulse, Pulses, status_line
from trainwatch.app.telling import Every
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.status import Alert, Status
from trainwatch.core.model.telling import OK, Outcome

STATUS = Status(
    run="tr11-176B",
    health="critical",
    reason="no iteration for 1 h 12 min",
    iteration=95_000,
    target_iteration=115_311,
    step_time_s=105.2,
    tflops=130.0,
    loss=2.303,
    eta_s=2_137_000.0,
    alerts=(Alert(rule="stall", severity="critical", since=AT, summary="x"),),
)


class Pinged:
    """A switch that counts."""

    def __init__(self) -> None:
        self.at: list[float] = []
        self.outcome = OK

    def ping(self, now: float) -> Outcome:
        self.at.append(now - AT)
        return self.outcome


def tick(pulses: Pulses, at: float, blind: dict[str, str]) -> None:
    pulses.tick(AT + at, blind, lambda run: STATUS)
    pulses.finish(AT + at, 20)


def test_a_ping_stops_while_any_run_of_it_cannot_be_seen() -> None:
    switch = Pinged()
    pulses = Pulses([(Pulse("hc", ("tr11-*",), Every(300)), switch)])
    tick(pulses, 0, {"tr11-176B": "", "other": "the log hangs"})
    tick(pulses, 200, {"tr11-176B": ""})
    tick(pulses, 300, {"tr11-176B": "", "tr11-1B": "the log hangs"})
    tick(pulses, 400, {"tr11-176B": "", "tr11-1B": ""})
    tick(pulses, 700, {"other": ""})
    tick(pulses, 800, {})
    assert switch.at == [0, 400]


def test_a_ping_that_fails_is_said_until_one_arrives() -> None:
    switch = Pinged()
    switch.outcome = Outcome(result="never", why="it answers 404")
    pulses = Pulses([(Pulse("hc", ("*",), Every(300)), switch)])
    tick(pulses, 0, {"r": ""})
    assert pulses.troubles() == {"hc": "it answers 404"}
    switch.outcome = OK
    tick(pulses, 300, {"r": ""})
    assert pulses.troubles() == {}
    pulses.close()


def test_a_log_of_logs_has_a_line_for_each_run_each_interval(tmp_path: Path) -> None:
    log = StatusLog(tmp_path / "status.log")
    pulses = Pulses((), [(Pulse("log", ("tr*",), Every(3600)), log)])
    for at in (0, 1800, 3600):
        tick(pulses, at, {"tr11-176B": "", "tr12": "blind", "other": ""})
    lines = (tmp_path / "status.log").read_text().splitlines()
    assert len(lines) == 4
    assert lines[0] == (
        "trainwatch: 2023-11-14 22:13:20 tr11-176B critical: no iteration for 1 h 12 min; "
        "iteration 95,000 of 115,311; 105.2 s/it; 130 TFLOPs/GPU; loss 2.303; ETA 24 d 17 h; stall (critical)"
    )


def test_a_status_line_is_never_progress() -> None:
    scanner = Scanner()
    reason = " iteration       30/  100 | elapsed time per iteration (ms): 5.0 | lm loss: 2.0E+00 |"
    line = status_line(Status(run="r\nx", health="ok", reason=reason), AT).encode() + b"\n"
    assert line.count(b"\n") == 1
    assert list(scanner.scan(scanner.mark(line))) == []
    assert status_line(Status(run="r", health="unknown"), AT).endswith("r unknown: ")
