"""Logs made for tests: Megatron's iteration lines in the flavours and troubles that real ones have."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta


def iteration(
    number: int,
    *,
    target: int = 1000,
    prefix: str = " ",
    batch: int | None = 512,
    step_ms: float = 263.6,
    loss: str | None = "8.184724E+00",
    grad_norm: str = "1.128",
    skipped: int = 0,
    nans: int = 0,
    more: str = "",
    end: str = "",
) -> str:
    """One line as Megatron prints it, without its line end."""
    fields = [
        f" consumed samples: {number * (batch or 1):12d} " if batch is not None else None,
        f" elapsed time per iteration (ms): {step_ms:.1f} ",
        " learning rate: 1.092267E-04 ",
        f" global batch size: {batch:5d} " if batch is not None else None,
        f" lm loss: {loss} " if loss is not None else None,
        " loss scale: 1.0 ",
        f" grad norm: {grad_norm} ",
        more or None,
        f" number of skipped iterations: {skipped:3d} ",
        f" number of nan iterations: {nans:3d} ",
    ]
    body = "|".join(field for field in fields if field is not None)
    return f"{prefix}iteration {number:8d}/{target:8d} |{body}|{end}"


def stamped(number: int, begun: str = "2024-08-01 09:44:55", step_s: float = 0.25) -> str:
    """The prefix of Megatron-Core at an iteration."""
    time = datetime.fromisoformat(begun).replace(tzinfo=UTC) + timedelta(seconds=number * step_s)
    return f" [{time:%Y-%m-%d %H:%M:%S.%f}] "


def log(lines: Iterable[str]) -> bytes:
    """Lines as the bytes of a file."""
    return "".join(f"{line}\n" for line in lines).encode()
