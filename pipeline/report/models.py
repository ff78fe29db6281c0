"""The page that compares models: tables, and a bar with its interval for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from jinja2 import Environment, StrictUndefined

from surgqa.transforms.scoring.bootstrap import ModelInterval

Table = Sequence[Sequence[object]]


def models_page(
    headlines: Table, models: Table, pairs: Sequence[Table], lines: Sequence[ModelInterval],
    scores: Mapping[str, Mapping[str, float]],
) -> str:  # fmt: skip
    """Return one self-contained HTML file.

    Args:
        headlines, models, pairs: rows, headers first.
        lines: data of the first chart.
        scores: for each model and main score, the value, 0 to 1. The page has a chart for each main
            score.
    """
    text = (resources.files("surgqa.pipeline.report") / "models.html.j2").read_text(
        encoding="utf-8"
    )
    environment = Environment(undefined=StrictUndefined, autoescape=True, trim_blocks=True,
                              lstrip_blocks=True)  # fmt: skip
    tables = [("Headlines, in percent", headlines), ("Mean score of all items", models),
              *(("Pairs, on the items that both have", one) for one in pairs)]  # fmt: skip
    charts = [("Mean score of all items", lines), *(
        (head, [ModelInterval(name, 0, one[head], None) for name, one in scores.items()
                if head in one])
        for head in sorted({head for one in scores.values() for head in one})
    )]  # fmt: skip
    return environment.from_string(text).render(tables=tables, charts=charts)
