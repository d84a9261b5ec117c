"""Where metrics may be served, and who may ask: this machine only."""

import pytest

from trainwatch.core.metrics.address import Address, is_here, parse


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:9464", Address("127.0.0.1", 9464)),
        ("127.8.9.1:1", Address("127.8.9.1", 1)),
        ("localhost:9464", Address("127.0.0.1", 9464)),
        ("[::1]:9464", Address("::1", 9464)),
        ("unix:/run/t.sock", Address(path="/run/t.sock")),
        ("unix:~/t.sock", Address(path="~/t.sock")),
    ],
)
def test_an_address_of_this_machine(text: str, address: Address) -> None:
    assert parse(text) == address
    assert parse(str(address)) == address


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0.0.0.0:9464", "can be reached from elsewhere: what it serves has no password"),
        ("[::]:9464", "can be reached from elsewhere"),
        ("10.1.2.3:9464", "can be reached from elsewhere"),
        ("192.168.0.1:9464", "ssh -L"),
        ("login1:9464", "names are not looked up"),
        (":9464", "is no address and port"),
        ("9464", 'write listen = "127.0.0.1:9464"'),
        ("127.0.0.1:0", "is no address and port"),
        ("127.0.0.1:65536", "is no address and port"),
        ("127.0.0.1:+1", "is no address and port"),
        ("127.0.0.1:٣", "is no address and port"),
        ("http://127.0.0.1:9464", "no address of loopback"),
        ("unix:t.sock", "must begin with / or ~"),
        ("unix:", "must begin with / or ~"),
    ],
)
def test_any_other_address_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        parse(text)
    assert why in str(raised.value)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:9464",
        "localhost",
        "LOCALHOST:1",
        "[::1]",
        "[::1]:9464",
        "127.1.2.3:80",
    ],
)
def test_hosts_that_are_here(host: str) -> None:
    assert is_here(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:9464",
        "evil.example:127",
        "localhost:evil",
        "localhost:80@evil.example",
        "10.0.0.1",
        "[::1",
        "[::1]evil",
        "[fe80::1]",
        "0.0.0.0",
        "2130706433",
        "127.1",
    ],
)
def test_hosts_that_are_not(host: str) -> None:
    assert not is_here(host)


def test_each_shard_has_an_address_of_its_own() -> None:
    port, path = Address("127.0.0.1", 9464), Address(path="/run/t.sock")
    assert [str(port.of_shard(n)) for n in (0, 2)] == ["127.0.0.1:9464", "127.0.0.1:9466"]
    assert [path.of_shard(n).path for n in (0, 2)] == ["/run/t.sock", "/run/t.sock.2"]
