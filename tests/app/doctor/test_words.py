"""The checks as people read them: text only, whatever names say."""

from trainwatch.app.doctor import words
from trainwatch.core.doctor.check import Check

OK = Check(group="run a", name="log", verdict="ok", saw="/log, 3 iterations")
FAR = Check(group="run größe", name="log", verdict="ok", saw="/größe/" + 600 * "x", do="…")
WRONG = Check(group="run a", name="disk", verdict="wrong", saw="full", do="make room")
HOSTILE = Check(
    group="run [/bold]", name="\x1b[31mx\n", verdict="unknown", saw="a\x1b]0;t\x07b", do="\r\nok"
)


def text(*checks: Check, unicode: bool = True) -> list[str]:
    return [line.text for line in words.lines(checks, unicode=unicode)]


def test_each_has_a_line_and_what_is_amiss_comes_again() -> None:
    assert text(OK, WRONG) == [
        "run a",
        "  ✓ ok      log                      /log, 3 iterations",
        "  ✗ wrong   disk                     full",
        "",
        "1 of 2 checks to look at",
        "  ✗ wrong   run a: disk              full",
        "             → make room",
    ]


def test_without_unicode_and_without_trouble() -> None:
    lines = text(OK, unicode=False)
    assert lines[-1] == "all is well: 1 check"
    assert all(line.isascii() for line in [*lines, *text(WRONG, HOSTILE, FAR, unicode=False)])


def test_foreign_text_stays_text() -> None:
    lines = text(HOSTILE)
    assert all(line.isprintable() for line in lines)
    assert lines[0] == "run [/bold]"
    assert len(lines) == 6


def test_what_is_coloured_is_the_mark_alone() -> None:
    (line,) = [one for one in words.lines([OK], unicode=True) if one.verdict]
    assert line.text[: line.marked].strip() == "✓ ok"
