"""The page in a real browser: nothing is loaded, nothing is complained of, and it fits a telephone."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from trainwatch.app.publishing.curves import Drawn
from trainwatch.app.publishing.page import page
from trainwatch.core.model.goodput import Goodput, Hours
from trainwatch.core.model.public import Shown
from trainwatch.core.model.status import Alert, AttemptStatus, Status
from trainwatch.core.public import public_of
from trainwatch.core.thinning import Bin, Point, Thinned

NOW = 1_780_000_000.0
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
WIDTHS = (400, 1200)
FRAMES = """<!doctype html><title>loading</title>{frames}<script>
addEventListener("load", () => document.title = [...document.querySelectorAll("iframe")].map(frame => {{
  const page = frame.contentDocument
  return [page.documentElement.scrollWidth, page.querySelectorAll(".live").length].join(":")
}}).join(" "))
</script>"""


def curve(per_iteration: float) -> tuple[Bin, ...]:
    made = Thinned()
    for attempt, (start, stop) in enumerate(((0, 3000), (2800, 6000))):
        numbers = [float(n) for n in range(start, stop)]
        values = [2.0 + per_iteration * n for n in numbers]
        made.add(attempt, numbers, [NOW + 9e4 * attempt + 20 * n for n in numbers], values)
    return made.bins()


def test_it_fits_and_nothing_is_complained_of(tmp_path: Path) -> None:
    if CHROMIUM is None:
        pytest.skip("no chromium here (apt-get install chromium)")
    alert = Alert(rule="checkpoint-incomplete", severity="critical", since=NOW, summary="")
    spent = Goodput(begin=NOW, end=NOW + 9e4)
    spent.spend("train", 8e4, 8)
    spent.spend("stall", 5e3, 8)
    status = Status(
        run="", health="critical", phase="train", iteration=6000, target_iteration=95_000, progress=0.0631,
        progress_unit="tokens", eta_s=3e6, loss=2.31, tokens_per_s=1.2e6, tflops=151.0, mfu=0.48, gpus=384,
        gpu_type="A100", parameters=176e9, step_time_s=104.0, global_batch_size=2048, alerts=(alert,),
        attempts=tuple(
            AttemptStatus(index=n, first_iteration=n * 2800, last_iteration=3000 * (n + 1), end="time-limit")
            for n in range(2)
        ),
    )  # fmt: skip
    told = public_of(status, Shown(name="W" * 60), NOW, hours=Hours(told=spent))
    (tmp_path / "page.html").write_text(page(told, Drawn(loss=curve(-1e-4), rate=curve(1e-5)), {}))
    frames = "".join(f'<iframe src="page.html" width="{w}" height="900"></iframe>' for w in WIDTHS)
    (tmp_path / "frames.html").write_text(FRAMES.format(frames=frames))
    got = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"),
            *("--allow-file-access-from-files", f"--user-data-dir={tmp_path / 'profile'}"),
            *("--window-size=1400,900", "--dump-dom", (tmp_path / "frames.html").as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert [line for line in got.stderr.splitlines() if "CONSOLE" in line] == []
    (title,) = re.findall("<title>(.*?)</title>", got.stdout)
    sizes = [tuple(int(n) for n in each.split(":")) for each in title.split()]
    assert [charts for _, charts in sizes] == [3, 3]
    for (needed, _), width in zip(sizes, WIDTHS, strict=True):
        assert needed <= width, "nothing sticks out"


def test_a_lone_point_and_an_empty_run_have_a_page_too() -> None:
    told = public_of(Status(run="", health="unknown"), Shown(), NOW)
    one = (Bin(0, 1, *[Point(1, NOW, 2.0)] * 2),)
    for drawn in (Drawn(), Drawn(loss=one, rate=one)):
        assert "There is nothing to draw yet." in page(told, drawn, {})
