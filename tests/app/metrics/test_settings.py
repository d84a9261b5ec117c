"""[metrics] in the configuration: what cannot be meant is an error that says why."""

import pytest

from trainwatch.app import config
from trainwatch.core.errors import UsageError


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            'listen = "0.0.0.0:9464"',
            "metrics.listen: 0.0.0.0 can be reached from elsewhere: what it",
        ),
        ('listen = "login1:9464"', "metrics.listen: 'login1' is no address of loopback"),
        ('listen = "9464"', 'write listen = "127.0.0.1:9464", or listen = "unix:/path/of/a.sock"'),
        ('listen = "unix:a.sock"', "metrics.listen: 'a.sock' must begin with / or ~"),
        (f'listen = "unix:/{"x" * 100}"', "the path has 101 bytes, and the kernel takes 100"),
        ('textfile = "/var/metrics.txt"', "ends with .prom, as node_exporter reads no other"),
        ('textfile = "metrics.prom"', "begins with / or ~"),
        ('labels = { "a-b" = "x" }', "a name of letters, digits and '_'"),
        ('labels = { run = "x" }', "metrics.labels: 'run' is a label of trainwatch's own"),
        ('labels = { user = "a\\nb" }', "text without control characters"),
        ('listens = "127.0.0.1:9464"', "Did you mean 'listen'?"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_says_why(line: str, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        config.parse(f"[metrics]\n{line}\n")
    assert why in str(raised.value)
