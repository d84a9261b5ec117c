"""What a browser may say, and what becomes of it."""

import json

import pytest
from textual.drivers._byte_stream import ByteStream

from trainwatch.app.web import talk


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('["stdin", "q"]', ("D", b"q")),
        ('["stdin", "\\u20ac\\u001b[A"]', ("D", "€\x1b[A".encode())),
        ('["stdin", "\\ud800"]', None),  # half a character
        ('["stdin", 7]', None),
        ('["stdin"]', None),
        ('["stdin", "a", "b"]', None),
        ('["resize", {"width": 80, "height": 24}]', {"type": "resize", "width": 80, "height": 24}),
        ('["resize", {"width": 0, "height": 24}]', None),
        ('["resize", {"width": 1e9, "height": 24}]', None),
        ('["resize", {"width": 100000, "height": 24}]', None),
        ('["resize", {"width": true, "height": 24}]', None),
        ('["resize", {"width": "80", "height": 24}]', None),
        ('["resize", {}]', None),
        ('["focus"]', {"type": "focus"}),
        ('["blur"]', {"type": "blur"}),
        ('["ping", "1"]', None),
        ('["quit"]', None),
        ('["deliver_chunk_request", {"key": "x"}]', None),
        ('{"stdin": "q"}', None),
        ("[]", None),
        ("null", None),
        ("", None),
        ("[" * 100_000, None),
    ],
)
def test_messages(said: str, expected: object) -> None:
    packet = talk.packet(said)
    if packet is None or expected is None:
        assert packet == expected
        return
    ((kind, payload),) = ByteStream().feed(packet)  # as Textual reads it
    assert expected == ((kind, payload) if kind == "D" else json.loads(payload))


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [(80, 24, (80, 24)), (1, 1, (1, 1)), (1000, 1000, (1000, 1000)), (1001, 1, None), (0, 1, None)],
)
def test_sizes(width: int, height: int, expected: tuple[int, int] | None) -> None:
    assert talk.size(width, height) == expected
