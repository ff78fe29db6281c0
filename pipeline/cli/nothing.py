"""Explain why a build has no items, or fewer than possible, and what the user can change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from surgqa.ontology.records import Code
from surgqa.pipeline.cli.console import table
from surgqa.pipeline.unasked import Reason, without_units
from surgqa.transforms.evidence.observers import observers_of
from surgqa.transforms.language import Program, load_asked

if TYPE_CHECKING:
    from surgqa.pipeline.config import RunConfig
    from surgqa.transforms.store import OutputFolder

SHOWN = 3
"""Number of reasons printed for each template; ``rejected/`` contains all."""

Reasons = Mapping[str, Counter[Reason]]
"""Id of a template -> how often each reason occurred."""

CHANGES: Mapping[str, str] = {
    Code.NO_CLOCK: "pass --rate FPS if you know the frames per second; questions of medstream do "
    "not need it if the order of the frames is known",
    Code.TOO_SHORT: "choose another benchmark: clips need 20 s of labels without a gap, questions "
    "of medstream, surgcot and surgveo do not",
    Code.LEFT_OVER: "nothing: the rest of the video is too short for a clip",
    Code.NO_EVIDENCE: "add labels: 'surgqa show TEMPLATE' says which ones a template needs, "
    "'surgqa show DATASET' which ones there are; --evidence STORE adds boxes, --action-clips FILE "
    "action clips, --anomalies DIR anomalies",
    Code.NO_UNIT: "choose another 'unit' in a copy of the template, or a dataset with such units",
    Code.NO_FILLING: "'surgqa preview TEMPLATE --on DATASET --root DIR' shows which step was not "
    "certain; relax its conditions in a copy of the template, and pass --templates DIR",
    Code.GATE: "set a lower purity or centrality of action clips in 'observers' of the run file",
    Code.TOO_FEW_OPTIONS: "ask without options ('wrong'), in a copy of the template",
    Code.UNPAIRED: "ask without options ('wrong') or more often per video, in a copy of the "
    "template; more videos do not help",
    Code.NO_KNOWLEDGE: "add a statement to the knowledge bank: docs/knowledge.md",
    Code.INCOHERENT: "give the stages wider windows, in a copy of the template",
    Code.UNMEASURED: "review frames and run 'surgqa label evaluate STORE': until it is known how "
    "often a detector misses an instrument, no question relies on its absence",
    Code.UNSEEN: "use a detector that knows tissues, or draw tissues with 'surgqa label': speech "
    "alone does not prove an action",
    Code.CONTRADICTION: "correct the labels that contradict each other",
    Code.INCOMPLETE_INSTANT: "correct the other labels of these instants",
    Code.REVIEWED: "build without --review, or change the reviewers' decisions",
    Code.OVER_SHARE: "build with --balance none, which ignores the shares that templates state",
    Code.ONE_ANSWER: "build with --allow-constant",
    Code.NO_PAIR: "build without --balance pairs",
    Code.NOT_BLIND: "build without --not-blind",
    Code.OVER_CAP: "build without --modal-cap",
    Code.OVER_MIX: "build without --mix",
    Code.EXCLUDED: "set include_known_bad in the run file, or build without --exclude",
}
"""Code of a rejection -> what the user can change so that such questions are asked."""


def empty_benchmarks(folder: OutputFolder, config: RunConfig) -> list[str]:
    """Return benchmarks of the run without any item in the dataset."""
    return [name for name in config.benchmarks if not folder.shards(name)]


def why_nothing(folder: OutputFolder, config: RunConfig, benchmarks: Sequence[str]) -> str:
    """Return why these benchmarks have no items, by template, and what the user can change."""
    asked = load_asked(config.templates, benchmarks, config.profile, config.only)
    found = reasons(folder, asked)
    lines: list[list[object]] = [["template", "left out", "why"]]
    codes: dict[str, None] = {}
    for name, counts in _alike(found):
        most = counts.most_common(SHOWN)
        lines += [[name, count or "", f"{code}: {why}"] for (code, why), count in most]
        codes |= dict.fromkeys(code for (code, _), _ in most)
    doubted = {str(name).split("/")[1] for name in folder.manifest.get("rejected", ())}
    codes |= dict.fromkeys(code for code in (Code.UNMEASURED, Code.UNSEEN) if code in doubted)
    changes = [["", code, CHANGES[code]] for code in codes if code in CHANGES]
    changes += [["", "observers", text] for text in _rules(asked, config.observers)]
    remedies = f"what would change it\n{table(changes)}" if changes else ""
    parts = (f"no item of {', '.join(benchmarks)}", table(lines), remedies)
    return "\n\n".join(part for part in parts if part)


def _alike(found: Reasons) -> Iterator[tuple[str, Counter[Reason]]]:
    """Yield the name and the reasons of each group of templates that have the same reasons."""
    names: dict[tuple[tuple[Reason, int], ...], list[str]] = {}
    for name, counts in found.items():
        names.setdefault(tuple(counts.most_common()), []).append(name)
    for counted, (first, *others) in names.items():
        yield first + (f" and {len(others)} more" if others else ""), Counter(dict(counted))


def reasons(folder: OutputFolder, templates: Sequence[Program]) -> Reasons:
    """Return how often each reason occurred, for each template without items.

    If there was nothing to ask a template about, the reason is that, or why no clips were cut.
    """
    found: dict[str, Counter[Reason]] = {one.id: Counter() for one in templates}
    for row in folder.rejected("ask"):
        name = str(row["key"]).split(" ", 1)[0]
        if name in found:
            found[name][row["code"], row["reason"]] += row["count"]
    for row in folder.rejected("choose"):
        if row["where"] in found:
            found[row["where"]][row["code"], row["reason"]] += row["count"]
    return {one.id: found[one.id] or without_units(folder, one) for one in templates}


def _rules(templates: Sequence[Program], own: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    """Yield the settings of the rules that derive facts of the kinds that the questions need."""
    made = observers_of({kind for one in templates for kind in one.kinds}, own)
    for kind, settings in made.items():
        shown = ", ".join(f"{name}: {value}" for name, value in settings.items() if name != "by")
        yield f"{kind} is made by a rule with {shown}; set others under observers in the run file"


def thinned(folder: OutputFolder) -> list[str]:
    """Return lines about missed shares, items outside a mix, and questions without a partner."""
    found = Counter(row["reason"] for row in folder.rejected("choose")
                    if row["code"] == Code.OVER_MIX)  # fmt: skip
    lines = [f"left out: {count} items: {why}" for why, count in found.items()]
    return [*unmet(folder.manifest.get("shares", ())), *lines, *_unpaired(folder)]


def _unpaired(folder: OutputFolder) -> Iterator[str]:
    """Yield a line with the number of questions that fit into no block, by template."""
    found = Counter[str]()
    for stage in ("ask", "choose"):
        for row in folder.rejected(stage):
            if row["code"] == Code.UNPAIRED:
                name = row["where"] if stage == "choose" else str(row["key"]).split(" ", 1)[0]
                found[name] += row["count"]
    if found:
        most = ", ".join(f"{name} {count}" for name, count in found.most_common(SHOWN))
        yield (
            f"left out ({Code.UNPAIRED}): {found.total()} questions, because too few questions "
            f"about the same video have another answer: {most}"
        )


MISSED = 0.03
"""A share that deviates by more than this is printed."""


def unmet(shares: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one line for each template with a single answer, and for each share that was missed.

    Args:
        shares: the shares of answers in the manifest.
    """
    return [line for one in shares if (line := _unmet(one))]


def _unmet(one: Mapping[str, Any]) -> str:
    where, made, kept = f"{one['template']} on {one['dataset']}", one["made"], sum(one["kept"])
    if one["answer"] is not None:
        among = f" among {', '.join(one['options'])}" if one["options"] else ""
        what = f"'{one['of']}'" if one["of"] else f"the answer{among}"
        rest = "they are kept" if kept else "they are left out; --allow-constant keeps them"
        return f"single answer: {where}: {what} is {one['answer']} in all {sum(made)} items: {rest}"
    if one["wanted"] is None or not kept:
        return ""
    off = abs(one["kept"][0] - one["wanted"] * kept)
    if off < 1 or off <= MISSED * kept:  # no whole number of items is closer to the share
        return ""
    share = f"'{one['of']}' is yes in {one['kept'][0]} of {kept} items instead of "
    why = "the items are too few to come nearer"
    if one.get("blocks"):
        why = "items that share their options (blocks) are dropped together"
    why = "too few items to drop any" if one["few"] else why
    return f"share not met: {where}: {share}{100 * one['wanted']:g} %: {why}"
