"""Write the documents of an output: manifest, settings, card, licences, Croissant, report."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from ruamel.yaml import YAML

from surgqa.ontology.keys import bytes_digest
from surgqa.pipeline.config import RunConfig
from surgqa.pipeline.manifest import DOCUMENTS, MANIFEST, manifest_bytes, signed
from surgqa.pipeline.unasked import unasked
from surgqa.transforms.exports.card import card_text, licences_text
from surgqa.transforms.exports.croissant import croissant
from surgqa.transforms.language import Program
from surgqa.transforms.places import Place, place
from surgqa.transforms.registry import card
from surgqa.transforms.store import OutputFolder


def write_documents(
    out: Place, manifest: dict[str, Any], config: RunConfig, templates: Iterable[Program]
) -> None:
    """Write all documents into the finished folder.

    Args:
        templates: the templates that were asked.
    """
    cards = [card(run.name) for run in {run.name: run for run in config.datasets}.values()]
    (out / MANIFEST).write_bytes(manifest_bytes(manifest))  # the report reads it
    (out / "config.yaml").write_text(_yaml(config.shared()), encoding="utf-8")
    without = unasked(OutputFolder(out), templates)
    (out / "README.md").write_text(card_text(manifest, cards, without), encoding="utf-8")
    (out / "licences.md").write_text(licences_text(manifest, cards), encoding="utf-8")
    (out / "croissant.json").write_bytes(croissant(manifest, cards))
    _write_report(out, config)
    digests = {name: bytes_digest((out / name).read_bytes()) for name in DOCUMENTS}
    (out / MANIFEST).write_bytes(manifest_bytes(signed(manifest, digests)))


def _yaml(settings: dict[str, Any]) -> str:
    sink = io.StringIO()
    writer = YAML()
    writer.default_flow_style = False
    writer.dump(settings, sink)
    return sink.getvalue()


def _write_report(out: Place, config: RunConfig) -> None:
    from surgqa.transforms.view.report import write_report

    # The page is part of the output, which is passed on: it has no frames of user-supplied videos.
    roots = {run.name: place(run.root) for run in config.datasets if not card(run.name).private}
    write_report(OutputFolder(out), out / "report.html", roots)
