"""Which backups are due, in what order; what is a backup of what; which manifests are believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.core.checkpoints.making import DAY_S, NOW, deepspeed
from trainwatch.core import backups, retention
from trainwatch.core.backups import Purge
from trainwatch.core.checkpoints.survey import Survey
from trainwatch.core.model.backups import Content, Head, Item, Manifest, Wish
from trainwatch.core.model.policies import Policy
from trainwatch.core.retention import Pinned, Safe

TENS = {n: (30 - n / 10) * DAY_S for n in range(10, 210, 10)}  # 10, 20 ... 200, a day apart
HASH = "0" * 64


def head(seen: Survey, name: str, content: Content = "whole", made_at: float = NOW) -> Head:
    one = next(each for each in seen.found if each.name == name)
    return Head(
        label=backups.label(name, content, ()),
        checkpoint=name,
        iteration=one.iteration,
        run="tr",
        content=content,
        format="files",
        made_at=made_at,
        trainwatch="0",
        origins=(backups.origin(one.contents),),
        bytes=one.contents.bytes,
    )


def due(seen: Survey, *wishes: Wish, purge: Purge | None = None) -> list[tuple[int, int]]:
    made = backups.plan("/root", seen, wishes, purge)
    return [(row.iteration, row.place) for row in made.due]


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        (Policy(), []),
        (Policy(last=1), [200]),
        (Policy(last=3), [200, 190, 180]),
        (Policy(every=100), [200, 100]),
        (Policy(steps=(30, 35)), [30]),
        (Policy(last=1, every=50, steps=(30,)), [200, 150, 100, 50, 30]),
    ],
)
def test_what_is_due_is_made_newest_first(policy: Policy, wanted: list[int]) -> None:
    seen = deepspeed(TENS, latest=200)
    assert due(seen, Wish(place="/kept", policy=policy)) == [(n, 0) for n in wanted]


def test_what_is_about_to_be_purged_goes_before_all_the_soonest_first() -> None:
    seen = deepspeed(TENS, latest=200)  # 30 was not read for 27 days, 60 for 24
    wish = Wish(place="/kept", policy=Policy(last=1, steps=(30, 60, 150)))
    purge = Purge(after_days=30.0, warn_days=7.0)
    assert due(seen, wish, purge=purge) == [(30, 0), (60, 0), (200, 0), (150, 0)]
    rows = backups.plan("/root", seen, (wish,), purge).rows
    near = {row.iteration: row.purged_in_s for row in rows}
    assert near == {30: 3 * DAY_S, 60: 6 * DAY_S, 150: None, 200: None}


def test_each_place_has_its_own_and_says_why() -> None:
    seen = deepspeed(TENS, latest=200)
    first = Wish(
        place="/a", policy=Policy(last=1, every=100), there=(head(seen, "global_step200"),)
    )
    second = Wish(place="/b", policy=Policy(every=100), content="weights")
    made = backups.plan("/root", seen, (first, second))
    assert [(row.iteration, row.to, row.label, row.bytes) for row in made.rows] == [
        (100, "/a", "", 2000),
        (100, "/b", "", 1000),
        (200, "/a", "global_step200", 2000),
        (200, "/b", "", 1000),
    ]
    assert made.rows[2].why == ("one of the last 1", "every 100")
    assert [(row.iteration, row.to) for row in made.due] == [(200, "/b"), (100, "/a"), (100, "/b")]
    assert made.due_bytes == 4000


def test_a_place_that_cannot_be_asked_has_nothing_due_and_the_others_go_on() -> None:
    seen = deepspeed(TENS, latest=200)
    dark = Wish(place="/a", policy=Policy(last=1), unknown="/a does not exist (is it mounted?)")
    made = backups.plan("/root", seen, (dark, Wish(place="/b", policy=Policy(last=1))))
    assert [(row.to) for row in made.due] == ["/b"]
    assert "it is not known what is backed up: /a does not exist" in made.refused[0]


def test_by_name_whatever_the_policy_says_but_never_a_half_written_one() -> None:
    seen = deepspeed(TENS, latest=200, half=frozenset({50}))
    wish = Wish(place="/a", policy=Policy())
    made = backups.plan("/root", seen, (wish,), only=("global_step30", "global_step50", "--x\n"))
    assert [(row.name, row.why) for row in made.due] == [("global_step30", ("asked for by name",))]
    assert made.refused[0] == "no checkpoint here is called --x "
    assert made.refused[1].startswith("global_step50 is unknown: nothing proves")


def test_a_half_written_one_is_never_due() -> None:
    seen = deepspeed(TENS | {210: 60.0}, latest=200)
    assert seen.found[-1].state == "writing"
    assert due(seen, Wish(place="/a", policy=Policy(last=1, steps=(210,)))) == [(200, 0)]


@pytest.mark.parametrize(
    ("wanted", "made", "counts"),
    [
        ("whole", "whole", True),
        ("weights", "weights", True),
        ("weights", "whole", True),
        ("whole", "weights", False),
    ],
)
def test_a_whole_one_has_the_weights_and_not_the_other_way(
    wanted: Content, made: Content, counts: bool
) -> None:
    seen = deepspeed(TENS, latest=200)
    there = (head(seen, "global_step200", made),)
    wish = Wish(place="/a", policy=Policy(last=1), content=wanted, there=there)
    assert backups.backed_up(seen, wish) == (frozenset({"global_step200"}) if counts else set())


def test_another_checkpoint_of_the_same_name_is_not_backed_up() -> None:
    """After a rollback: the same name, files and sizes, written at another time."""
    there = (head(deepspeed(TENS, latest=200), "global_step100"),)
    anew = deepspeed(TENS | {100: 60.0}, latest=200)
    wish = Wish(place="/a", policy=Policy(every=100), there=there)
    assert backups.backed_up(anew, wish) == frozenset()
    assert due(anew, wish) == [(200, 0), (100, 0)]


def test_names_at_the_other_side() -> None:
    assert backups.label("global_step1", "whole", ()) == "global_step1"
    assert backups.label("global_step1", "weights", ()) == "global_step1-weights"
    taken = {"global_step1", "global_step1.2"}
    assert backups.label("global_step1", "whole", taken) == "global_step1.3"


def test_which_backup_a_person_means() -> None:
    seen = deepspeed(TENS, latest=200)
    light, old = head(seen, "global_step100", "weights"), head(seen, "global_step100", made_at=1.0)
    new = replace(old, label="global_step100.2", made_at=2.0)
    assert backups.named([light, old, new], "global_step100-weights") == [light]
    assert backups.named([light, old, new], "global_step100.2") == [new]
    assert backups.named([light, old, new], "global_step100") == [old]
    assert backups.named([light, new], "global_step100") == [new, light]
    assert backups.named([light], "global_step1") == []


def manifest(*names: str, label: str = "a", checkpoint: str = "global_step10") -> Manifest:
    there = replace(
        head(deepspeed(TENS, latest=200), "global_step10"), label=label, checkpoint=checkpoint
    )
    return Manifest(head=there, files=tuple(Item(name=n, bytes=1, sha256=HASH) for n in names))


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (manifest("x.pt", "deep/y.pt", "--delete", "é b"), ""),
        (manifest("../x.pt"), "leads out of its folder"),
        (manifest("deep/../../x.pt"), "leads out of its folder"),
        (manifest("/etc/passwd"), "leads out of its folder"),
        (manifest("x//y"), "leads out of its folder"),
        (manifest("a\nb"), "holds control characters"),
        (manifest("\udcff"), "holds control characters"),
        (manifest("x.pt", checkpoint="../global_step10"), "leads out of its folder"),
        (manifest("x.pt", checkpoint="a/global_step10"), "no plain name"),
        (manifest("x.pt", label="b"), "it speaks of b"),
        (manifest(), "names no file"),
        (manifest("x.pt", "x.pt"), "one twice"),
        (replace(manifest("x.pt"), schema_version=2), "of a newer trainwatch"),
        (replace(manifest("x"), files=(Item(name="x", bytes=1, sha256="-"),)), "checksum"),
        (replace(manifest("x"), files=(Item(name="x", bytes=-1, sha256=HASH),)), "checksum"),
        (replace(manifest("x"), archive=Item(name="t", bytes=1, sha256=HASH)), "how it is packed"),
    ],
)
def test_a_manifest_that_leads_elsewhere_is_not_believed(found: Manifest, why: str) -> None:
    said = backups.untrusted(found, "a")
    assert bool(said) == bool(why)
    assert why in said


policies = st.builds(
    Policy,
    last=st.none() | st.integers(1, 9),
    every=st.none() | st.integers(1, 50),
    steps=st.lists(st.integers(0, 210), max_size=3).map(tuple),
)


@given(
    st.dictionaries(st.integers(0, 210), st.floats(0, 40 * DAY_S), min_size=1, max_size=15),
    st.lists(policies, min_size=1, max_size=2),
    st.data(),
)
def test_what_is_wanted_is_there_or_due_or_unknown_and_retention_keeps_what_is_not_there(
    ages: dict[int, float], wanted: list[Policy], data: st.DataObject
) -> None:
    seen = deepspeed(ages, latest=data.draw(st.sampled_from(sorted(ages))))
    names = [one.name for one in seen.found]
    saved = [data.draw(st.sets(st.sampled_from(names))) for _ in wanted]
    wishes = [
        Wish(place=str(n), policy=each, there=tuple(head(seen, name) for name in sorted(there)))
        for n, (each, there) in enumerate(zip(wanted, saved, strict=True))
    ]
    made = backups.plan("/root", seen, wishes)
    due_ = {(row.name, row.place) for row in made.due}
    for number, (policy, there) in enumerate(zip(wanted, saved, strict=True)):
        for name in retention.wanted(seen, policy):
            assert ((name, number) in due_) == (name not in there)
    places = tuple(
        Safe(place=wish.place, wanted=wish.policy, backed_up=backups.backed_up(seen, wish))
        for wish in wishes
    )
    pruned = retention.plan("/root", seen, Policy(last=2), Pinned(backups=places))
    gone, stays = {one.name for one in pruned.remove}, {one.name for one in pruned.keep}
    assert (gone | stays, gone & stays) == (set(names), set())
    assert not gone & {name for name, _ in due_}
