"""Secrets do not leave; numbers and words of training do."""

import pytest

from trainwatch.core.redact import redact

SECRET = {
    "a Hub token": ("login with hf_AbCdEfGhIjKlMnOpQr", "login with ***"),
    "a GitHub token": ("ghp_0123456789abcdefghijABCD x", "*** x"),
    "a Slack token": ("xoxb-12345678901-abcdef", "***"),
    "an API key": ("OPENAI sk-proj_abcdefghij123", "OPENAI ***"),
    "an AWS key": ("AKIAABCDEFGHIJKLMNOP", "***"),
    "a JWT": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.abc_def", "***"),
    "a bearer": ("Authorization: Bearer abc.def.ghi-jkl", "Authorization: Bearer ***"),
    "user and password in a URL": (
        "git clone https://me:pw@host/x",
        "git clone https://***@host/x",
    ),
    "a webhook": (
        "POST https://hooks.slack.com/services/T0/B0/xyz",
        "POST https://hooks.slack.com/***",
    ),
    "an environment": ("WANDB_API_KEY=0123abcd HOME=/x", "WANDB_API_KEY=*** HOME=/x"),
    "JSON": ('{"password": "hunter2", "a": 1}', '{"password": "***", "a": 1}'),
    "an option": ("--hub-token: abcdef", "--hub-token: ***"),
    "a key file": ("-----BEGIN RSA PRIVATE KEY----- MIIE", "***"),
}
PLAIN = (
    " iteration    95000/  115311 | consumed tokens: 1.2E+11 | loss: 2.303E+00",
    "tokens: 2048, tokens per second: 123",
    "saved https://host/models/x at global_step1000",
    "Basic blocks of task_12 and risk-of-failure",
    "mail me@example.org",
)


@pytest.mark.parametrize(("text", "masked"), SECRET.values(), ids=SECRET.keys())
def test_what_looks_like_a_secret_is_masked(text: str, masked: str) -> None:
    assert redact(text) == masked
    assert redact(masked) == masked


@pytest.mark.parametrize("text", PLAIN)
def test_what_does_not_is_left(text: str) -> None:
    assert redact(text) == text


def test_a_url_and_its_parts_are_masked_also_when_decoded() -> None:
    url = "mailto://me:p%40ss@mail.example.org:587/?to=you@else.where"
    for part in (url, "p%40ss", "p@ss", "mail.example.org", "else.where"):
        assert redact(f"failed for {part}!", [url]) == "failed for ***!", part
