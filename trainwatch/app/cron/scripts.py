"""Runs what is due of the hourly and daily scripts, one after another, each once per period.

The trap: nobody is sure to see a script end. It stands in the ledger before it begins, on a disk that the
next watcher reads; where that cannot be written, nothing is begun.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from trainwatch.app.cron.beginning import Starter
from trainwatch.app.cron.jobs import BatchJobs
from trainwatch.app.cron.needs import Ledgers, Machine, Running
from trainwatch.app.cron.settling import Look, look, settle
from trainwatch.app.probe import Probe
from trainwatch.core import scripting
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.cron import ScriptStatus
from trainwatch.core.model.observations import ScriptReading
from trainwatch.core.model.scripts import Begun, Ended, Ledger, Script
from trainwatch.core.periods import Grid, Period

LOOK_S = 60.0  # between looks into the folders
HANGS_S = 120.0  # a look that takes longer hangs
_SAVING_S = 5.0  # at a hand-over, a disk may take so long
_HAND_OVER = "was ended when its watcher handed over"


class Scripts:
    """The scripts of all folders."""

    def __init__(
        self,
        folders: Mapping[Period, Sequence[str]],
        machine: Machine,
        ledger: Ledgers,
        output: Path,
        grid: Grid,
        *,
        deadline_s: float = 1800.0,
        environment: Mapping[str, str] | None = None,
        jobs: BatchJobs | None = None,
        patience_s: float = 0.0,
    ) -> None:
        """`output` is the folder of all output. Without `jobs` no batch script is submitted.

        A tick waits `patience_s` for disks and for Slurm; what takes longer the next tick hears.
        """
        self._places = scripting.places(folders)
        self._machine, self._file, self._grid = machine, ledger, grid
        self._jobs, self._patience_s = jobs, patience_s
        self._starter = Starter(
            machine, output, grid.offset_at, deadline_s, environment or {}, jobs
        )
        self._probe = Probe(self._round)
        self._now = self._asked_at = float("-inf")
        self._ends_at: float | None = None
        self._running: tuple[Script, Running] | None = None
        self._ledger, self._unsaved = Ledger(), set[str]()
        self._look, self._again = Look(), bool(self._places)
        self._troubles: tuple[str, ...] = ()
        self._fault, self._closing = "", False

    @property
    def busy(self) -> bool:
        """Whether a script runs or may be about to: a watcher that ticks once waits for it, and ticks on."""
        if self._probe.asked:
            return not self._fault
        return self._running is not None or self._again

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong with folders, the ledger or the looking itself."""
        return (*self._troubles, self._fault) if self._fault else self._troubles

    def tick(self, now: float, ends_at: float | None = None) -> list[ScriptReading]:
        """Hear of the script that ran, and begin the next that is due. Raises nothing but programming errors.

        `ends_at`: when this watcher must end; what will hardly be done by then is left to its successor.
        """
        told = list[ScriptReading]()
        if not self._probe.asked:
            told += self._hear(now)
            waits = 0 <= now - self._asked_at < LOOK_S and not self._again
            if self._running is not None or not self._places or waits:
                return told
            self._now, self._asked_at, self._ends_at = now, now, ends_at
            self._probe.ask()
        return told + self._answer(now, self._patience_s)

    def statuses(self, now: float) -> tuple[ScriptStatus, ...]:
        """How each script is, the hourly ones first, as the last look found them."""
        look, ledger = self._look, self._ledger
        found = []
        for script in look.scripts:
            run = ledger.scripts.get(script.key)
            is_due = scripting.due(script, ledger, self._grid, now)
            found.append(scripting.status(script, run, is_due=is_due, grid=self._grid, now=now))
        return tuple(sorted((*found, *look.left_out), key=lambda s: (s.period == "daily", s.name)))

    def wind_down(self) -> None:
        """Begin nothing more: others take over once what runs has ended."""
        self._closing = True

    def close(self, now: float, patience_s: float = 0.0) -> list[ScriptReading]:
        """Hand over: begin nothing more, wait so long for the script that runs, then end it, and say so.

        It counts as its period's run all the same: nobody knows how far it came. Takes some 20 s more than
        `patience_s` at worst: a script that does not listen, and a disk that hangs.
        """
        self._closing = True
        told = self._answer(now, max(patience_s, 1.0)) if self._probe.asked else []
        if self._running is not None and not self._probe.asked:
            script, running = self._running
            told += self._end(script, running.stop(patience_s, _HAND_OVER), now)
            saving = Probe(self._save)
            saving.answer(_SAVING_S)
            saving.close()
        self._probe.close()
        return told

    # -- on the watcher's own thread, while no look is under way

    def _hear(self, now: float) -> list[ScriptReading]:
        """The end of the script that ran."""
        if self._running is None:
            return []
        script, running = self._running
        ended = running.poll()
        return [] if ended is None else self._end(script, ended, now)

    def _end(self, script: Script, ended: Ended, now: float) -> list[ScriptReading]:
        self._running, self._again = None, True
        run = self._ledger.scripts[script.key]
        self._keep(script.key, scripting.finished(run, ended))
        return [scripting.reading(run, ended, now)]

    def _answer(self, now: float, patience_s: float) -> list[ScriptReading]:
        """What the look tells; nothing while it is under way."""
        try:
            told = self._probe.answer(patience_s)
        except Exception as error:  # noqa: BLE001 - a bug here must not end the watch of the logs
            self._fault = f"looking for scripts failed with {type(error).__name__}: {error}"
            self._again = False
            return []
        if told is None:
            if now - self._asked_at >= HANGS_S:
                self._fault = (
                    "looking for scripts hangs: a folder, its disk or Slurm does not answer"
                )
            return []
        self._fault = ""
        return told

    def _keep(self, key: str, run: Begun) -> None:
        self._ledger = replace(self._ledger, scripts={**self._ledger.scripts, key: run})
        self._unsaved.add(key)

    # -- in the thread of the look

    def _round(self) -> list[ScriptReading]:
        """Look into the folders and the ledger, settle what others left, begin what is due."""
        now, self._again = self._now, False
        self._look = look(self._places, self._machine)
        self._troubles = self._look.troubles
        try:
            there = self._file.read()
        except TrainwatchError as error:
            return self._trouble(f"nothing is begun: {error}")
        if there is None:
            self._ledger = replace(self._ledger, since=now)
            self._trouble("the ledger of scripts was damaged: all wait for their next period")
        self._ledger = self._merged(there)
        told = self._settled(now)
        if self._unsaved or there is None:
            self._save()
        return told + self._begin_next(now)

    def _settled(self, now: float) -> list[ScriptReading]:
        """What clocks that were wrong, watchers that are gone and jobs that ended left in the ledger."""
        for key, run in scripting.set_back(self._ledger, now).items():
            self._keep(key, run)
        told = list[ScriptReading]()
        sources = [settle(self._ledger, self._look, self._machine, now)]
        if self._jobs is not None:
            sources.append(self._jobs.follow(self._ledger, self._waiting(now), now))
        for key, run, reading in chain.from_iterable(sources):
            self._keep(key, run)
            told += [reading] if reading else []
        return told

    def _waiting(self, now: float) -> set[str]:
        """Batch scripts whose period has no run yet."""
        ledger, grid = self._ledger, self._grid
        return {
            s.key
            for s in self._look.scripts
            if s.is_job
            and (run := ledger.scripts.get(s.key))
            and grid.due(s.place.period, run.began, now)
        }

    def _begin_next(self, now: float) -> list[ScriptReading]:
        """Begin one, or submit one; the next has its turn when that is done."""
        for script in scripting.in_turn(self._look.scripts, self._ledger, self._grid, now):
            if not scripting.fits(script, self._ledger, self._grid, now, self._ends_at):
                continue
            if self._closing or self._hinders(script):
                continue
            claimed = self._claim(script, now)
            if claimed is None:
                break  # nor could the others be
            if not claimed:
                continue
            told = self._submit(script, now) if script.is_job else self._run(script, now)
            self._again = self._running is None
            self._save()
            return told
        return []

    def _hinders(self, script: Script) -> bool:
        """Whether something is in the way, and say so."""
        run = self._ledger.scripts.get(script.key)
        if script.is_job and self._jobs is None:
            self._trouble(f"{script.label} is not submitted: there is no Slurm here")
            return True
        if run is not None and run.process is not None and self._machine.alive(run.process):
            self._trouble(f"{script.label} is not begun: its last run still hangs in the kernel")
            return True
        return False

    def _claim(self, script: Script, now: float) -> bool | None:
        """Put its run into the ledger, unless another watcher was first; None if that cannot be done.

        Nothing may begin without.
        """
        run = self._starter.entry(script, self._ledger.scripts.get(script.key), now)

        def edit(there: Ledger | None) -> Ledger | None:
            fresh = self._ledger = self._merged(there)
            if not scripting.due(script, fresh, self._grid, now):
                return None
            return replace(fresh, scripts={**fresh.scripts, script.key: run})

        try:
            changed = self._file.change(edit)
        except TrainwatchError as error:
            self._trouble(f"{script.label} is not begun: {error}")
            return None
        if changed is not None:
            self._ledger, self._unsaved = changed, set()
        return changed is not None

    def _run(self, script: Script, now: float) -> list[ScriptReading]:
        running = self._starter.run(script, now)
        if isinstance(running, Ended):
            return self._end(script, running, now)
        self._running = script, running
        run = self._ledger.scripts[script.key]
        self._keep(script.key, replace(run, process=running.process))
        return []

    def _submit(self, script: Script, now: float) -> list[ScriptReading]:
        run, reading = self._starter.submit(script, self._ledger.scripts[script.key], now)
        self._keep(script.key, run)
        return [reading] if reading else []

    def _save(self) -> None:
        """Write what is known. What cannot be written is kept in mind, and tried again."""

        try:
            self._ledger = self._file.change(self._merged) or self._ledger
            self._unsaved = set()
        except TrainwatchError as error:
            self._trouble(f"the ledger of scripts cannot be written: {error}")

    def _merged(self, there: Ledger | None) -> Ledger:
        known = scripting.merged(there or Ledger(), self._ledger, self._unsaved)
        return scripting.tidied(known, (s.key for s in self._look.scripts), self._now)

    def _trouble(self, said: str) -> list[ScriptReading]:
        self._troubles = (*(known for known in self._troubles if known != said), said)
        return []
