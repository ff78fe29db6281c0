"""Affordance mapping: what a deed brings about."""

from __future__ import annotations

from collections.abc import Iterator

from ontology.concepts import vocabulary
from ontology.knowledge import admissible, effect_of, effects
from transforms.checks.chains.base import Q1, Chain, Key, Missing, Task, Truth, Value, meets
from transforms.checks.chains.deeds import (
    Deed,
    begun_by,
    deeds_of,
    effect_id,
    moments_of,
    phase_at,
)
from transforms.checks.rules.base import Undecided


def truth(chain: Chain) -> Truth:
    """The effect of the deed that the chain's event begins."""
    video = chain.video
    deed = _deed(chain)
    begun_by(chain, deed)
    effect = effect_id(video, deed)
    if effect is None:
        raise Undecided(f"no effect is known of {', '.join(deed.act)}")
    phase = phase_at(video, deed.start_us, deed.start_us + 1) or ""
    if phase != chain.text("phase"):
        raise Undecided(f"phase {phase!r} at {deed.start_us}, slot {chain.text('phase')!r}")
    doubtful = admissible(*deed.act) is False
    chain.note("deed_implausible", Q1, ", ".join(deed.act), doubtful)
    others = _others(chain, deed)
    stated = [
        one.box
        for one in moments_of(video, "affordance")
        if (one.tool, one.target, one.start_us) == (deed.tool, deed.target, deed.start_us)
        and one.box
    ]
    return Truth(
        what={"effect": effect},
        shown=deed.stretch,
        target=deed.stretch,
        time_us=deed.start_us,
        resolution_us=deed.resolution_us,
        resolutions=frozenset([deed.resolution_us]),
        key=Key(deed.verb, deed.target, phase=phase),
        same=[other.stretch for other in others if effect_id(video, other) == effect],
        also=[other.start_us for other in others if effect_id(video, other) == effect],
        twins=[other.stretch for other in others],
        boxes=stated or list(deed.boxes),
    )


def _deed(chain: Chain) -> Deed:
    """The deed of the tool on the tissue that the chain's event begins."""
    named = chain.text("tool"), chain.text("tissue")
    mine = [deed for deed in deeds_of(chain.video) if (deed.tool, deed.target) == named]
    found = [deed for deed in mine if chain.event in deed.first]
    if not found:
        raise Missing(f"row {chain.event!r} begins nothing that {' does to '.join(named)}")
    if len(found) > 1:
        raise Undecided(f"row {chain.event!r} begins {len(found)} deeds")
    return found[0]


def _others(chain: Chain, deed: Deed) -> list[Deed]:
    """Other deeds that may be of this instrument on this tissue."""
    return [
        other
        for other in deeds_of(chain.video)
        if other is not deed and other.tool in ("", deed.tool) and other.target in ("", deed.target)
    ]


def read(chain: Chain, truth: Truth, text: str) -> Value | None:
    """The effect that a text names."""
    folded = text.casefold()
    found = {name for name, words in _told(chain.text("tissue")) if words in folded}
    right = truth.what["effect"]
    name = right if right in found else min(found, default=None)
    return None if name is None else {"effect": name}


def _told(tissue: str) -> Iterator[tuple[str, str]]:
    """Effects on a tissue with the words (case-folded) in which an option tells them.

    A verb may have its own words for a tissue, and options tell the effects of any verb.
    """
    phrase = _phrase(tissue)
    own = (effect_of(verb, tissue) for verb in sorted(vocabulary("verbs")))
    for effect in (*effects().values(), *filter(None, own)):
        yield effect.id, effect.text.format(target=phrase).casefold()


def _phrase(tissue: str) -> str:
    for kind in ("targets", "structures"):
        if tissue in vocabulary(kind):
            return vocabulary(kind)[tissue].phrase
    raise Undecided(f"no tissue {tissue!r} is known")


def holds(chain: Chain, truth: Truth, value: Value) -> bool:
    """The instrument has the effect on the tissue at some time of the window."""
    if value == truth.what:
        return True
    window = chain.window(Q1)
    return any(
        effect_id(chain.video, other) == value["effect"]
        for other in _others(chain, _deed(chain))
        if meets(other.stretch, window)
    )


def told(chain: Chain, truth: Truth, text: str) -> bool:
    """A context tells the effect."""
    return read(chain, truth, text) == truth.what


EFFECTS = Task(truth, read, holds, told)
