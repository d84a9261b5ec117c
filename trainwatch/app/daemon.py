"""tick(now), and the loop around it. A daemon is nothing but this."""

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from trainwatch.app import clock
from trainwatch.app.beside import Beside, Keeper
from trainwatch.app.config import RunSettings
from trainwatch.app.pulses import Pulses
from trainwatch.app.sources import EVERY, Sources
from trainwatch.app.watched import Watched
from trainwatch.core.errors import LeaseHeld, TrainwatchError
from trainwatch.core.model.status import Status

if TYPE_CHECKING:
    from trainwatch.app.exposing import Exposer
    from trainwatch.app.hands import Chosen, Hands
    from trainwatch.app.queueing import Queues

_LEAST_GAP_S = 1.0  # between ticks, however often the loop is woken
_GAPS = 10  # times as long as a tick took is rested before one that nobody but a hint asked for
_TELLING_S = 2.0  # the messages of a run that is watched no longer are waited for
_DEED_S = 200.0  # evidence of hundreds of nodes takes so long
_BLOCKS_A_TICK = 64  # of one run before the next run has its turn


class Daemon:
    """Watches any number of runs."""

    def __init__(
        self,
        runs: Sequence[Watched],
        *,
        heartbeat_s: float,
        left: Sequence[TrainwatchError] = (),
        pulses: Pulses | None = None,
        queues: "Queues | None" = None,
        hands: "Hands | None" = None,
        keeper: Keeper | None = None,
        sources: Sources | None = None,
        exposer: "Exposer | None" = None,
    ) -> None:
        """`left`: why runs that were asked for are not among them. `pulses`: what is done for all runs.

        `queues`: who asks the scheduler for all of them. `hands`: who may do something to their jobs.
        `sources`: who looks at the rest of the world for them. `exposer`: who shows them to
        Prometheus. With a `keeper` the watch goes on without any run.
        """
        self.runs = list(runs)
        self.left = tuple(left)
        self.given_up = dict[Watched, Exception]()
        self.remarks: tuple[str, ...] = ()  # what is wrong of their configuration
        self.between: Callable[[], None] = lambda: None  # what is done before each block of a log
        self._heartbeat_s, self._keeper, self._exposer = heartbeat_s, keeper, exposer
        self.beside = Beside(pulses or Pulses(), queues, hands, sources or Sources())
        if queues is not None:
            for run in self.runs:
                queues.begin(run.name, run.state.queue.jobs if run.state.queue else ())

    def tick(self, now: float) -> bool:
        """Look at every run once. True if there is more to read at once.

        A run whose store another process took over, or that we fail on, is given up. Raises why, once
        all are: LeaseHeld, or the error.
        """
        watched = [run for run in self.runs if run not in self.given_up]
        self._hear(watched, now)
        if self._keeper is not None:
            self._keeper.tick(now, self)
        more = [self._guarded(run, now) for run in watched]
        self._pulse(now)
        if self._exposer is not None:
            self._exposer.tick(now, partial(self._statuses, now))
        if self._keeper is None and self.given_up and len(self.given_up) == len(self.runs):
            raise next(reversed(self.given_up.values()))
        return any(more)

    def adopt(self, run: Watched, settings: RunSettings, hands: "Chosen | None" = None) -> None:
        """Watch this run from now on, too, with what the configuration says of it."""
        again = [old for old in self.given_up if old.name == run.name]
        for old in again:
            self.given_up.pop(old)
            self.runs.remove(old)
        self.runs.append(run)
        if self.queues is not None:
            jobs = run.state.queue.jobs if run.state.queue else ()
            self.queues.add(run.name, settings.slurm, jobs)
        if self.beside.hands is not None and hands is not None:
            self.beside.hands.add(run.name, hands)
        self.beside.sources.add(settings)

    def drop(self, run: Watched, now: float) -> None:
        """Watch it no longer, and let go of its log and store."""
        self.runs.remove(run)
        if self.given_up.pop(run, None) is None:
            with suppress(TrainwatchError):
                run.tell_out(now, _TELLING_S)
            run.close()

    def renew(self, beside: Beside, heartbeat_s: float, more: Sequence[Watched] = ()) -> None:
        """Do this beside from now on, instead of what was done; and watch more, of which it knows."""
        before, self.beside, self._heartbeat_s = self.beside, beside, heartbeat_s
        self.runs.extend(more)
        before.close(kept=beside)

    @property
    def queues(self) -> "Queues | None":
        """Who asks the scheduler."""
        return self.beside.queues

    def _hear(self, watched: Sequence[Watched], now: float) -> None:
        """What the scheduler answered, and what else was seen since, to the runs that it is about."""
        told = self.queues.tick(now) if self.queues is not None else {}
        seen = self.beside.sources.tick(now)
        for run in watched:
            run.observe([*told.get(run.name, ()), *seen.get(EVERY, ()), *seen.get(run.name, ())])

    def _guarded(self, run: Watched, now: float) -> bool:
        try:
            return self._tick(run, now)
        except Exception as error:  # noqa: BLE001 - one run must not end the watch of the others
            self.given_up[run] = error
            run.give_up(error, now)
            return False

    def _tick(self, run: Watched, now: float) -> bool:
        more = all(self._block(run, now) for _ in range(_BLOCKS_A_TICK))
        if self.beside.hands is not None and not more:
            self.beside.hands.tick(run, self.runs, now)
        return more

    def _block(self, run: Watched, now: float) -> bool:
        self.between()
        return run.tick(now, self._heartbeat_s)

    def _pulse(self, now: float) -> None:
        """A run that was given up is not seen, and no switch may say that it is."""
        runs = {run.name: run for run in self.runs}
        blind = {
            name: run.blind or ("given up" if run in self.given_up else "")
            for name, run in runs.items()
        }
        speaks, other = True, dict[str, str]()
        if self._keeper is not None:
            speaks, other = self._keeper.leads, dict(self._keeper.elsewhere(now))

        def status_of(name: str) -> Status:
            if name not in runs and self._keeper is not None:
                return self._keeper.status(name)
            return runs[name].status(now)

        if speaks:
            self.beside.pulses.tick(now, other | blind, status_of, clock.local_utc_offset_s(now))
        troubles, sources = self.beside.pulses.troubles().items(), self.beside.sources
        for run in self.runs:
            remarks = [f"receiver {name}: {why}" for name, why in troubles]
            queued = self.queues.remarks.get(run.name) if self.queues is not None else None
            remarks += [*([queued] if queued else []), *sources.remarks(run.name)]
            run.troubles = sources.troubles(run.name)
            shown = self._exposer.remarks if self._exposer is not None else ()
            run.remarks = (*self.remarks, *remarks, *shown)

    def _statuses(self, now: float) -> list[Status]:
        """Of the runs that are ours; of one that we failed on nothing is known but that."""
        found = list[Status]()
        for run in self.runs:
            error = self.given_up.get(run)
            if error is None:
                found.append(run.status(now))
            elif not isinstance(error, LeaseHeld):
                found.append(Status(run=run.name, health="unknown", log=run.log_path))
        return found

    def tell_out(self, now: float, patience_s: float) -> None:
        """Wait for deeds under way, and for what people are being told, before the process ends."""
        watched = [run for run in self.runs if run not in self.given_up]
        if self.beside.hands is not None:
            self.beside.hands.finish(watched, now, max(patience_s, _DEED_S))
        self.beside.sources.finish(now, patience_s)
        for run in watched:
            run.tell_out(now, patience_s)
        self.beside.pulses.finish(now, patience_s)
        if self._exposer is not None:
            self._exposer.finish(now, partial(self._statuses, now), patience_s)

    def close(self) -> None:
        """Let go of everything."""
        if self._exposer is not None:
            self._exposer.close()
        self.beside.close()
        for run in self.runs:
            run.close()


