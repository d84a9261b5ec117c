"""What answers mean: told, again, or never like this."""

import pytest

from trainwatch.core.answers import answered, broken, retry_after_s

NOW = 1_445_412_480.0  # Wed, 21 Oct 2015 07:28:00 GMT
STATUS = {
    200: ("ok", ""),
    204: ("ok", ""),
    301: ("again", "it answers 301 Moved Permanently"),
    400: ("again", "it answers 400 Bad Request"),
    401: ("never", "it wants other credentials"),
    403: ("never", "it answers 403 Forbidden: it is forbidden"),
    404: ("never", "there is nothing at that URL"),
    410: ("never", "that URL was removed"),
    418: ("never", "it answers 418"),
    429: ("again", "it is asked too often"),
    500: ("again", "it answers 500 Internal Server Error: it fails"),
    599: ("again", "it answers 599 unknown status: it fails"),
}
BROKEN = {
    "[Errno 111] Connection refused": ("again", "nobody listens there (connection refused)"),
    "<urlopen error [Errno -2] Name or service not known>": (
        "again",
        "the host's name is not known",
    ),
    "HTTPSConnectionPool(...): Read timed out.": ("again", "it did not answer in time"),
    "[SSL: CERTIFICATE_VERIFY_FAILED]": ("again", "its certificate is not valid"),
    "(535, b'5.7.8 authentication failed')": ("never", "the mail server answers 535"),
    "(451, b'4.7.1 greylisted')": ("again", "the mail server answers 451"),
    "{'a@b.c': (550, b'no such user')}": ("never", "the mail server answers 550"),
}
RETRY_AFTER = {
    "120": 120.0,
    " 0 ": 0.0,
    "Wed, 21 Oct 2015 07:30:00 GMT": 120.0,
    "Wed, 21 Oct 2015 07:00:00 GMT": 0.0,
    "soon": None,
    "-5": None,
    "": None,
    "9" * 30: 999_999_999.0,
}


@pytest.mark.parametrize("status", STATUS)
def test_a_status(status: int) -> None:
    outcome, (result, why) = answered(status, None, NOW), STATUS[status]
    assert outcome.result == result
    assert why in outcome.why


@pytest.mark.parametrize("error", BROKEN)
def test_a_connection_that_failed(error: str) -> None:
    outcome, (result, why) = broken(error), BROKEN[error]
    assert outcome.result == result
    assert why in outcome.why


def test_an_unknown_error_is_quoted_without_the_url() -> None:
    why = broken("ValueError: bad path /T0/secret", ("https://host/T0/secret",)).why
    assert why == "it was not sent: ValueError: bad path ***"


@pytest.mark.parametrize("header", RETRY_AFTER)
def test_retry_after(header: str) -> None:
    assert retry_after_s(header, NOW) == RETRY_AFTER[header]
    assert retry_after_s(None, NOW) is None
    assert answered(429, header, NOW).retry_after_s == RETRY_AFTER[header]
