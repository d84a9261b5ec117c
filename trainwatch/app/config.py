"""TOML -> frozen Settings. A key nobody knows is an error that names the nearest one that is known.

Everything is optional: trainwatch reads what it needs from the log, and configuration overrides it.
"""

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from trainwatch.app import configwords, metricsettings, receivers, scriptsettings
from trainwatch.app.checkpoints.settings import CheckpointSettings
from trainwatch.app.checkpoints.settings import check_place as check_backup_place
from trainwatch.app.cron.settings import CronSettings
from trainwatch.app.disks import settings as disksettings
from trainwatch.app.disks.settings import DiskSettings
from trainwatch.app.metricsettings import MetricsSettings
from trainwatch.app.publishing import settings as publishing
from trainwatch.app.publishing.settings import PublicSettings, TensorBoardSettings
from trainwatch.app.receivers import ReceiverSettings
from trainwatch.app.scriptsettings import ScriptSettings
from trainwatch.app.syncing import settings as syncsettings
from trainwatch.app.syncing.settings import SyncSettings
from trainwatch.core.errors import UsageError
from trainwatch.core.facts import Facts, configured
from trainwatch.core.hands import settings as handsettings
from trainwatch.core.ours import Ours
from trainwatch.core.rules.settings import AlertSettings
from trainwatch.core.slurm import site
from trainwatch.core.slurm.site import JobSite

Positive = Annotated[int, msgspec.Meta(gt=0)]
PositiveFloat = Annotated[float, msgspec.Meta(gt=0)]
_NAME, _LISTED = r"^[^/\x00-\x1f]+$", r"^[^\s,\x00-\x1f\x7f]+$"
MEANT = site.MEANT | {
    _NAME: "a name without a slash",
    _LISTED: "one name, without blanks and commas",
    **scriptsettings.MEANT,
    **disksettings.MEANT,
    **syncsettings.MEANT,
    **publishing.MEANT,
    **metricsettings.MEANT,
    **handsettings.MEANT,
}
Name = Annotated[str, msgspec.Meta(pattern=_NAME, max_length=200)]
Label = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Listed = Annotated[str, msgspec.Meta(pattern=_LISTED, max_length=255)]


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the log does not say of the model, or says wrongly. Keys are those of core/facts.py."""

    parameters: PositiveFloat | None = None
    num_layers: Positive | None = None
    hidden_size: Positive | None = None
    ffn_hidden_size: Positive | None = None
    num_attention_heads: Positive | None = None
    num_query_groups: Positive | None = None
    vocab_size: Positive | None = None
    seq_length: Positive | None = None
    glu: bool | None = None
    experts: Positive | None = None
    recompute: bool | None = None
    precision: str | None = None


class Cluster(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the log does not say of the hardware and how the model is split over it."""

    gpus: Positive | None = None
    nodes: Positive | None = None
    gpus_per_node: Positive | None = None
    gpu_type: str | None = None
    peak_tflops: PositiveFloat | None = None
    tensor_parallel: Positive | None = None
    pipeline_parallel: Positive | None = None
    data_parallel: Positive | None = None
    context_parallel: Positive | None = None


