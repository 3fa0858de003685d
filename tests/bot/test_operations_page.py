"""The page for operators names every event of the log and every metric."""

from __future__ import annotations

import re

from prometheus_client.metrics import MetricWrapperBase

from bot.runtime import metrics
from tests.support.sources import ROOT, files

PAGE = (ROOT / ".github" / "OPERATIONS.md").read_text(encoding="utf-8")


def described(heading: str) -> set[str]:
    """The names in the first column of the table under a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*)\|", section, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}


def test_every_event_of_the_log_is_explained() -> None:
    sources = (file.read_text(encoding="utf-8") for file in files().values())
    logged = {
        name
        for text in sources
        for name in re.findall(r'(?:_LOG\.[a-z]+|_show_all|log_not_shown)\(\s*"([a-z_]+)"', text)
    }
    assert described("What the log says") == logged


def test_every_metric_is_explained() -> None:
    families = [
        next(iter(metric.describe())) for metric in vars(metrics).values() if isinstance(metric, MetricWrapperBase)
    ]
    named = {family.name + ("_total" if family.type == "counter" else "") for family in families}
    own = {name for name in described("Watch") if name.startswith("hexgrove_")}
    assert own == named
