"""What an alert says of the deeds that were done about it: the folder of the evidence, what was cancelled."""

from msgspec.structs import replace

from trainwatch.core.model.alerts import Finding
from trainwatch.core.model.observations import DeedReading
from trainwatch.core.senses.deeds import DeedSense
from trainwatch.core.words import clean

_WORDS = {
    "evidence": "collected evidence",
    "cancel": "cancelled job {}",
    "hold": "held array {}",
    "resubmit": "submitted the next job",
}
_TRIED = {
    "begun": "is at it: ",
    "unknown": "may have, which nobody heard: ",
    "refused": "was refused: ",
    "failed": "failed: ",
}


def with_deeds(finding: Finding, deeds: DeedSense) -> Finding:
    """The finding with what our hands did since the trouble began, and when they last did."""
    since = finding.since
    if not deeds.done or since is None:
        return finding
    about = [
        deed
        for deed in deeds.done
        if deed.rule == finding.rule
        and deed.at >= since
        and deed.outcome not in ("planned", "not-done")
    ]
    if not about:
        return finding
    told = " ".join(f"trainwatch {in_words(deed)}." for deed in about)
    ended = [deed.at for deed in about if deed.outcome != "begun"]
    return replace(
        finding,
        advice=f"{told} {finding.advice}".strip(),
        acted_at=max(ended, default=None),
        labels={**finding.labels, **_labels(about)},
    )


def in_words(deed: DeedReading) -> str:
    """What was done, without a subject: `cancelled job 7_1; next: --exclude=n17`."""
    words = _TRIED.get(deed.outcome, "") + _WORDS[deed.hand].format(", ".join(deed.jobs))
    if deed.detail:
        words += f" ({clean(deed.detail, 200)})"
    if deed.folder:
        words += f" in {clean(deed.folder, 400)}"
    return words + (f"; for the next: --exclude={deed.exclude}" if deed.exclude else "")


def _labels(about: list[DeedReading]) -> dict[str, str]:
    folders = [deed.folder for deed in about if deed.folder and deed.outcome == "done"]
    return {"evidence": folders[-1]} if folders else {}