class Training(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Batch sizes, targets and intervals, where the log does not say them."""

    micro_batch_size: Positive | None = None
    global_batch_size: Positive | None = None
    rampup: tuple[Positive, Positive, Positive] | None = None
    target_samples: Positive | None = None
    target_tokens: Positive | None = None
    target_iteration: Positive | None = None
    save_interval: Positive | None = None
    eval_interval: Positive | None = None


class JobSettings(JobSite, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the job arrays of `report --slurm` go."""

    time_limit_min: Annotated[float, msgspec.Meta(ge=1)] | None = None


class SlurmSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the queue is asked for: once for all runs."""

    interval_s: Annotated[float, msgspec.Meta(ge=60, le=3600)] = 60.0
    deadline_s: Annotated[float, msgspec.Meta(ge=1, le=60)] = 20.0
    users: tuple[Listed, ...] = ()  # none: whoever watches
    accounts: tuple[Listed, ...] = ()
    answers: Literal["text", "json"] = "text"
    jobs: JobSettings = JobSettings()


class RunSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One run, or by a glob in `log` many."""

    log: str
    name: Name | None = None
    project: Label | None = None  # runs of one project are shown together
    model: Model = Model()
    cluster: Cluster = Cluster()
    training: Training = Training()
    slurm: Ours = Ours()
    hands: handsettings.HandSettings = handsettings.HandSettings()
    checkpoints: CheckpointSettings = CheckpointSettings()
    public: PublicSettings = PublicSettings()
    tensorboard: TensorBoardSettings = TensorBoardSettings()

    def facts(self) -> Facts:
        """What is configured, as facts that override the log's."""
        tables = (self.model, self.cluster, self.training)
        values = {k: v for table in tables for k, v in msgspec.structs.asdict(table).items()}
        return configured({k: v for k, v in values.items() if v is not None})


class FormatSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A log format of the user's own (core/logs/custom.py)."""

    pattern: str
    contains: str = ""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All of config.toml."""

    state_dir: str | None = None
    poll_interval_s: Annotated[float, msgspec.Meta(ge=0.2, le=3600)] = 15.0
    heartbeat_interval_s: Annotated[float, msgspec.Meta(ge=1, le=3600)] = 30.0
    log_utc_offset_h: Annotated[float, msgspec.Meta(ge=-14, le=14)] | None = None
    runs: tuple[RunSettings, ...] = ()
    disks: tuple[DiskSettings, ...] = ()
    formats: dict[str, FormatSettings] = {}
    slurm: SlurmSettings = SlurmSettings()
    cron: CronSettings = CronSettings()
    scripts: ScriptSettings = ScriptSettings()
    alerts: AlertSettings = AlertSettings()
    receivers: dict[Name, ReceiverSettings] = {}
    sync: tuple[SyncSettings, ...] = ()
    metrics: MetricsSettings = MetricsSettings()


def load(path: Path | None) -> Settings:
    """The settings of a file; the defaults without one. Raises UsageError."""
    return Settings() if path is None else parse(read(path), str(path))


def read(path: Path) -> str:
    """The text of a configuration. Raises UsageError."""
    try:
        return path.read_text()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not a text file (expected TOML in UTF-8)") from error


def parse(text: str, where: str = "config.toml") -> Settings:
    """The settings of a TOML text. Raises UsageError, which names file, line and key."""
    import tomllib  # with difflib 9 ms that a command without a configuration saves

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where} is not TOML: {error}") from error
    configwords.known_keys(table, Settings, "", text, where)
    try:
        settings = msgspec.convert(table, Settings)
    except msgspec.ValidationError as error:
        raise UsageError(configwords.explained(str(error), text, where, MEANT)) from error
    receivers.check(settings.receivers, where)
    if problem := disksettings.check(settings.disks):
        raise UsageError(f"{where}: disks: {problem}")
    syncsettings.check(settings.sync, where)
    metricsettings.check(settings.metrics, where)
    _check_public(settings, where)
    for number, run in enumerate(settings.runs):
        _check_backups(run.checkpoints, f"{where}: runs[{number}].checkpoints")
    return settings


def _check_public(settings: Settings, where: str) -> None:
    """Raise UsageError for a route that sends the page of a run that has none."""
    off = {run.name for run in settings.runs if run.name and not run.public.enabled}
    for number, route in enumerate(settings.sync):
        if route.public in off:
            raise UsageError(
                f"{where}: sync[{number}].public: the run '{route.public}' writes no page; set "
                "enabled = true in its [runs.public]"
            )


def _check_backups(settings: CheckpointSettings, at: str) -> None:
    """Raise UsageError for a place that cannot be one."""
    for number, one in enumerate(settings.backups):
        key = f"{at}.backups[{number}]"
        if not one.wants:
            raise UsageError(f"{key}: it wants no checkpoint: set every, newest or milestones")
        check_backup_place(one.to, f"{key}.to")


def default_path() -> Path | None:
    """The configuration to use without --config: TRAINWATCH_CONFIG, ./trainwatch.toml, the user's."""
    named = os.environ.get("TRAINWATCH_CONFIG")
    if named:
        return Path(named)
    return next((path for path in usual_paths() if path.is_file()), None)


def usual_paths() -> tuple[Path, ...]:
    """Where a configuration is looked for that nobody named."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return (Path("trainwatch.toml"), home / "trainwatch" / "config.toml")


def state_dir(settings: Settings, named: Path | None) -> Path:
    """Where state is kept: as `named` on the command line, else as configured, else by default."""
    configured = Path(settings.state_dir).expanduser() if settings.state_dir else None
    return named or configured or default_state_dir()


def default_state_dir() -> Path:
    """Where state is kept without one configured."""
    named = os.environ.get("TRAINWATCH_STATE_DIR")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "trainwatch"
