"""The table of rules: complete, without circles, and set by configuration that is checked."""

import msgspec
import pytest

from trainwatch.app import config
from trainwatch.core.errors import UsageError
from trainwatch.core.rules.settings import AlertSettings
from trainwatch.core.rules.table import RULES, terms_of

PROMISED = [
    "stall",
    "crash",
    "crash-loop",
    "throughput-drop",
    "slow-node",
    "loss-nan",
    "loss-spike",
    "grad-norm-surge",
    "overflow-streak",
    "lr-jump",
    "resume-mismatch",
    "config-mismatch",
    "checkpoint-overdue",
    "checkpoint-incomplete",
    "checkpoint-size",
    "purge-risk",
    "round-done",
    "disk-full",
    "no-successor",
    "not-queued",
    "job-held",
    "pending-long",
    "time-limit-margin",
    "kill-switch",
    "log-flood",
    "sync-late",
    "script-failed",
    "blind",
    "watcher-down",
]
# watcher-down is told by views, as nobody else can
ELSEWHERE = {"watcher-down"}


def test_every_promised_rule_is_there() -> None:
    assert {rule.name for rule in RULES} == set(PROMISED) - ELSEWHERE
    assert len(RULES) == len({rule.name for rule in RULES})


def test_every_setting_belongs_to_a_rule() -> None:
    fields = {name.replace("_", "-") for name in AlertSettings.__struct_fields__}
    assert fields - {"watcher-down", "patterns"} == {rule.name for rule in RULES}


def test_rules_do_not_inhibit_each_other_in_a_circle() -> None:
    causes = {rule.name: rule.inhibited_by for rule in RULES}

    def of(name: str, seen: tuple[str, ...]) -> None:
        assert name not in seen, seen
        for cause in causes[name]:
            of(cause, (*seen, name))

    for name in causes:
        of(name, ())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_is_told_and_can_be_switched_off(rule: object) -> None:
    rule = next(each for each in RULES if each is rule)
    assert rule.summary.endswith(".")
    assert terms_of(AlertSettings())[rule.name].severity == rule.severity
    off = config.parse(f"[alerts.{rule.name}]\nenabled = false").alerts
    assert rule.name not in terms_of(off)
    worse = config.parse(f'[alerts.{rule.name}]\nseverity = "critical"\nhold_min = 5').alerts
    assert terms_of(worse)[rule.name].severity == "critical"
    assert terms_of(worse)[rule.name].hold_s == 300.0


def test_a_repeat_of_nothing_is_never() -> None:
    terms = terms_of(config.parse("[alerts.stall]\nrepeat_h = 0").alerts)
    assert terms["stall"].repeat_s is None


WRONG = {
    "a share as per cent": ("throughput-drop", "least_drop = 3", "least_drop"),
    "a negative time": ("stall", "train_min = -1", "train_min"),
    "seconds for minutes": ("stall", "startup_min = 3600", "startup_min"),
    "an endless repeat": ("crash", "repeat_h = 10000", "repeat_h"),
    "no severity": ("crash", 'severity = "fatal"', "severity"),
    "half an iteration": ("loss-nan", "in_a_row = 2.5", "in_a_row"),
    "more than can be": ("overflow-streak", "in_five = 6", "in_five"),
    "a save interval that is none": ("checkpoint-overdue", "intervals = 1", "intervals"),
    "text": ("blind", 'after_min = "25"', "after_min"),
    "yes": ("blind", 'enabled = "yes"', "enabled"),
}


@pytest.mark.parametrize(("rule", "line", "key"), WRONG.values(), ids=WRONG)
def test_what_is_out_of_range_is_named(rule: str, line: str, key: str) -> None:
    with pytest.raises(UsageError) as raised:
        config.parse(f"[alerts.{rule}]\n{line}")
    assert f"alerts.{rule}.{key}" in str(raised.value)
    assert "line 2" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("[alerts.throughput-dorp]\nenabled = false", "throughput-drop"),
        ("[alerts.loss_nan]\nenabled = false", "loss-nan"),
        ("[alerts.stall]\ntrain_minutes = 3", "train_min"),
    ],
)
def test_what_nobody_knows_is_answered_with_the_nearest(text: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"Did you mean '{near}'"):
        config.parse(text)


def test_defaults_are_what_is_documented() -> None:
    stall = AlertSettings().stall
    assert (stall.train_iterations, stall.train_min, stall.evaluate_min, stall.startup_min) == (
        10,
        15.0,
        30.0,
        60.0,
    )
    assert msgspec.convert({}, AlertSettings) == AlertSettings()
