"""Secrets masked in text that leaves the house: tokens, passwords, credentials in URLs.

The trap: a log prints its environment, and an error of a library prints the URL it failed on.
"""

import re
from collections.abc import Iterable, Mapping

from trainwatch.core.patterns import pattern

MASK = "***"
_NAMES = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "_KEY", "CREDENTIAL")
_LEAST = 8  # characters: a shorter value would mask half of every sentence
_MOST_WORDS = 500
_KINDS = (
    # what a secret looks like by itself
    r"\b(?:hf|ghp|gho|ghs|ghu|github_pat|glpat|xox[abeprs]|sk|pk|rk|npm|pypi)[_-][A-Za-z0-9_-]{10,}",
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*",
)
_BEHIND = (
    # what stands behind a word that says so
    r"(?P<keep>\b(?:Bearer|Basic|Token)\s+)[A-Za-z0-9._~+/=-]{12,}",
    r"(?P<keep>://)[^\s/@]+(?=@)",
    r"(?P<keep>https?://(?:hooks\.slack\.com|discord(?:app)?\.com/api|hc-ping\.com|[\w.-]*webhook[\w.-]*)/)\S+",
    r"(?P<keep>(?:token|passw(?:or)?d|passwd|secret|api[_-]?key|access[_-]?key|credentials?)\b"
    r"[\"']?\s*[=:]\s*[\"']?)(?!\*\*\*)[^\s\"',;&]{3,}",
)
_LOOKS = pattern("|".join(_KINDS), re.DOTALL)
_FOLLOWS = tuple(pattern(kind, re.IGNORECASE) for kind in _BEHIND)
_ESCAPED = pattern(r"%([0-9A-Fa-f]{2})")
_PARTS = pattern(r"[^/?&=@:#;,\s]{3,}")


def plain(words: str, environment: Mapping[str, str]) -> str:
    """What a client library says of an error: on one line, without secrets, those of an environment too."""
    return " ".join(redact_known(words, environment).split())[:_MOST_WORDS]


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without what looks like a secret, and without `secrets` (URLs) and their parts."""
    for part in sorted(_parts(secrets), key=len, reverse=True):
        text = text.replace(part, MASK)
    text = _LOOKS.sub(MASK, text)
    for follows in _FOLLOWS:
        text = follows.sub(rf"\g<keep>{MASK}", text)
    return text


def redact_known(text: str, environment: Mapping[str, str]) -> str:
    """The text without what looks like a secret, and without what variables of a telling name hold."""
    for name, value in environment.items():
        if len(value) >= _LEAST and any(part in name.upper() for part in _NAMES):
            text = text.replace(value, MASK)
    return redact(text)


def _parts(secrets: Iterable[str]) -> set[str]:
    """Each URL, its path and its pieces, as they stand there and as what they mean."""
    found = set[str]()
    for secret in secrets:
        rest = secret.partition("://")[2] or secret
        path = rest[rest.find("/") :] if "/" in rest else ""
        found.update((secret, rest, path, *_PARTS.findall(rest)))
    found |= {_ESCAPED.sub(lambda code: chr(int(code[1], 16)), part) for part in found}
    return {part for part in found if len(part) >= 3}
