"""Affordance mapping: what an instrument's action does to a tissue."""

from __future__ import annotations

from ontology.concepts import vocabulary
from ontology.knowledge import Effect, admissible, effect_of, effects
from ontology.records import Code
from ontology.times import SECOND_US
from transforms.questions.chains.actions import forms, phase_of
from transforms.questions.chains.found import WRONG, Bank, Event, Refused, Results, Search, Wrong
from transforms.questions.chains.words import deed_noun, tissue
from transforms.questions.queries.found import Named
from transforms.timeline.story import Deed, Noted

REACH_US = 60 * SECOND_US
"""Effects that the instrument has, or that the tissue suffers, this near are not offered."""
NO_PHASE = "this part of the operation"


def effect_of_action(search: Search) -> Results:
    """Every action of a known instrument on a known tissue."""
    stated = {(n.moment.tool, n.moment.target, n.moment.start_us): n
              for n in search.story.of("affordance")}  # fmt: skip
    for deed in search.story.deeds:
        noted = stated.get((deed.tool, deed.target, deed.start_us))
        yield deed.start_us, _event(search, deed, noted)


def _effect(deed: Deed, noted: Noted | None) -> Effect | None:
    """The annotated effect, else that of the verb."""
    if noted and noted.moment.label in effects():
        return effects()[noted.moment.label]
    return effect_of(deed.verb, deed.target)


def _event(search: Search, deed: Deed, noted: Noted | None) -> Event | Refused:
    if not deed.tool or not deed.target:
        return Refused(Code.NO_EVIDENCE, "no instrument or no tissue is known")
    effect = _effect(deed, noted)
    if effect is None:
        return Refused(Code.NO_KNOWLEDGE, "the knowledge bank names no effect of the action")
    if admissible(deed.tool, deed.verb, deed.target) is False:
        return Refused(Code.GATE, "no surgeon does this with the instrument: a doubtful label")
    story = search.story
    near = story.deeds_beside(deed.stretch, deed)
    mine = [d for d in near if (d.tool, d.target) == (deed.tool, deed.target)]
    wrong = _wrong(search, deed, effect)
    if len(wrong) < WRONG:
        return Refused(Code.TOO_FEW_OPTIONS, "fewer than three effects are certainly not meant")
    box = noted.moment.box_xyxy if noted and noted.moment.box_xyxy else deed.box
    phase = phase_of(story, deed)
    proof = (*deed.pointers, *([noted.pointer] if noted else []))
    right = told(effect, deed)
    return Event(
        name=deed.event,
        whole=deed.stretch,
        target=deed.stretch,
        onset_us=deed.start_us,
        resolution_us=deed.resolution_us,
        fields={"tool": Named("instrument", deed.tool), "tissue": tissue_name(deed.target),
                "phase": phase_text(phase), "effect": right, "deed": deed},
        slots={"tool": deed.tool, "tissue": deed.target, "phase": phase},
        value={"effect": effect.id},
        right=right,
        wrong=wrong,
        keys={n: Bank(deed.verb, deed.target, phase=phase) for n in (1, 2, 3)},
        proofs={0: proof, 1: proof, 2: deed.pointers, 3: proof},
        same=tuple(d.stretch for d in mine),
        also=tuple(d.start_us for d in mine),
        related=tuple(d.stretch for d in near if (d.tool, d.target) != (deed.tool, deed.target)),
        box=box,
        names=((right, deed_noun(deed), *forms(deed)),),
        guards=tuple(("the instrument acts on the tissue more than once in the window", d.stretch)
                     for d in mine),
    )  # fmt: skip


def told(effect: Effect, deed: Deed) -> str:
    """An effect as an option: 'it divides the cystic duct'."""
    return f"it {effect.text.format(target=tissue(deed.target).phrase)}"


def _wrong(search: Search, deed: Deed, right: Effect) -> tuple[Wrong, ...]:
    """Effects of other verbs, first of those that the instrument can have on the tissue."""
    near = search.story.deeds_in(deed.start_us - REACH_US, deed.start_us + REACH_US)
    beside = [d for d in near if d.target == deed.target or d.tool == deed.tool]
    there = {right.id} | {e.id for d in beside if (e := effect_of(d.verb, d.target))}
    by_verb = {verb: effect_of(verb, deed.target) for verb in sorted(vocabulary("verbs"))}
    # Of verbs with one effect the first by name; its words fit the tissue.
    rest = {e.id: e for e in reversed(list(by_verb.values())) if e and e.id not in there}
    able = {e.id for verb, e in by_verb.items() if e and admissible(deed.tool, verb, deed.target)}
    draws = search.key.extended("effects").extended(deed.event)
    ordered = sorted(rest, key=lambda name: (name not in able, draws.h64(name), name))
    return tuple(
        Wrong(told(rest[name], deed), "other_effect", {"effect": name}) for name in ordered[:WRONG]
    )


def phase_text(label: str) -> str:
    """A phase or step as a wording puts it into a sentence."""
    for kind in ("phase", "step"):
        if label in vocabulary(f"{kind}s"):
            return vocabulary(f"{kind}s")[label].display
    return NO_PHASE


def tissue_name(label: str) -> Named:
    """A tissue as a name: a target, or a structure."""
    return Named("target" if label in vocabulary("targets") else "structure", label)
