"""Short ticks: each is a process that looks at a log but once."""

from pathlib import Path

from tests.app.rigs import iteration
from trainwatch.app import config
from trainwatch.app.cron.wire import CronSite
from trainwatch.app.wire import Site

NOW = 1_800_000_000.0


def test_a_log_in_the_place_of_another_is_read_by_the_next_tick(tmp_path: Path) -> None:
    log = tmp_path / "main_log.txt"
    text = f'[cron]\nmode = "ticks"\n[[runs]]\nlog = "{log}"\nname = "tr11"\n'
    cron = CronSite(Site(config.parse(text), tmp_path / "state"))
    (run,) = cron.runs()
    for number, first in enumerate((1, 900, 1800)):
        log.unlink(missing_ok=True)
        log.write_bytes(b"".join(iteration(n) for n in range(first, first + 50)))
        watched = cron.watch(run)
        while watched.tick(NOW + 600 * number, heartbeat_s=0.0):
            pass
        assert watched.status(NOW + 600 * number).iteration == first + 49
        watched.close()
