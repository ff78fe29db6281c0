"""The page that compares models, with names that begin alike."""

import re

from surgqa.pipeline.report.models import models_page
from surgqa.transforms.scoring.bootstrap import ModelInterval

NAMES = [f"an-organisation-its-model-of-72b-instruct-{kind}" for kind in ("awq", "gguf")]


def test_a_chart_names_each_model_in_full_and_fits_a_narrow_window():
    lines = [ModelInterval(name, 3, 0.5, (0.4, 0.6)) for name in NAMES]
    page = models_page([["model"]], [["model"]], [], lines, {})
    assert [page.count(f">{name}</text>") for name in NAMES] == [1, 1]
    assert not re.search(r"<svg[^>]* width=", page)
