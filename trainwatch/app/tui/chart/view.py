"""Which part of the axis is in view: a value, and how zooming and panning change it. Pure.

All is told in what the axis counts: iterations, tokens or seconds.
"""

from typing import NamedTuple

LEAST_SPAN = 8.0  # iterations, or as much of another axis; nothing is to be seen in less


class View(NamedTuple):
    """A `span` up to `end`. Without a span all there is, without an end up to the newest."""

    span: float | None = None
    end: float | None = None

    def range(self, first: float, last: float) -> tuple[float, float]:
        """The first and the last place in view."""
        if self.span is None:
            return first, max(last, first + 1)
        end = last if self.end is None else self.end
        return end - self.span, end


WHOLE = View()


def zoomed(
    view: View,
    factor: float,
    at: float | None,
    first: float,
    last: float,
    least: float = LEAST_SPAN,
) -> View:
    """So many times closer around `at` (else the newest where that is in view, else the middle)."""
    left, right = view.range(first, last)
    if not left < right:  # so large that no float lies between
        return WHOLE
    if at is None or not left <= at <= right:
        at = right if view.end is None else (left + right) / 2
    span = max(least, (right - left) / factor)
    share = (at - left) / (right - left)
    return _placed(span, at + (1 - share) * span, first, last)


def panned(view: View, share: float, first: float, last: float) -> View:
    """Moved by a share of what is in view; positive is later."""
    left, right = view.range(first, last)
    return _placed(right - left, right + share * (right - left), first, last)


def moved_to(view: View, at: float, first: float, last: float) -> View:
    """Moved just so far that `at` is in view."""
    left, right = view.range(first, last)
    if left <= at <= right:
        return view
    return _placed(right - left, at if at > right else at + (right - left), first, last)


def between(
    begin: float, end: float | None, first: float, last: float, least: float = LEAST_SPAN
) -> View:
    """From `begin` to `end`, or up to the newest; at least so many that there is something to be seen."""
    right = last if end is None else end
    span = max(least, right - begin)
    middle = (begin + right) / 2
    return _placed(span, last if end is None else max(right, middle + span / 2), first, last)


def _placed(span: float, end: float, first: float, last: float) -> View:
    if not 0 < span < last - first:
        return WHOLE
    end = max(end, first + span)
    return View(span, None if end >= last else end)
