"""Why a build asked nothing, or less than it could: reasons by template, and what changes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ontology.records import Code
from pipeline.cli.console import table

if TYPE_CHECKING:
    from pipeline.config import RunConfig
    from transforms.language import Question
    from transforms.store import OutputFolder

SHOWN = 3
"""Reasons that are printed of each template; all are in ``rejected/``."""

Reasons = Mapping[str, Counter[tuple[str, str]]]
"""Template or stage -> (code, reason) -> count."""

CHANGES: Mapping[str, str] = {
    Code.NO_CLOCK: "--rate FPS, if you know how many pictures a second there are; questions of "
    "medstream need none where the order of pictures is known",
    Code.TOO_SHORT: "another benchmark: clips need 20 s of labels without a gap, questions of "
    "medstream, surgcot and surgveo do not",
    Code.LEFT_OVER: "nothing: no whole clip fits into what is left",
    Code.NO_EVIDENCE: "other labels: 'surgqa show TEMPLATE' says what a template needs, 'surgqa show "
    "DATASET' what there is; --evidence STORE adds boxes, --action-clips FILE clips, "
    "--anomalies DIR what goes wrong",
    Code.NO_FILLING: "'surgqa preview TEMPLATE' shows which slot stays empty",
    Code.GATE: "'surgqa preview TEMPLATE' shows which condition fails; a copy of the template in "
    "--templates DIR may ask for less",
    Code.TOO_FEW_OPTIONS: "an open form of the question, in a copy of the template",
    Code.RESOLUTION: "labels that know the event's time better",
    Code.NO_KNOWLEDGE: "a statement of your own: docs/knowledge.md",
    Code.INCOHERENT: "the labels, where they contradict themselves",
    Code.CONTRADICTION: "the labels, where they contradict themselves",
    Code.INCOMPLETE_INSTANT: "the labels of those instants",
    Code.REVIEWED: "a build without --review, or another decision of the reviewers",
    Code.OVER_CAP: "a build without --balance",
    Code.OVER_MIX: "a build without --mix",
    Code.EXCLUDED: "include_known_bad of the dataset in the run file, or no --exclude",
}
"""Code -> what would let something through."""


def unasked(config: RunConfig, manifest: Mapping[str, Any]) -> list[str]:
    """Benchmarks that the run names and of which the dataset has no item."""
    return [name for name in config.benchmarks if not manifest["items"].get(name)]


def why_nothing(folder: OutputFolder, config: RunConfig, benchmarks: Sequence[str]) -> str:
    """Why there is no item of some benchmarks: by template, and what would change it."""
    from transforms.language import load_questions, select

    templates = select(load_questions(config.templates), benchmarks, config.profile)
    asked = [one for one in templates if not config.only or one.id in config.only]
    found = reasons(folder, {one.id for one in asked})
    lines: list[list[object]] = [["template", "left out", "why"]]
    for name, counts in found.items():
        lines += [
            [name, count, f"{code}: {why}"] for (code, why), count in counts.most_common(SHOWN)
        ]
    codes = {code: None for counts in found.values() for code, _ in counts.most_common(SHOWN)}
    changes = [["", code, CHANGES[code]] for code in codes if code in CHANGES]
    settings = [["", "find", text] for text in _settings(asked, found)]
    parts = [f"no item of {', '.join(benchmarks)}", table(lines) if found else "no label was read"]
    parts += [f"what would change it\n{table([*changes, *settings])}"] if changes else []
    return "\n\n".join(parts)


def reasons(folder: OutputFolder, templates: set[str]) -> Reasons:
    """Why templates asked nothing, and under the name of its stage what stopped all of them."""
    found: dict[str, Counter[tuple[str, str]]] = {}
    for row in folder.rejected("ask"):
        name = str(row["key"]).split(" ", 1)[0]
        if name in templates:
            found.setdefault(name, Counter())[row["code"], row["reason"]] += row["count"]
    for row in folder.rejected("choose"):
        if row["where"] in templates:
            found.setdefault(row["where"], Counter())[row["code"], row["reason"]] += row["count"]
    cut = Counter[tuple[str, str]]()
    for row in folder.rejected("cut"):
        cut[row["code"], row["reason"]] += 1
    every = {"(all clips)": cut} if cut and templates - set(found) else {}
    return {**every, **dict(sorted(found.items()))}


def _settings(templates: Sequence[Question], found: Reasons) -> Iterator[str]:
    """What the finders of templates that found nothing can be told otherwise."""
    from transforms.language import Query

    told = set()
    for one in templates:
        if not isinstance(one, Query) or one.id not in found or one.finder in told:
            continue
        told.add(one.finder)
        params = one.found_by.params.items()
        shown = [f"{name}: {one.args[name]} ({param.doc})" for name, param in params
                 if name in one.args]  # fmt: skip
        if shown:
            yield f"in a copy of {one.id} under --templates DIR: " + "; ".join(shown)


def thinned(folder: OutputFolder) -> list[str]:
    """What a mix of temporal modes left out, one line for each kind of question."""
    found = Counter(row["reason"] for row in folder.rejected("choose")
                    if row["code"] == Code.OVER_MIX)  # fmt: skip
    return [f"left out: {count} items: {why}" for why, count in found.items()]
