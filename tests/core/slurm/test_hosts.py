"""Lists of nodes, there and back; and none that explodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.slurm.hosts import MOST, expand, fold, in_order

LISTS = [
    ("", []),
    ("login1", ["login1"]),
    ("login", ["login"]),
    ("n[1-3]", ["n1", "n2", "n3"]),
    ("n[08-11]", ["n08", "n09", "n10", "n11"]),
    ("n[8-11]", ["n8", "n9", "n10", "n11"]),
    ("n[098-101]", ["n098", "n099", "n100", "n101"]),
    ("n[1,7,9-10],m[3]", ["n1", "n7", "n9", "n10", "m3"]),
    ("r[1-2]i0n[00-01]", ["r1i0n00", "r1i0n01", "r2i0n00", "r2i0n01"]),
    ("n[1-2]-ib,login1", ["n1-ib", "n2-ib", "login1"]),
    ("[1-2]", ["1", "2"]),
]


@pytest.mark.parametrize(("text", "names"), LISTS)
def test_a_list_is_names(text: str, names: list[str]) -> None:
    assert expand(text) == tuple(names)
    assert expand(fold(names)) == tuple(names)


HOSTILE = [
    "n[0-999999999]",
    "n[0-99999999999999999999]",
    "n[1-60000]m[1-2]",
    "n[0-99][0-99][0-99][0-99]",
    "n[1-60000],m[1-60000]",
    "n[3-1]",
    "n[1-]",
    "n[]",
    "n[a-b]",
    "n[1",
    "n1]",
    "n[[1]]",
    "a,,b",
    ",",
    "a b",
    "n[1 -2]",
    "x" * 5_000_000,
    ",".join(["n[0-65000]"] * 50),
    "n" + "[0-65000]" * 100_000,
    "n" + "[0-1]" * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:20])
def test_what_is_no_list(text: str) -> None:
    with pytest.raises(ValueError, match=r"node|list"):
        expand(text)


def test_the_largest_list() -> None:
    assert len(expand(f"n[1-{MOST}]")) == MOST
    with pytest.raises(ValueError, match="range"):
        expand(f"n[0-{MOST}]")


FOLDED = [
    ([], ""),
    (["n2", "n1"], "n[2,1]"),
    (["n1", "n2", "n4", "m1"], "n[1-2,4],m1"),
    (["n09", "n10"], "n[09-10]"),
    (["n9", "n10"], "n[9-10]"),
    (["n9", "n010"], "n[9,010]"),
    (["r1i0n0", "r1i0n1", "r1i1n0"], "r1i0n[0-1],r1i1n0"),
    (["login", "login"], "login,login"),
    (["n12345678901"], "n12345678901"),
]


@pytest.mark.parametrize(("names", "text"), FOLDED)
def test_names_are_a_list(names: list[str], text: str) -> None:
    assert fold(names) == text


@pytest.mark.parametrize("name", ["", "a,b", "a b", "n[1]", "a\n"])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        fold([name])


def test_in_order() -> None:
    assert in_order(["n10", "n2", "n2", "a1"]) == ["a1", "n2", "n10"]
    assert fold(in_order(f"n{i}" for i in range(20, 0, -1))) == "n[1-20]"


names = st.one_of(
    st.from_regex(r"[a-z]{0,2}[0-9]{1,3}[a-z]?", fullmatch=True),
    st.from_regex(r"[^\[\],\s]{1,6}", fullmatch=True),
)


@given(st.lists(names, max_size=30))
def test_there_and_back(some: list[str]) -> None:
    assert expand(fold(some)) == tuple(some)
    assert set(in_order(some)) == set(some)


@given(st.text(alphabet="n019-[], \n", max_size=30))
def test_any_text(text: str) -> None:
    try:
        found = expand(text)
    except ValueError:
        return
    assert len(found) <= MOST
    assert expand(fold(found)) == found
