"""trainwatch metrics: what Prometheus would scrape, once, on stdout. Needs no daemon."""

from collections.abc import Sequence

import click

from trainwatch.app import clock, looking, wiremetrics
from trainwatch.app.commands.shared import site_options
from trainwatch.app.wire import Site
from trainwatch.core.model.status import Status


@click.command(name="metrics")
@click.argument("log_or_run", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(("openmetrics", "prometheus")),
    default="openmetrics",
    show_default=True,
    help="prometheus: the older one, for a textfile of node_exporter.",
)
@site_options
def command(log_or_run: str | None, form: str, site: Site) -> None:
    """Print the metrics of a run, or of all that are configured.

    Without a configured run: of all that the state folder holds. What a watcher published is taken as it is;
    a run that nobody watches is looked at. docs/metrics.md says what each means, and how Prometheus gets them
    by itself ([metrics] in the configuration).

    \b
    Example:
      trainwatch metrics main_log.txt
      trainwatch metrics --format prometheus | promtool check metrics
    """
    now = clock.now()
    statuses = _statuses(site, log_or_run, now)
    text = wiremetrics.text(site.settings, statuses, openmetrics=form == "openmetrics")
    click.echo(text, nl=False)


def _statuses(site: Site, log_or_run: str | None, now: float) -> Sequence[Status]:
    if log_or_run:
        return [looking.status_of(site, site.run_of(log_or_run), now)]
    known = () if site.settings.runs else looking.published(site, now)
    return known or [looking.status_or_why_not(site, run, now) for run in site.runs()]
