"""How training goes: the loss falls, the learning rate warms up and decays, the network has its moods.

Pure arithmetic on iteration, samples and time. A small batch fills the pipeline badly, so throughput rises
through a ramp-up, as it does in real runs.
"""

import math

from trainwatch.core import formulas
from trainwatch.simulate.chance import Chance
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.step import Step

_LOSS, _NORM, _SPEED, _PLACE, _VALIDATION = 1, 2, 3, 4, 5  # streams of chance
_DAY_S = 86_400.0
_LEAST_RATE = 0.1  # of the learning rate, at the end of the cosine


class Curves:
    """What the iterations of one run measure."""

    def __init__(self, scenario: Scenario, chance: Chance) -> None:
        self._scenario, self._chance = scenario, chance
        self._first_loss = math.log(scenario.padded_vocab_size)
        self._schedule = scenario.schedule
        self._full_s: dict[int, float] = {}  # seconds of an undisturbed iteration, by batch size

    def step(self, iteration: int, samples_before: int, attempt: int, t: float) -> Step:
        """The iteration that begins at simulated second `t`."""
        batch = self._schedule.batch_size(samples_before)
        undisturbed_s = self._full_s.get(batch) or self._undisturbed_s(batch)
        return Step(
            iteration=iteration,
            samples=samples_before + batch,
            batch=batch,
            step_time_s=undisturbed_s / (1 + self._mood(iteration, attempt, t)),
            loss=self.loss(iteration) + self._chance.normal(_LOSS, iteration) * self._spread(batch),
            grad_norm=self._grad_norm(iteration),
            learning_rate=self.learning_rate(samples_before + batch),
        )

    def loss(self, iteration: int) -> float:
        """The training loss without noise."""
        fallen = math.pow(1 + iteration / 30, -0.45)
        final = self._scenario.final_loss
        return final + (self._first_loss - final) * fallen

    def validation_loss(self, iteration: int, index: int) -> float:
        """The loss on one of the validation sets."""
        luck = self._chance.normal(_VALIDATION + index, iteration)
        return self.loss(iteration) * (1.01 + 0.03 * index) + 0.01 * luck

    def learning_rate(self, samples: int) -> float:
        """Linear warm-up, then a cosine down to a tenth."""
        scenario = self._scenario
        if samples < scenario.warmup_samples:
            return scenario.learning_rate * samples / scenario.warmup_samples
        left = scenario.train_samples - scenario.warmup_samples
        done = min(1.0, (samples - scenario.warmup_samples) / max(1, left))
        share = _LEAST_RATE + (1 - _LEAST_RATE) * (1 + math.cos(math.pi * done)) / 2
        return scenario.learning_rate * share

    def _grad_norm(self, iteration: int) -> float:
        luck = self._chance.normal(_NORM, iteration)
        return (0.15 + 8 * math.pow(1 + iteration / 20, -0.9)) * math.exp(0.2 * luck)

    def _spread(self, batch: int) -> float:
        return 0.35 / math.sqrt(batch)

    def _undisturbed_s(self, batch: int) -> float:
        """Seconds of compute at the cluster's TFLOPs, and of the bubble in its pipeline."""
        scenario, cluster = self._scenario, self._scenario.cluster
        flops = formulas.flops_per_iteration(scenario.shape, batch, scenario.recompute)
        micro_batches = max(1, batch // (scenario.micro_batch_size * scenario.data_parallel))
        bubble = (cluster.pipeline_parallel - 1) / micro_batches
        seconds = flops / (cluster.tflops * cluster.gpus * 1e12) * (1 + bubble)
        self._full_s[batch] = seconds
        return seconds

    def _mood(self, iteration: int, attempt: int, t: float) -> float:
        """By which share the cluster is faster than usual, within the scenario's noise."""
        noise = self._scenario.throughput_noise
        luck = self._chance.normal(_SPEED, iteration + 7919 * attempt)
        if not self._scenario.daily_drift:
            return max(-noise, min(noise, 0.35 * noise * luck))
        day = math.sin(2 * math.pi * t / _DAY_S)
        allocation = self._chance.normal(_PLACE, attempt)
        mood = noise * (0.5 * day + 0.3 * allocation + 0.15 * luck)
        return max(-noise, min(noise, mood))
