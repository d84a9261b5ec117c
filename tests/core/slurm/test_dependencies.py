"""Dependencies as the scheduler prints them, in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.slurm.dependencies import Link, in_words, links

CASES = {
    "": "",
    "(null)": "",
    "afterany:682842_*(unfulfilled)": "starts after 682842 ends",
    "afterok:7_3(unfulfilled)": "starts after 7_3 succeeds",
    "afternotok:7(failed)": "starts after 7 fails",
    "aftercorr:7_*(unfulfilled)": "starts after 7 succeeds, task by task",
    "after:7+5(unfulfilled)": "starts after 7 begins",
    "singleton(unfulfilled)": "starts after all others of its name and user",
    "afterok:7(unfulfilled),afterany:8(unfulfilled)": "starts after 7 succeeds and after 8 ends",
    "afterok:7?afterany:8": "starts after 7 succeeds or after 8 ends",
    "afterok:7:8:9": "starts after 7 succeeds and after 8 succeeds and 1 more",
    "afterok:7,afterok:7": "starts after 7 succeeds",
    "afterburstbuffer:7": "starts after 7 has staged out its data",
    "afterwards:7": "starts after 7 allows it",
    "\x1b[31m": "",
}


@pytest.mark.parametrize(("text", "said"), CASES.items())
def test_in_words(text: str, said: str) -> None:
    assert in_words(text) == said


def test_links() -> None:
    assert links("after:7_3+5(unfulfilled),singleton") == (Link("after", "7_3"), Link("singleton"))
    assert Link("afterok", "7_3").array == "7"
    assert len(links("afterok" + ":7" * 9000)) == 50


@given(st.text() | st.text("after:k0_*,?()+singleton"))
def test_any_text(text: str) -> None:
    assert in_words(text).isprintable()
