"""All that is known of one alert, silence or change: over the screen, until it is closed.

The trap: evidence is lines of a log, as long and as hostile as they come.
"""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from trainwatch.app import alerting, words
from trainwatch.app.tui.header import HEALTH
from trainwatch.app.tui.keys import ALERTS
from trainwatch.app.tui.page import Page
from trainwatch.app.tui.text import age, foreign, lines
from trainwatch.core.journal import severity_of
from trainwatch.core.model.alerts import Alarm, Book, Muted
from trainwatch.core.model.state import Event
from trainwatch.core.telling import since_of

_LONGEST = 2000  # characters of one text
_NAME = 10  # columns
_ABOVE = {"info": ("·", "INFO", "quiet")}


class Evidence(Page):
    """Answers with what the key that closed it does; None for just closing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key.keys, f"dismiss('{key.action}')", key.says, show=False)
        for key in ALERTS
        if key.action != "choose"
    ]


def told(entry: Alarm | Muted | Event, book: Book, now: float) -> Content:
    """The page: a heading, a sentence, what is known by name, the evidence, what to do."""
    match entry:
        case Alarm():
            return _alarm(entry, book, now)
        case Muted():
            return _paragraphs([_text(alerting.muted_text(entry, now))], "u unmute")
    return _event(entry, now)


def _alarm(alarm: Alarm, book: Book, now: float) -> Content:
    finding = alarm.finding
    facts = [
        _fact("since", _time(since_of(alarm, now), now)),
        _fact("noticed", _time(alarm.noticed_at, now)),
        _fact(
            "fired", "not yet: pending" if alarm.fired_at is None else _time(alarm.fired_at, now)
        ),
        _fact("told", _told(alarm, now)),
        _fact("iteration", "" if finding.iteration is None else f"{finding.iteration:,}"),
        _fact("cost", finding.cost),
        *(
            _fact("muted", alerting.muted_text(muted, now))
            for muted in alerting.mutes_of(alarm, book)
        ),
    ]
    return _paragraphs(
        [
            _heading(alarm.severity, f"{finding.rule} {finding.key}"),
            _text(finding.summary),
            lines([fact for fact in facts if fact is not None]),
            _part("evidence", finding.evidence),
            _part("what to do", (finding.advice,) if finding.advice else ()),
        ],
        "a acknowledge   s silence   u unmute",
    )


def _event(event: Event, now: float) -> Content:
    iteration = "" if event.iteration is None else f"{event.iteration:,}"
    change = event.kind.removeprefix("alert-")
    facts = [_fact(change, _time(event.at, now)), _fact("iteration", iteration)]
    heading = _heading(severity_of(event), event.text.partition(": ")[0].partition(" ")[2])
    summary = _text(event.text.partition(": ")[2])
    return _paragraphs([heading, summary, lines([f for f in facts if f is not None])], "")


def _paragraphs(parts: list[Content], keys: str) -> Content:
    keys = f"{keys}   Esc close".strip()
    shown = [part for part in parts if part.plain]
    return Content("\n\n").join([*shown, Content.styled(keys, "$quiet")])


def _heading(severity: str, name: str) -> Content:
    sign, word, colour = {**HEALTH, **_ABOVE}.get(severity, HEALTH["unknown"])
    badge = Content.styled(f" {sign} {word} ", f"bold $on-badge on ${colour}")
    return badge + "  " + foreign(name.strip()[:_LONGEST], None, "bold")


def _fact(name: str, text: str) -> Content | None:
    return Content.styled(f"{name:<{_NAME}}", "$quiet") + _text(text) if text else None


def _part(heading: str, texts: tuple[str, ...]) -> Content:
    if not texts:
        return Content("")
    return lines([Content.styled(heading, "$quiet"), *(_text(text) for text in texts)])


def _text(text: str) -> Content:
    return foreign(text[:_LONGEST])


def _time(at: float | None, now: float) -> str:
    return "" if at is None else f"{words.when(at, now)}, {age(now - at)} ago"


def _told(alarm: Alarm, now: float) -> str:
    if alarm.told_at is not None and alarm.told is not None:
        return _time(alarm.told_at, now)
    return f"nobody: {alarm.withheld}" if alarm.withheld else ""
