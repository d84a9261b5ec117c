"""The verdict over all checks: the worst counts, what is unknown is neither ok nor wrong."""

import pytest

from trainwatch.core.doctor.check import Check, Verdict, exit_code, report, tellable, troubles


def check(verdict: Verdict, group: str = "run a", name: str = "log") -> Check:
    return Check(group=group, name=name, verdict=verdict, saw="seen")


CODES: dict[str, tuple[list[Check], str, int]] = {
    "nothing": ([], "ok", 0),
    "all well": ([check("ok"), check("ok")], "ok", 0),
    "a warning is no failure": ([check("ok"), check("warning")], "warning", 0),
    "unknown": ([check("warning"), check("unknown")], "unknown", 3),
    "wrong": ([check("unknown"), check("wrong"), check("ok")], "wrong", 1),
    "the configuration": ([check("wrong", "configuration"), check("wrong")], "wrong", 2),
    "a warning of the configuration": ([check("warning", "configuration")], "warning", 0),
}


@pytest.mark.parametrize("name", CODES)
def test_the_worst_counts(name: str) -> None:
    checks, verdict, code = CODES[name]
    assert (report(checks).verdict, exit_code(checks)) == (verdict, code)


def test_what_is_wrong_comes_first_else_in_order() -> None:
    some = [
        check("ok"),
        check("warning"),
        check("unknown"),
        check("wrong", name="b"),
        check("wrong"),
    ]
    assert [one.name + one.verdict for one in troubles(some)] == [
        "bwrong",
        "logwrong",
        "logunknown",
        "logwarning",
    ]


def test_secrets_and_odd_bytes_do_not_leave() -> None:
    odd = Check(
        group="g", name="x\udcff", verdict="ok", saw="token=hf_abcdefghijklmnop", do="s3://u:p@h/b"
    )
    told = tellable(odd)
    assert (told.name, told.saw, told.do) == ("x�", "token=***", "s3://***@h/b")
