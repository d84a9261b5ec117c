"""What cannot be, or will not work, in numbers that somebody plans a run with. Each is a sentence."""

from trainwatch.core.formulas import Shape
from trainwatch.core.schedule import last_save

_TOO_GOOD, _BADLY_TUNED = 0.8, 0.2  # of a GPU's peak


def on_tflops(value: float | None, peak: float | None, gpu_type: str | None) -> list[str]:
    """A V100 above 100 of its 125 TFLOPs means that the calculation is wrong; in the low 20s, badly tuned."""
    if value is None or peak is None:
        return []
    if value > _TOO_GOOD * peak:
        return [
            f"{value:.0f} of {peak:g} TFLOPs on {gpu_type}: the GPUs, batch or model size must be wrong"
        ]
    if value < _BADLY_TUNED * peak:
        return [f"{value:.0f} of {peak:g} TFLOPs on {gpu_type}: badly tuned"]
    return []


def on_mfu(share: float | None) -> list[str]:
    """More than all is impossible."""
    if share is None or share <= 1:
        return []
    return [
        f"{share:.0%} is more than the GPUs can do: batch size, FLOPs, GPUs or peak must be wrong"
    ]


def on_shape(shape: Shape) -> list[str]:
    """A FFN size that was kept from another model once made a 104B run a 58B one."""
    found = []
    if shape.ffn is not None and not shape.glu and shape.ffn != 4 * shape.hidden:
        found.append(f"the FFN size {shape.ffn} is not 4 * hidden = {4 * shape.hidden}")
    if shape.heads and shape.hidden % shape.heads:
        found.append(f"hidden {shape.hidden} is no multiple of {shape.heads} heads")
    if shape.heads and shape.kv_heads and shape.heads % shape.kv_heads:
        found.append(f"{shape.heads} heads are no multiple of {shape.kv_heads} key-value heads")
    return found


def on_batch(
    gbs: int, mbs: int | None, dp: int | None, rampup: tuple[int, int, int] | None
) -> list[str]:
    """GBS % (MBS * DP) != 0 makes the job fail at start, or in the middle of a ramp-up."""
    found = []
    each = mbs * dp if mbs and dp else 0
    if each and gbs % each:
        found.append(
            f"GBS {gbs} is no multiple of MBS * DP = {each}: the job fails at start; "
            f"use {max(each, gbs // each * each)} or {(gbs // each + 1) * each}"
        )
    if rampup is None:
        return found
    start, increment, _ = rampup
    if start > gbs or (gbs - start) % increment:
        found.append(
            f"the ramp-up from {start} by {increment} does not reach GBS {gbs}: it fails at start"
        )
    if each and (start % each or increment % each):
        found.append(
            f"the ramp-up's {start} and {increment} are no multiples of MBS * DP = {each}: "
            "the job fails at a stage of it"
        )
    return found


def on_interval(target: int | None, interval: int | None) -> list[str]:
    """A save interval that does not divide the target never saves the target."""
    if not target or not interval or target % interval == 0:
        return []
    last = last_save(target, interval)
    said = f"the last save is {last}" if last else "nothing is ever saved"
    return [f"a save interval of {interval} does not divide {target}: {said}"]


def on_margin(margin_s: float, needed_s: float) -> list[str]:
    """The time left after the job decides to exit must hold one iteration and one save."""
    if margin_s >= needed_s:
        return []
    return [
        f"{needed_s:.0f} s for an iteration and a save do not fit into {margin_s:.0f} s: the job is killed "
        "before it has saved; exit earlier"
    ]
