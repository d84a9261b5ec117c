"""Rules of learning: NaN, overflows, surges of the gradient norm, spikes of the loss."""

from tests.core.judging import Judged
from tests.core.logs.making import iteration


def test_one_nan_is_a_warning_three_are_critical_and_it_is_over_after_five_good_ones() -> None:
    run = Judged().train(1, 40)
    run.train(41, 42, line=lambda n: iteration(n, loss="nan"))
    assert [c.severity for c in run.changes if c.rule == "loss-nan"] == ["warning"]
    run.train(43, 45, line=lambda n: iteration(n, loss="nan"))
    assert [c.severity for c in run.changes if c.rule == "loss-nan"] == ["warning", "critical"]
    run.train(46, 48)
    assert run.fires("loss-nan")
    run.train(49, 60)
    assert run.told("loss-nan") == ["firing", "firing", "resolved"]


def test_of_ten_iterations_no_more_than_ten_were_nan() -> None:
    run = Judged().train(1, 40)
    run.train(41, 70, line=lambda n: iteration(n, loss="nan")).wait(60.0)
    (alarm,) = [one for one in run.memory.book.alarms if one.finding.rule == "loss-nan"]
    assert alarm.finding.summary == "the loss was NaN in 10 of the last 10 iterations"


def test_overflows_in_a_streak_but_not_while_the_scale_is_looked_for() -> None:
    def skipped(number: int) -> str:
        return iteration(number, skipped=1, loss=None)

    run = Judged().train(1, 15, line=skipped).train(16, 60)
    assert run.told("overflow-streak") == []
    run.train(61, 64, line=skipped)
    assert run.fires("overflow-streak")
    run.train(65, 80)
    assert run.told("overflow-streak") == ["firing", "resolved"]


def test_a_surge_is_told_with_its_own_iteration() -> None:
    run = Judged().train(1, 40)
    run.train(41, 41, line=lambda n: iteration(n, grad_norm="11.3"))
    assert run.fires("grad-norm-surge")
    assert run.changes[-1].iteration == 41


def test_a_spike_informs_and_warns_when_it_does_not_heal() -> None:
    run = Judged().train(1, 60)
    run.train(61, 100, line=lambda n: iteration(n, loss="1.6E+01"))
    assert [c.severity for c in run.changes] == ["info"]
    run.train(101, 165, line=lambda n: iteration(n, loss="1.6E+01"))
    assert [c.severity for c in run.changes if c.rule == "loss-spike"][-1] == "warning"
    run.train(166, 180)
    assert not run.fires("loss-spike")
