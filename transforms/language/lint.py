"""Find mistakes in a parsed template that do not depend on evidence, such as unused names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from surgqa.ontology.alerts import ALERT
from surgqa.transforms.algebra.tree import Call, Print
from surgqa.transforms.algebra.walk import NODES, names_in, prints
from surgqa.transforms.language.context import At, ParseContext, nearest
from surgqa.transforms.language.filters import FILTERS
from surgqa.transforms.language.findings import Finding
from surgqa.transforms.language.grammar import agreement, articles, marks_and_spaces
from surgqa.transforms.language.program import Program, Stage
from surgqa.transforms.language.texts import wording_of
from surgqa.transforms.language.wording import Ref, Wording, essence, literal, source_named

FEWEST_WORDINGS = 4
_NAMED = ("fact", "track", "label")


def lint(c: ParseContext, program: Program, data: Mapping[str, Any]) -> None:
    """Record the mistakes in a template that could be parsed."""
    _unused(c, program)
    _versions(c, program)
    _restated(c, program.stages)
    _printed_times(c, program.stages)
    _exchanged(c, program.stages)
    _alerts(c, program)
    for stage in program.stages:
        at: At = ("stages", stage.name) if stage.name else ()
        part = data["stages"][stage.name] if stage.name else data
        _wordings(c, stage, part, at)
        _clue(c, stage, at)
        _pools(c, stage, at)
        _answer_shown(c, stage, at)
        _lines(c, program, stage, at)


def _alerts(c: ParseContext, program: Program) -> None:
    """T102: report a question that asks to be warned, but whose answer is no alert."""
    say = program.stages[0].say[:1]
    if program.rounds and program.task.startswith("proactive/") and not (
        say and isinstance(say[0], str) and say[0].startswith(ALERT)
    ):  # fmt: skip
        c.add("T102", ("task",), "a task 'proactive/…' is answered with an alert",
              "write 'say: \"alert: …\"', or another task such as 'future/…'")  # fmt: skip


IN_LINES = ("track", "start", "end", "verb", "target", "act", "start_box", "end_box")
"""Fields of a fact that the filter ``lines`` can print."""


def _lines(c: ParseContext, program: Program, stage: Stage, at: At) -> None:
    """T117: report fields that are listed but not printed, so that the answer would lack them."""
    for piece in prints((stage.say, *stage.ask)):
        node = program.meant(piece.node)
        fields = node.get("fields") or () if isinstance(node, Call) else ()
        lost = [one for one in fields if one not in IN_LINES]
        lost += ["target"] if "target" in fields and "verb" not in fields else []
        if piece.filter == "lines" and lost:
            c.add("T117", (*at, "say"), f"'lines' does not print {', '.join(lost)}",
                  f"it prints {', '.join(IN_LINES)}; a target needs its verb")  # fmt: skip


def unknown_scorer(program: Program, known: Collection[str]) -> list[Finding]:
    """T106: return a finding if there is no scorer with the name that the template states.

    Args:
        known: names of all scorers; the caller knows them, this package does not.
    """
    if not program.scorer or program.scorer in known:
        return []
    line, column = program.scorer_at
    return [Finding(program.path, line, "T106", f"{program.id} > scorer",
                    f"no scorer is called {program.scorer!r}",
                    nearest(program.scorer, sorted(known), "scorers"), column=column)]  # fmt: skip


def _restated(c: ParseContext, stages: Sequence[Stage]) -> None:
    """T102: report a context that omits an earlier stage's answer (a time may be omitted)."""
    before: list[str] = []
    for stage in stages:
        if stage.see:
            continue
        printed = names_in(stage.context)
        at = ("stages", stage.name)
        for name in before:
            if name not in printed:
                fix = f"use '{{{{ {name}.answer | text }}}}' in 'context'"
                c.add("T102", at, f"does not restate the answer of {name!r}", fix, key=True)
        if not _asks_a_time(stage):
            before.append(stage.name)


def _asks_a_time(stage: Stage) -> bool:
    return any(node.type.name in ("instant", "stretch") for _, node in stage.answer)


def _printed_times(c: ParseContext, stages: Sequence[Stage]) -> None:
    """T102: report a printed time if a stage asks for a time, because it reveals the answer."""
    asked = {stage.name for stage in stages if _asks_a_time(stage)}
    for stage in stages if asked else ():
        for key, text in (("context", stage.context), ("clue", stage.clue)):
            for piece in prints(text):
                shown = names_in(piece.node)
                timed = piece.filter in ("clock", "span") and shown != {"window"}
                if timed or shown & asked:
                    c.add("T102", ("stages", stage.name, key),
                          "prints a time, which gives away the answer of a stage",
                          "show the window instead: '{{ window | span }}'")  # fmt: skip


