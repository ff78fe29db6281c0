"""What the template tests ask about: the scenes, and the sample of every reader."""

from __future__ import annotations

import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ontology.records import Item
from tests.templates import scenes
from transforms.language import Template, load_templates
from transforms.questions import Asked, ask
from transforms.registry import datasets, load_reader, load_sample
from transforms.windows import View

SEEDS = tuple(str(seed) for seed in range(40))
"""Runs of the busy scene: enough for every wording and every letter to come up."""


@cache
def templates() -> dict[str, Template]:
    """The shipped templates by id."""
    return {template.id: template for template in load_templates()}


@cache
def sample_views() -> tuple[View, ...]:
    """The clips of every reader's sample."""
    views: list[View] = []
    for name in datasets():
        unit = f"transforms.readers.{name}"
        if find_spec(f"{unit}.sample") and find_spec(f"{unit}.reader"):
            with tempfile.TemporaryDirectory() as folder:
                load_sample(name)(Path(folder))
                reader = load_reader(name)(Path(folder))
                evidence = [reader.read(video_id) for video_id in reader.videos()]
            views += [scenes.view_of(one) for one in evidence if one.instruments is not None]
    return tuple(views)


@cache
def asked_everywhere() -> tuple[Asked, ...]:
    """All templates on all scenes and samples, one seed."""
    every = list(templates().values())
    return tuple(ask(view, every, "42") for view in (*scenes.views(), *sample_views()))


@cache
def busy_items() -> dict[str, list[Item]]:
    """Items of the busy scene for every seed, by template."""
    view = scenes.view_of(scenes.busy())
    items: dict[str, list[Item]] = {name: [] for name in templates()}
    for seed in SEEDS:
        for item in ask(view, list(templates().values()), seed).items:
            items[item.template_id].append(item)
    return items
