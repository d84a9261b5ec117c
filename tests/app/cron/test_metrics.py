"""A task of the chain's job writes and serves the runs of its own shard, each that it takes over included."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.app.rigs import iteration
from trainwatch.app import config
from trainwatch.app.cron.wire import CronSite
from trainwatch.app.daemon import Daemon
from trainwatch.app.wire import Site
from trainwatch.core.model.status import Status

NOW = 1_800_000_000.0


class Nobody:
    """A keeper that does nothing by itself."""

    leads = True

    def tick(self, now: float, daemon: Daemon) -> None:
        """Nothing."""

    def elsewhere(self, now: float) -> Mapping[str, str]:
        return {"of another shard": ""}

    def status(self, run: str) -> Status:
        return Status(run=run, health="ok", iteration=5)


@pytest.mark.parametrize(
    ("shard", "name", "label"), [(None, "t", ""), (0, "t.shard-0", ',shard="0"')]
)
def test_a_shard_tells_of_its_runs_only(
    tmp_path: Path, shard: int | None, name: str, label: str
) -> None:
    (tmp_path / "main_log.txt").write_bytes(b"".join(iteration(n) for n in range(1, 50)))
    text = f'[[runs]]\nlog = "{tmp_path}/main_log.txt"\nname = "tr11"\n'
    settings = config.parse(f'{text}[metrics]\ntextfile = "{tmp_path}/t.prom"\n')
    cron = CronSite(Site(settings, tmp_path / "state"))
    daemon = cron.daemon(Nobody(), once=True, shard=shard)  # type: ignore[arg-type]
    (run,) = cron.runs()
    daemon.adopt(cron.watch(run), run)
    while daemon.tick(NOW):
        pass
    daemon.tell_out(NOW, 30.0)
    daemon.close()
    assert [path.name for path in tmp_path.glob("*.prom")] == [f"{name}.prom"]
    text = (tmp_path / f"{name}.prom").read_text()
    assert f'trainwatch_iteration{{run="tr11"{label}}} 49.0\n' in text
    assert "of another shard" not in text
