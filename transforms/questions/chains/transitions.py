"""Micro-transition localisation: an instrument passes from one action to another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from ontology.concepts import vocabulary
from ontology.knowledge import admissible
from ontology.records import Code, Pointer
from ontology.times import SECOND_US
from transforms.questions.chains.actions import forms
from transforms.questions.chains.effects import phase_text
from transforms.questions.chains.found import WRONG, Bank, Event, Refused, Results, Search, Wrong
from transforms.questions.chains.words import deed_noun
from transforms.questions.queries.found import Named
from transforms.timeline.story import Deed, Noted, Story

GAP_US = SECOND_US
REACH_US = 60 * SECOND_US
"""Transitions that the instrument makes this near are not offered as wrong."""

Change = tuple[Deed, Deed, tuple[Pointer, ...]]
Acts = tuple[tuple[str, str], tuple[str, str]]


def change_of_action(search: Search) -> Results:
    """Every change of what an instrument does."""
    found = sorted(changes(search.story), key=lambda c: (c[1].start_us, c[1].tool, c[1].event))
    for change in found:
        yield change[1].start_us, _event(search, change, found)


def changes(story: Story) -> Iterator[Change]:
    """Stated transitions, and one deed of an instrument directly after another."""
    stated = set()
    for noted in story.of("transition"):
        before, after = _stated(noted)
        stated.add((after.tool, after.start_us))
        yield before, after, (noted.pointer,)
    by_tool: dict[str, list[Deed]] = defaultdict(list)
    for deed in story.deeds:
        if deed.tool:
            by_tool[deed.tool].append(deed)
    for tool in sorted(by_tool):
        mine = by_tool[tool]
        for before, after in zip(mine, mine[1:], strict=False):
            if (tool, after.start_us) not in stated and _follows(story, before, after):
                yield before, after, (*before.pointers, *after.pointers)


def _stated(noted: Noted) -> tuple[Deed, Deed]:
    one = noted.moment
    acts = [tuple((*part.split(","), "")[:2]) for part in one.label.split(">")]
    after = Deed(one.tool, acts[1][0], acts[1][1], one.start_us, one.end_us, one.resolution_us,
                 one.box_xyxy, noted.name, (noted.pointer,), one.origin)  # fmt: skip
    return replace(after, verb=acts[0][0], target=acts[0][1]), after


def _follows(story: Story, before: Deed, after: Deed) -> bool:
    """Directly, without overlap, and with nothing else that the instrument does meanwhile."""
    gap = after.start_us - before.end_us
    if not 0 <= gap <= max(GAP_US, before.resolution_us) or before.act == after.act:
        return False
    meanwhile = story.deeds_in(before.start_us, after.end_us)
    return [d.tool for d in meanwhile].count(after.tool) == 2


def _event(search: Search, change: Change, every: list[Change]) -> Event | Refused:
    before, after, proof = change
    story = search.story
    phase = story.phase_at(before.start_us, after.start_us + 1)
    if story.phases and phase is None:
        return Refused(Code.GATE, "the change does not lie within one phase")
    mine = [(a.act, b.act, b.start_us) for a, b, _ in every if b.tool == after.tool]
    same = [t for x, y, t in mine if (x, y) == (before.act, after.act) and t != after.start_us]
    wrong = _wrong(search, change, mine)
    if len(wrong) < WRONG:
        return Refused(Code.TOO_FEW_OPTIONS, "fewer than three changes certainly do not take place")
    right = passing(before, after)
    label = phase.label if phase else ""
    point = (after.start_us, after.start_us)
    return Event(
        name=after.event,
        whole=(after.start_us - SECOND_US, after.start_us + SECOND_US),
        target=point,
        onset_us=after.start_us,
        resolution_us=after.resolution_us,
        fields={"tool": Named("instrument", after.tool), "phase": phase_text(label),
                "before": before, "after": after, "change": right},
        slots={"tool": after.tool, "phase": label},
        value={"before": {"verb": before.verb, "target": before.target},
               "after": {"verb": after.verb, "target": after.target}},
        right=right,
        wrong=wrong,
        keys={n: Bank(after.verb, after.target, phase=label) for n in (1, 2, 3)},
        proofs={0: proof, 1: proof, 2: proof, 3: proof},
        same=tuple((t, t + 1) for t in same),
        also=tuple(same),
        related=tuple((b.start_us, b.end_us) for _, b, _ in every
                      if b.start_us != after.start_us and b.start_us not in same),
        box=after.box,
        names=((_plain(before), *forms(before)), (_plain(after), *forms(after))),
        guards=tuple(("the instrument makes the same change more than once in the window",
                      (t, t + 1)) for t in same),
    )  # fmt: skip


def passing(before: Deed, after: Deed) -> str:
    """'from grasping the gallbladder to dissecting the omentum'."""
    return f"from {_plain(before)} to {_plain(after)}"


def _plain(deed: Deed) -> str:
    return deed_noun(replace(deed, tool=""))


def _wrong(
    search: Search, change: Change, mine: list[tuple[tuple[str, str], tuple[str, str], int]]
) -> tuple[Wrong, ...]:
    """Changes that the instrument does not make nearby: reversed, then with one side changed."""
    before, after, _ = change
    near = {(x, y) for x, y, t in mine if abs(t - after.start_us) <= REACH_US}
    acts = _acts(search, after.tool)
    draws = search.key.extended("changes").extended(after.event)

    def ordered(pairs: list[Acts]) -> list[Acts]:
        fit = [(x, y) for x, y in pairs if x != y and (x, y) not in near]
        return sorted(fit, key=lambda pair: (draws.h64(pair), pair))

    options = [
        *ordered([(after.act, before.act)]),
        *ordered([(before.act, act) for act in acts]),
        *ordered([(act, after.act) for act in acts]),
    ]
    shown: dict[str, Wrong] = {}
    for x, y in options:
        text = passing(
            replace(before, verb=x[0], target=x[1]), replace(after, verb=y[0], target=y[1])
        )
        value = {"before": {"verb": x[0], "target": x[1]}, "after": {"verb": y[0], "target": y[1]}}
        if text != passing(before, after):
            shown.setdefault(text, Wrong(text, "other_transition", value))
    return tuple(list(shown.values())[:WRONG])


def _acts(search: Search, tool: str) -> list[tuple[str, str]]:
    """What the instrument does anywhere in the recording, and what it could do there."""
    if ("acts", tool) in search.memo:
        return list(search.memo["acts", tool])
    deeds = search.story.deeds
    done = {d.act for d in deeds if d.tool == tool}
    targets = sorted({d.target for d in deeds if d.target})
    could = {(verb, target) for verb in vocabulary("verbs") for target in targets
             if admissible(tool, verb, target)}  # fmt: skip
    search.memo["acts", tool] = sorted(done | could)
    return list(search.memo["acts", tool])
