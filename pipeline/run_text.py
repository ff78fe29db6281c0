"""Write a run file with every setting and a comment for each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from surgqa.pipeline.config import DatasetRun, RunConfig

SCHEMA = "run-v1.json"


def run_text(config: RunConfig, notes: Mapping[int, Sequence[str]]) -> str:
    """Return the text of the run file of a configuration.

    Args:
        notes: for each index in ``datasets``, the comments above this entry.
    """
    values = config.model_dump(mode="json", by_alias=True)
    lines = [f"# Editors check this file by what 'surgqa schema --of run --out {SCHEMA}' writes.",
             f"# yaml-language-server: $schema={SCHEMA}", f"schema: {values.pop('schema')}", "",
             "datasets:"]  # fmt: skip
    for place, dataset in enumerate(values.pop("datasets")):
        lines += [f"  # {note}" for note in notes.get(place, ())]
        own = list(_settings(dataset, DatasetRun))
        lines += [f"  - {own[0]}", *(f"    {line}" for line in own[1:])]
    return "\n".join([*lines, "", *_settings(values, RunConfig), ""])


def _settings(values: Mapping[str, Any], model: type[BaseModel]) -> Iterator[str]:
    """Yield lines ``name: value # description``; values are JSON, which is valid YAML."""
    for name, value in values.items():
        said = model.model_fields[name].description
        yield f"{name}: {json.dumps(value)}" + (f"  # {said}" if said else "")