def _exchanged(c: ParseContext, stages: Sequence[Stage]) -> None:
    """T102: report if ``exchange`` is used more than once in a template."""
    found = [(stage.name, i) for stage in stages for i, pool in enumerate(stage.wrong)
             if isinstance(pool, Call) and pool.op == "exchange"]  # fmt: skip
    for name, i in found[1:]:
        c.add("T102", (*(("stages", name) if name else ()), "wrong", i),
              "a template can use 'exchange' in one question only",
              "items without a partner in one question would be missing in the other")  # fmt: skip


def _clue(c: ParseContext, stage: Stage, at: At) -> None:
    """T102: report a clue that states no time."""
    timed = {piece.filter for piece in prints(stage.clue)}
    if stage.clue and not timed & {"clock", "span"}:
        c.add("T102", (*at, "clue"), "a clue needs a time", "print one by 'clock' or 'span'")


def _pools(c: ParseContext, stage: Stage, at: At) -> None:
    """T110: report wrong times near the answer without ``unless``; they may be correct."""
    for i, pool in enumerate(stage.wrong):
        if isinstance(pool, Call) and pool.op == "near" and pool.get("unless") is None:
            of = pool.get("of")
            if isinstance(of, NODES) and of.type.name in ("instant", "stretch"):
                c.add("T110", (*at, "wrong", i), "a time near the answer may also be correct",
                      "add 'unless: …', a condition on `it` that must be false")  # fmt: skip


def _unused(c: ParseContext, program: Program) -> None:
    for key in program.unused_keys:
        at = ("variants", program.variant, key)
        c.add("T105", at, "this key is not used", "remove it from every variant", key=True)
    for step in program.let:
        if not set(step.names) & c.used:
            c.add("T105", ("let", ", ".join(step.names)), f"not used: {', '.join(step.names)!r}",
                  "remove it", key=True)  # fmt: skip


def _versions(c: ParseContext, program: Program) -> None:
    """T108: report each version from 2 on without a text that states what it changed."""
    for version in range(2, program.version + 1):
        if version not in program.changes:
            message = f"version {version} does not say what changed"
            c.add("T108", ("version",), message, f"add '{version}: …' under changes")
    for version in sorted(program.changes):
        if version > program.version:
            message = f"version {version} is described, but 'version' is {program.version}"
            c.add("T108", ("changes", version), message, f"set version to {version}")


def _wordings(c: ParseContext, stage: Stage, part: Mapping[str, Any], at: At) -> None:
    quiet = ParseContext(c.path, c.text, c.source)
    wordings = [wording_of(quiet, text, (*at, "ask", i)) for i, text in enumerate(part["ask"])]
    if len(wordings) < FEWEST_WORDINGS:
        c.add("T111", (*at, "ask"), f"{len(wordings)} wording(s)", f"write {FEWEST_WORDINGS}",
              key=True)  # fmt: skip
    first: dict[tuple, int] = {}
    for i, wording in enumerate(wordings):
        same = first.setdefault(essence(wording), i)
        if same != i:
            c.add("T111", (*at, "ask", i), f"is the same wording as ask[{same}]")
        _sentence(c, wording, (*at, "ask", i), stage.ask[i], question=True)
    for key in ("say", "context", "clue"):
        if key in part:
            wording = wording_of(quiet, part[key], (*at, key))
            _sentence(c, wording, (*at, key), getattr(stage, key), question=False)


def _sentence(c: ParseContext, wording: Wording, at: At, text: object, question: bool) -> None:
    for message in marks_and_spaces(literal(wording), question=question):
        c.add("T112", at, message)
    pieces = text if isinstance(text, tuple) else ()
    named = frozenset(
        ref.path for ref, piece in zip(wording, pieces, strict=True)
        if isinstance(ref, Ref) and isinstance(piece, Print) and piece.node.type.name in _NAMED
    )  # fmt: skip
    for rule in (articles, agreement):
        for message, fix in rule(wording, named):
            possible = any(f"| {name} }}}}" in fix for name in FILTERS)
            c.add("T112", at, message, fix if possible else "say it without the verb")
    if named_source := source_named(wording):
        c.add("T115", at, f"names {named_source!r}", "ask without naming the source")


def _answer_shown(c: ParseContext, stage: Stage, at: At) -> None:
    """T109: report a question that prints a part of its own answer."""
    answers = {node: name for name, node in stage.answer}
    for i, text in enumerate(stage.ask):
        for piece in prints(text):
            if piece.node in answers:
                message = f"{answers[piece.node]!r} is the answer itself"
                c.add("T109", (*at, "ask", i), message, "leave it out of the question")
