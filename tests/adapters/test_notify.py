"""People are told through the real apprise, by receivers of the tests' own: HTTP and mail."""

import email
import email.policy
import json
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tests.adapters.receiving import Mail, Web, free_port, mail, web
from tests.core.news import AT, STALL, resolved
from trainwatch.adapters.notify import People
from trainwatch.core.errors import UsageError
from trainwatch.core.model.telling import OK, Outcome, Sending

SENDING = Sending(receiver="slack", at=AT, changes=(STALL,))
SECRETS = ("s3cr3t", "hunter2", "127.0.0.1", "json://")


@pytest.fixture
def receiver() -> Iterator[Web]:
    with web() as found:
        yield found


@pytest.fixture
def mailbox() -> Iterator[Mail]:
    with mail() as found:
        yield found


def people(url: str) -> People:
    return People(lambda: url, lambda at: 3600.0)


def tell(receiver: Web, sending: Sending = SENDING) -> Outcome:
    return people(receiver.url("json", "/s3cr3t", "me:hunter2@")).send(sending, AT)


def test_a_message_arrives_once(receiver: Web) -> None:
    assert tell(receiver) == OK
    ((method, path, body),) = receiver.got
    message = json.loads(body)
    assert (method, path) == ("POST", "/s3cr3t")
    assert (message["title"], message["type"]) == ("CRITICAL tr11-176B: stall", "failure")
    assert message["message"].startswith(
        "no iteration for 1 h 12 min, where 105 s are usual\nSince 22:01"
    )


def test_the_end_of_an_alert_is_good_news(receiver: Web) -> None:
    tell(receiver, replace(SENDING, changes=(resolved(),)))
    assert json.loads(receiver.got[0][2])["type"] == "success"


ANSWERS: dict[str, tuple[int, dict[str, str], Outcome]] = {
    "refused": (
        403,
        {},
        Outcome(
            result="never",
            why="it answers 403 Forbidden: it is forbidden: the token or the URL is no longer accepted",
        ),
    ),
    "too often": (
        429,
        {"Retry-After": "120"},
        Outcome(
            result="again",
            why="it answers 429 Too Many Requests: it is asked too often",
            retry_after_s=120.0,
        ),
    ),
    "too often until": (
        503,
        {"Retry-After": "Tue, 14 Nov 2023 22:14:20 GMT"},
        Outcome(
            result="again", why="it answers 503 Service Unavailable: it fails", retry_after_s=60.0
        ),
    ),
    "failing": (
        500,
        {},
        Outcome(result="again", why="it answers 500 Internal Server Error: it fails"),
    ),
}


@pytest.mark.parametrize(("status", "headers", "outcome"), ANSWERS.values(), ids=ANSWERS.keys())
def test_what_it_answers_is_heard(
    receiver: Web, status: int, headers: dict[str, str], outcome: Outcome
) -> None:
    receiver.status, receiver.headers = status, headers
    assert tell(receiver) == outcome
    assert len(receiver.got) == 1


def test_nobody_listens() -> None:
    outcome = people(f"json://me:hunter2@127.0.0.1:{free_port()}/s3cr3t").send(SENDING, AT)
    assert outcome == Outcome(result="again", why="nobody listens there (connection refused)")


@pytest.mark.parametrize("url", ["nonsense", "nosuch://s3cr3t", "slack://", ""])
def test_a_url_that_is_none(url: str) -> None:
    assert people(url).send(SENDING, AT) == Outcome(
        result="never", why="its URL is none that apprise knows, or is incomplete"
    )


def test_no_url() -> None:
    def url() -> str:
        raise UsageError("the environment variable X is not set")

    outcome = People(url).send(SENDING, AT)
    assert outcome == Outcome(result="never", why="the environment variable X is not set")


def test_nothing_that_is_secret_leaves(
    receiver: Web, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    outcomes = []
    for status in (200, 302, 400, 403, 418, 500):
        receiver.status = status
        outcomes.append(tell(receiver))
    outcomes.append(people("slack://s3cr3t/hunter2").send(SENDING, AT))
    for text in (*capfd.readouterr(), caplog.text, *(outcome.why for outcome in outcomes)):
        assert not any(secret in text for secret in SECRETS), text


def test_mail_arrives(mailbox: Mail) -> None:
    url = f"mailto://127.0.0.1:{mailbox.port}?from=watch@here.org&to=me@there.org"
    assert people(url).send(SENDING, AT) == OK
    (text,) = mailbox.got
    message = email.message_from_string(text, policy=email.policy.default)
    body = message.get_body(("plain",))
    assert message["Subject"] == "CRITICAL tr11-176B: stall"
    assert message["To"] == "me@there.org"
    assert body is not None
    assert "Cost so far: 461 GPU-hours" in body.get_content()


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("451 4.7.1 greylisted", Outcome(result="again", why="the mail server answers 451")),
        ("550 5.1.1 no such user", Outcome(result="never", why="the mail server answers 550")),
    ],
)
def test_mail_that_is_not_taken(mailbox: Mail, answer: str, outcome: Outcome) -> None:
    mailbox.answer = answer
    url = f"mailto://127.0.0.1:{mailbox.port}?from=watch@here.org&to=me@there.org"
    assert people(url).send(SENDING, AT) == outcome