class Loop:
    """Ticks on a schedule (APScheduler), and at once when it is woken."""

    def __init__(
        self,
        daemon: Daemon,
        interval_s: float,
        ticked: Callable[[float], None] | None = None,
        now: Callable[[], float] = clock.now,
    ) -> None:
        """`ticked` is called after each tick with its time. `now` is the time that the daemon is told."""
        from apscheduler.schedulers.background import BackgroundScheduler  # 50 ms, 10 MB

        # A tick that takes longer than the interval is none of a user's business: what it missed, it reads.
        logging.getLogger("apscheduler").addHandler(logging.NullHandler())
        self._daemon, self._interval_s = daemon, interval_s
        self._ticked, self._now = ticked, now
        self._stopped = threading.Event()
        self._asked = queue.SimpleQueue[None]()  # its put may interrupt its get
        self._woken = False
        self._ticked_at, self._gap_s = 0.0, _LEAST_GAP_S
        self.error: Exception | None = None
        # Its default grace of a second would skip a job that comes late, without a word.
        self._scheduler = BackgroundScheduler(
            job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
        )

    def every(self, interval_s: float) -> None:
        """Tick so often from now on."""
        if interval_s != self._interval_s:
            self._interval_s = interval_s
            self._job.reschedule("interval", seconds=interval_s)

    def start(self) -> None:
        """Tick now, and from then on every interval."""
        self._job = self._scheduler.add_job(
            self._tick, "interval", seconds=self._interval_s, next_run_time=clock.local(clock.now())
        )
        self._scheduler.start()

    def wake(self) -> None:
        """Tick soon: something may have been written. Any number of calls cost one tick a second.

        With hundreds of runs a tick looks at many for the sake of one: it comes later the longer it takes.
        """
        if not self._woken:
            self._woken = True
            at = max(clock.now(), self._ticked_at + min(self._gap_s, self._interval_s))
            self._job.modify(next_run_time=clock.local(at))

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the loop is stopped, or for a time. True if it is stopped."""
        if timeout_s is not None:
            return self._wait(timeout_s)
        while not self._wait(self._interval_s):
            self.heed_clock()
        return True

    def _wait(self, timeout_s: float) -> bool:
        if not self._stopped.is_set():
            try:
                self._asked.get(timeout=timeout_s)
            except queue.Empty:
                return False
            self._stopped.set()
        return True

    def heed_clock(self) -> None:
        """Tick now if the clock was set back: the scheduler waits for the old time to come again."""
        now = clock.now()
        if now < self._ticked_at:
            self._ticked_at = now
            self._job.modify(next_run_time=clock.local(now))

    def stop_soon(self) -> None:
        """Ask the loop to end. Safe in a signal handler: setting an Event there can deadlock with `wait`."""
        self._asked.put(None)

    def stop(self, last: Callable[[], None] | None = None) -> None:
        """End after the tick under way, do what is `last`, and let go of everything."""
        self._stopped.set()
        if self._scheduler.running:  # it may never have started
            self._scheduler.shutdown(wait=True)
        if last is not None and self.error is None:
            last()
        self._daemon.close()

    def _tick(self) -> None:
        try:
            more, began = True, clock.elapsed()
            while more and not self._stopped.is_set():
                self._woken, self._ticked_at = False, clock.now()
                more = self._daemon.tick(self._now())
                if self._ticked is not None:
                    self._ticked(self._now())
            self._gap_s = max(_LEAST_GAP_S, _GAPS * (clock.elapsed() - began))
        except Exception as error:  # noqa: BLE001 - it is raised where the loop was started
            self.error = error
            self._stopped.set()
            self._asked.put(None)
