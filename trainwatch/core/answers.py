"""What a receiver's answer means: told, try again, or never like this.

The trap: an answer may name the URL it was asked at; the words here never do.
"""

from email.utils import parsedate_to_datetime
from http import HTTPStatus

from trainwatch.core.model.telling import OK, Outcome
from trainwatch.core.patterns import pattern
from trainwatch.core.redact import redact

_MEANS = {
    401: "it wants other credentials: make a new URL for it",
    403: "it is forbidden: the token or the URL is no longer accepted",
    404: "there is nothing at that URL: it is mistyped, or was removed",
    405: "that URL takes no messages",
    410: "that URL was removed",
    413: "the message is too long for it",
    429: "it is asked too often",
}
_AGAIN = frozenset(
    (400, 408, 409, 413, 422, 423, 425, 429)
)  # of the 4xx: another time or another message may do
_TEMPORARY = (
    ("refused", "nobody listens there (connection refused)"),
    ("name or service not known", "the host's name is not known from here"),
    ("name resolution", "the host's name is not known from here"),
    ("nodename nor servname", "the host's name is not known from here"),
    ("getaddrinfo", "the host's name is not known from here"),
    ("unreachable", "there is no way to it from here"),
    ("certificate", "its certificate is not valid"),
    ("timed out", "it did not answer in time"),
    ("timeout", "it did not answer in time"),
    ("reset by peer", "it ended the connection"),
    ("closed", "it ended the connection"),
    ("disconnected", "it ended the connection"),
)
_SMTP = pattern(r"\(([2-5]\d\d), b?['\"]")


def answered(status: int, retry_after: str | None, now: float) -> Outcome:
    """What an HTTP status means, with the Retry-After header that came with it."""
    if 200 <= status < 300:
        return OK
    try:
        name = HTTPStatus(status).phrase
    except ValueError:
        name = "unknown status"
    means = _MEANS.get(status, "it fails" if status >= 500 else "")
    why = f"it answers {status} {name}" + (f": {means}" if means else "")
    lasting = 400 <= status < 500 and status not in _AGAIN
    if lasting:
        return Outcome(result="never", why=why)
    return Outcome(result="again", why=why, retry_after_s=retry_after_s(retry_after, now))


def retry_after_s(header: str | None, now: float) -> float | None:
    """The seconds of a Retry-After header, which holds seconds or an HTTP date; None if it says nothing."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def broken(error: str, secrets: tuple[str, ...] = ()) -> Outcome:
    """What a failed connection means, by its text. Of an SMTP answer 5xx is for good, 4xx is not."""
    if found := _SMTP.search(error):
        lasting = found[1].startswith("5")
        return Outcome(
            result="never" if lasting else "again", why=f"the mail server answers {found[1]}"
        )
    lower = error.lower()
    means = next((words for part, words in _TEMPORARY if part in lower), "")
    why = means or f"it was not sent: {redact(error, secrets)[:200]}"
    return Outcome(result="again", why=why)
