"""Anchors: which phase, action, tool and tissue an utterance mentions, and when.

An anchor starts with its utterance.  If an utterance mentions several actions, there is one anchor
for each, and the later ones start with their part of the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from surgqa.ontology.concepts import load_data
from surgqa.ontology.keys import digest
from surgqa.ontology.observed import ANCHORS
from surgqa.transforms.evidence.speech.context import WordContext
from surgqa.transforms.evidence.speech.lexicon import cues
from surgqa.transforms.evidence.speech.match import NEGATED, WEAK, Match, matches
from surgqa.transforms.evidence.speech.negation import announces, places
from surgqa.transforms.evidence.speech.tokens import SpokenToken, tokens

TOOL_BY = ("with", "by", "using", "用")
TOOL_REACH = 3
"""Maximum words between "with" and the tool, plus one: "with the curved scissors"."""

ACTOR_REACH = 2
"""Maximum words between the acting tool and the action: "the hook now gently dissects"."""

KNOWN = "phase_known"
CUED = "phase_cued"
UNSEEN = "tool_not_seen"
UNSURE = "weak_speech"


@dataclass(frozen=True, slots=True)
class _Part:
    """Tokens [first, last) of an utterance with at most one action."""

    first: int
    last: int
    found: tuple[Match, ...]

    @property
    def clear(self) -> list[Match]:
        return [match for match in self.found if match.flag is None]

    def slot(self, name: str) -> list[Match]:
        return [match for match in self.clear if match.sense.slot == name]


def anchors(utterances: pa.Table, context: WordContext) -> pa.Table:
    """Return anchors of a video's utterances.

    Weak, ambiguous and negated terms are kept among the matches with a flag. They are not used as
    phase, action, tool or tissue, and are not among the normalised terms.

    Args:
        utterances: schema of utterances; if words are missing, the text is spread evenly over the
            utterance's time.
        context: procedure, phases and visible instruments, as far as they are known.

    Returns:
        Rows of the schema of anchors, ascending by start; an utterance without terms gives none.
    """
    rows = [row for said in utterances.to_pylist() for row in _of_one(said, context)]
    rows.sort(key=lambda row: (row["start_us"], row["end_us"], row["anchor_id"]))
    return pa.Table.from_pylist(rows, schema=ANCHORS)


def _of_one(utterance: dict[str, Any], context: WordContext) -> Iterable[dict[str, Any]]:
    whole = {key: utterance[key] for key in ("start_us", "end_us", "text")}
    said = tokens(utterance["words"] or [whole])
    span = utterance["start_us"], utterance["end_us"]
    found = matches(said, context, span)
    if not found:
        return
    parts = _parts(said, found)
    named = next((m.sense.concept for p in parts for m in p.slot("phase")), None)
    for i, part in enumerate(parts):
        if not part.found:
            continue
        start = span[0] if i == 0 else said[part.first].start_us
        end = span[1] if i + 1 == len(parts) else said[part.last - 1].end_us
        yield _anchor(utterance, said, parts, i, (start, max(end, start)), named, context)


def _anchor(
    utterance: dict[str, Any],
    said: Sequence[SpokenToken],
    parts: Sequence[_Part],
    index: int,
    span: tuple[int, int],
    named: str | None,
    context: WordContext,
) -> dict[str, Any]:
    part = parts[index]
    action = next((m.sense.concept for m in part.slot("action")), None)
    source = _lender(parts, index)
    tool, tissue = _tool(said, source), _tissue(said, source)
    terms = [match.sense.concept for match in part.clear]
    flags = {match.flag for match in part.found if match.flag is not None}
    phase, how = _phase(part, named, action, {*terms, tissue}, span, context)
    flags |= {how} if how else set()
    seen = context.instruments(*span)
    if tool is not None and seen and tool not in seen:
        flags.add(UNSEEN)
    if WEAK in utterance["flags"]:
        flags.add(UNSURE)
    return {
        "anchor_id": digest("anchor", utterance["utterance_id"], *span),
        "segment_id": utterance["utterance_id"],
        "start_us": span[0],
        "end_us": span[1],
        "raw_caption": utterance["raw_text"],
        "normalized_terms": list(dict.fromkeys(terms)),
        "phase": phase,
        "action": action,
        "tool": tool,
        "tissue": tissue,
        "intent": announces(said[: part.last]),
        "matches": [_match_json(match, said) for match in part.found],
        "flags": sorted(flags),
    }


def _parts(said: Sequence[SpokenToken], found: Sequence[Match]) -> list[_Part]:
    """The utterance cut between its actions, before the word that leads to the next action."""
    verbs = [m for m in found if m.sense.is_verb and m.flag in (None, NEGATED)]
    cuts = [0]
    for before, verb in zip(verbs, verbs[1:], strict=False):
        things = [m.last for m in found if before.last <= m.first and m.last <= verb.first]
        cuts.append(_cut(said, max(things, default=before.last), verb.first))
    cuts.append(len(said))
    return [
        _Part(a, b, tuple(m for m in found if a <= m.first < b))
        for a, b in zip(cuts, cuts[1:], strict=False)
    ]


def _cut(said: Sequence[SpokenToken], first: int, last: int) -> int:
    """Return the first of the tokens [first, last) that begins a new part, or ``last``."""
    new = places(said, cues(said[last].han, "boundary", "joiner"))
    leads = [a for a, b in new if first <= a < last]
    breaks = [i + 1 for i in range(max(first - 1, 0), last) if said[i].breaks]
    return min([*leads, *breaks, last])


def _lender(parts: Sequence[_Part], index: int) -> _Part:
    """The part that has the object of an action: "clip and cut the duct" also clips the duct."""
    part = parts[index]
    bare = all(match.sense.is_verb for match in part.found)
    if bare and index + 1 < len(parts) and part.last == parts[index + 1].first:
        return parts[index + 1]
    return part


def _tool(said: Sequence[SpokenToken], part: _Part) -> str | None:
    """Return the instrument that acts ("the hook dissects").

    Otherwise it is the tool after "with", "by" or "using", or else the first tool mentioned.
    """
    tools = part.slot("tool")
    for verb in part.slot("action"):
        for match in reversed(tools):
            between = said[match.last : verb.first]
            if match.last <= verb.first and len(between) <= ACTOR_REACH:
                return match.sense.concept
    for match in tools:
        before = said[max(match.first - TOOL_REACH, 0) : match.first]
        if any(token.text in TOOL_BY for token in before):
            return match.sense.concept
    return tools[0].sense.concept if tools else None


def _tissue(said: Sequence[SpokenToken], part: _Part) -> str | None:
    """Return the first tissue after the action, else the first before the action in its clause.

    "The artery is clipped" states what is clipped; "without the liver in view we clip" does not.
    """
    named = part.slot("tissue")
    done = part.slot("action")
    if done:
        verb = done[0]
        behind = [m for m in named if m.first >= verb.last]
        named = behind or [m for m in named if not _apart(said, m.last, verb.first)]
    return named[0].sense.concept if named else None


def _apart(said: Sequence[SpokenToken], first: int, last: int) -> bool:
    """Return whether a new clause begins between two terms, at the tokens [first, last)."""
    new = places(said[first:last], cues(said[last].han, "boundary", "subject"))
    return bool(new) or any(token.breaks for token in said[max(first - 1, 0) : last])


def _phase(
    part: _Part,
    named: str | None,
    action: str | None,
    terms: set[str | None],
    span: tuple[int, int],
    context: WordContext,
) -> tuple[str | None, str | None]:
    """Return the phase that is named, known or hinted at, and the flag for the last two."""
    spoken = next((m.sense.concept for m in part.slot("phase")), named)
    if spoken is not None:
        return spoken, None
    known = context.phase(*span)
    if known is not None:
        return known, KNOWN
    cued = _cued(action, terms, context)
    return cued, CUED if cued else None


def _cued(action: str | None, terms: set[str | None], context: WordContext) -> str | None:
    """Return the phase that an action and its tissues hint at, if the procedure is known."""
    for rule in load_data("vocab", "speech_cues")["phase_cues"]:
        if not context.surely(rule["procedures"]) or action not in rule["verb"]:
            continue
        if "tissue" not in rule or terms & set(rule["tissue"]):
            return str(rule["phase"])
    return None


def _match_json(match: Match, said: Sequence[SpokenToken]) -> dict[str, Any]:
    words = said[match.first : match.last]
    return {
        "kind": match.sense.kind,
        "concept": match.sense.concept,
        "heard": ("" if words[0].han else " ").join(word.heard for word in words),
        "score": match.score,
        "start_us": words[0].start_us,
        "end_us": words[-1].end_us,
        "flag": match.flag,
    }
