"""trainwatch calc: the formulas of training by hand."""

import click

from trainwatch.app.calculating import schedules, sizes, speed


class _InOrder(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(name="calc", cls=_InOrder)
def command() -> None:
    """The formulas of training by hand.

    Numbers may be written 52, 52e9, 52B, 300G, 1T; times 105.2, 90d, 2h30m, 20:00:00.

    \b
    Example:
      trainwatch calc tflops --params 52B --seq 1024 --gbs 1024 --step-time 122 --gpus 64
    """


for _formula in (
    speed.tflops,
    speed.mfu,
    speed.tokens,
    sizes.model_size,
    speed.train_time,
    schedules.batch_size,
    sizes.checkpoint_size,
    sizes.model_flops,
    schedules.save_overhead,
    schedules.at_risk,
    schedules.exit_margin,
    sizes.peaks,
):
    command.add_command(_formula)
