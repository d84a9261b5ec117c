"""Who is let in: a row for each request there can be."""

import pytest

from trainwatch.app.web.gate import TOKEN_LIVES_S, Asked, Gate, Verdict

HOST = "127.0.0.1:8765"
OURS = f"http://{HOST}"


class Hand:
    """A clock that is wound by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def gate(clock: Hand) -> Gate:
    return Gate(clock)


PASS, REFUSED, STALE = Verdict.PASS, Verdict.REFUSED, Verdict.STALE
NAMES = [
    (HOST, True),
    ("localhost:8765", True),
    ("LOCALHOST:1", True),  # whatever end a tunnel has
    ("[::1]:8765", True),
    ("127.0.0.1", True),
    ("evil.example", False),
    ("evil.example:8765", False),
    ("127.0.0.1.evil.example:8765", False),
    ("localhost.evil.example", False),
    ("127.0.0.1:8765@evil.example", False),
    ("127.0.0.1:8765:1", False),
    ("127.0.0.1:٣", False),
    ("127.0.0.2:8765", False),
    ("10.0.0.7:8765", False),
    ("0.0.0.0:8765", False),
    ("[::]:8765", False),
    ("", False),
]


@pytest.mark.parametrize(("host", "passes"), NAMES)
def test_the_name_that_is_asked_for(gate: Gate, host: str, passes: bool) -> None:
    asked = Asked("GET", gate.place, (host,), cookie=gate.new_cookie())
    assert gate.judge(asked) is (PASS if passes else REFUSED)


@pytest.mark.parametrize("hosts", [(), (HOST, HOST), (HOST, "evil.example")])
def test_one_name_and_no_more(gate: Gate, hosts: tuple[str, ...]) -> None:
    assert gate.judge(Asked("GET", gate.place, hosts, cookie=gate.new_cookie())) is REFUSED


ORIGINS = [
    # what is said              a page  a websocket
    ((OURS,), True, True),
    ((), True, False),  # a page that is typed in says none; a websocket of a browser always does
    (("null",), False, False),
    ((OURS, OURS), False, False),
    ((OURS, "http://evil.example"), False, False),
    (("http://evil.example",), False, False),
    (("http://127.0.0.1:9999",), False, False),  # another server of this machine
    (("http://localhost:8765",), False, False),
    (("https://127.0.0.1:8765",), False, False),
    (("http://127.0.0.1:8765/",), False, False),
    (("http://127.0.0.1:8765.evil.example",), False, False),
]


@pytest.mark.parametrize(("origins", "page", "socket"), ORIGINS)
def test_the_page_that_asks(gate: Gate, origins: tuple[str, ...], page: bool, socket: bool) -> None:
    cookie = gate.new_cookie()
    asked = Asked("GET", gate.place, (HOST,), origins, cookie)
    assert gate.judge(asked) is (PASS if page else REFUSED)
    asked = asked._replace(path=f"{gate.place}ws", socket=True)
    assert gate.judge(asked) is (PASS if socket else REFUSED)


@pytest.mark.parametrize(
    ("method", "path", "passes"),
    [
        ("GET", "", True),
        ("HEAD", "", True),
        ("GET", "textual.js", True),
        (
            "GET",
            "../../etc/passwd",
            True,
        ),  # through the gate; no file of that name (test_server.py)
        ("POST", "", False),
        ("PUT", "textual.js", False),
        ("DELETE", "", False),
        ("OPTIONS", "", False),
        ("TRACE", "", False),
        ("CONNECT", "", False),
    ],
)
def test_what_is_done(gate: Gate, method: str, path: str, passes: bool) -> None:
    asked = Asked(method, gate.place + path, (HOST,), cookie=gate.new_cookie())
    assert gate.judge(asked) is (PASS if passes else REFUSED)


@pytest.mark.parametrize("path", ["/", "/textual.js", "/static/", "//", "/ws", ""])
def test_elsewhere_is_nothing(gate: Gate, path: str) -> None:
    assert gate.judge(Asked("GET", path, (HOST,), cookie=gate.new_cookie())) is REFUSED


@pytest.mark.parametrize("cookie", ["", "x", "\udcff", "A" * 43])
def test_a_cookie_that_we_did_not_give(gate: Gate, cookie: str) -> None:
    ours = gate.new_cookie()
    asked = Asked("GET", gate.place, (HOST,), cookie=cookie)
    assert gate.judge(asked) is REFUSED
    assert gate.judge(asked._replace(cookie=ours[:-1])) is REFUSED
    assert gate.judge(asked._replace(cookie=ours)) is PASS
    assert gate.judge(asked._replace(cookie=Gate(lambda: 0.0).new_cookie())) is REFUSED


def link(gate: Gate, token: str, cookie: str = "") -> Asked:
    return Asked("GET", gate.place, (HOST,), cookie=cookie, token=token)


def test_a_link_opens_once(gate: Gate) -> None:
    token = gate.new_token()
    assert gate.judge(link(gate, token)) is Verdict.WELCOME
    assert gate.judge(link(gate, token)) is STALE
    assert gate.judge(link(gate, token, gate.new_cookie())) is Verdict.ONWARD, "clicked twice"


def test_a_link_does_not_open_for_ever(gate: Gate, clock: Hand) -> None:
    token = gate.new_token()
    clock.now += TOKEN_LIVES_S
    assert gate.judge(link(gate, token)) is STALE
    token = gate.new_token()
    clock.now += TOKEN_LIVES_S - 1
    assert gate.judge(link(gate, token)) is Verdict.WELCOME


def test_a_new_link_ends_the_one_before_but_nobody_who_is_in(gate: Gate) -> None:
    cookie, old = gate.new_cookie(), gate.new_token()
    new = gate.new_token()
    assert gate.judge(link(gate, old)) is STALE
    assert gate.judge(link(gate, new)) is Verdict.WELCOME
    assert gate.judge(Asked("GET", gate.place, (HOST,), cookie=cookie)) is PASS


@pytest.mark.parametrize("token", ["", "x", "\udcff", "A" * 43])
def test_what_was_never_a_link(gate: Gate, token: str) -> None:
    gate.new_token()
    assert gate.judge(link(gate, token)) is STALE


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "HEAD"},
        {"method": "POST"},
        {"hosts": ("evil.example",)},
        {"origins": ("http://evil.example",)},
        {"socket": True, "origins": (OURS,)},
        {"path": "/"},
    ],
)
def test_a_link_is_not_used_up_by_what_is_refused(gate: Gate, changes: dict[str, object]) -> None:
    token = gate.new_token()
    assert gate.judge(link(gate, token)._replace(**changes)) is REFUSED  # type: ignore[arg-type]
    assert gate.judge(link(gate, token)) is Verdict.WELCOME


def test_nothing_that_opens_is_kept(gate: Gate) -> None:
    """What a core dump or a debugger finds are hashes."""
    token, cookie = gate.new_token(), gate.new_cookie()
    assert token not in repr(vars(gate))
    assert cookie not in repr(vars(gate))
