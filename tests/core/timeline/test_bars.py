"""Progress bars number the records beside them; a bar that begins anew is a restart, or none."""

from tests.core.folding import Run
from tests.core.timeline.logged import hf


def test_the_bar_says_which_iteration_it_is() -> None:
    run = Run([line for n in (10, 20, 30) for line in hf(n, n)])
    assert run.iterations() == [10, 20, 30]
    assert run.state.bar is not None
    assert (run.state.bar.done, run.state.bar.total) == (30, 160)


def test_without_a_bar_records_are_counted() -> None:
    assert Run(hf(1, 4, bars=False)).iterations() == [1, 2, 3, 4]


def test_without_a_bar_the_epoch_says_which_iteration_it_is() -> None:
    head = ["***** Running training *****", "  Num Epochs = 2", "  Total optimization steps = 160"]
    log = [*head, *(line for n in (10, 20, 30) for line in hf(n, n, bars=False))]
    assert Run(log).iterations() == [10, 20, 30]


def test_an_evaluation_bar_is_no_progress() -> None:
    evaluation = [f"{n * 2}%|▎  | {n}/50 [00:0{n // 10}<00:10,  9.00it/s]" for n in (1, 25, 50)]
    run = Run([*hf(1, 10), *evaluation, *hf(11, 12)])
    assert run.iterations() == list(range(1, 13))
    middle = Run([*hf(1, 10), *evaluation])
    assert middle.state.bar is not None
    assert (middle.state.bar.done, middle.state.bar.total) == (10, 160)
    assert middle.status().iteration == 10


def test_a_bar_over_something_else_before_training_gives_way() -> None:
    before = ["100%|███| 37/37 [00:12<00:00,  2.9it/s]"]
    assert Run([*before, *hf(1, 5)]).iterations() == [1, 2, 3, 4, 5]


def test_a_bar_that_begins_anew_is_a_restart() -> None:
    run = Run([*hf(70, 75), *hf(1, 5)])
    assert run.attempts_of_iterations() == [0] * 6 + [1] * 5
    assert run.iterations() == [70, 71, 72, 73, 74, 75, 1, 2, 3, 4, 5]


def test_a_bar_that_a_launcher_held_back_to_its_end_is_no_restart() -> None:
    """Each node's bar in one piece, after those of the others: a restart would announce itself."""
    bar = "\r".join(f"{n * 6}%|▎  | {n}/16 [{n:02d}:00<01:00, 60.00s/it]" for n in range(17))
    begun = ["***** Running training *****"] * 4
    run = Run([*begun, bar, bar, bar])
    assert len(run.attempts) == 1
    assert run.status().iteration == 16
    assert len(run.read([*begun, bar]).attempts) == 2


def test_bars_of_several_ranks_are_one() -> None:
    lines = [line for n in range(70, 80) for line in (hf(n, n)[0], hf(n - 1, n - 1)[0])]
    run = Run(lines)
    assert len(run.attempts) == 1
    assert run.state.bar is not None
    assert run.state.bar.done == 79


def test_a_bar_of_the_second_epoch_goes_on() -> None:
    bars = [
        f"Epoch {epoch}:  50%|██▌   | {n}/40 [00:{n:02d}<00:20,  1.00it/s, v_num=1]"
        for epoch in (0, 1, 2)
        for n in range(10, 41, 10)
    ]
    run = Run(bars)
    assert len(run.attempts) == 1
    assert run.state.bar is not None
    assert run.state.bar.done == 120
    assert run.status().iteration == 120
