"""The knowledge bank: general medical statements that are true without looking at a video.

It consists of the files in ``ontology/knowledge/``: statements for the three questions of a chain,
rules of order, plausible triplets, and effects of actions.  Statements are general and
timeless (the linter in ``tests/ontology/statements.py`` lists what this forbids), in our own words,
each with a source.  The statement for the first question of a chain is about anatomy in general and
never names the answer; that for the third question describes the visible signs of the onset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from surgqa.ontology.concepts import label_map, load_data
from surgqa.ontology.errors import NameTaken, UnknownName
from surgqa.ontology.names import longest_in, words_of

TASKS = (
    "causal_action_ordering", "cue_action_alignment", "affordance_mapping",
    "micro_transition_localization", "anomaly_onset_tracking",
)  # fmt: skip
STAGES = (1, 2, 3)
ORDER = (
    ("verb", "target"), ("verb",), ("anomaly", "target"), ("anomaly",), ("target",), ("phase",),
    ("procedure",), (),
)  # fmt: skip
"""Keys by which a statement is looked up, the most specific first; the last one always matches.

Stage 1 has statements by target, phase and procedure, and a general one for each task.  It has none
by verb or anomaly, because the first question asks for them.  For the same reason, transitions have
none by target, and anomalies only those by procedure.  Stages 2 and 3 have statements by verb.  For
anomalies, they have statements by anomaly and a general one.
"""

_KEYS = frozenset(name for fields in ORDER for name in fields)
ANY = "*"
ALWAYS, USUALLY = "always", "usually"
_WITH_STATEMENTS = ("actions", "anatomy", "anomalies", "operations")
_IDLE = frozenset({("null_verb", "null_target")})

Act = tuple[str, str]
"""(verb, target)."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of medical knowledge that is true whatever a video shows.

    Attributes:
        id: section of the file and the statement's key, joined by dots. It never changes.
        text: a sentence.
        source: source of the statement; most statements are surgical practice in our own words.
        key: (tasks, stage, (field, value), ...).
    """

    id: str
    text: str
    source: str
    key: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule about the order of two actions, with the reason.

    Attributes:
        force: :data:`ALWAYS` (the reverse order means that something went wrong) or
            :data:`USUALLY`.
        before, after: (verb, target).  :data:`ANY` on both sides means the same target; on one
            side, any target.
        reason: a sentence that can be shown as knowledge.
    """

    id: str
    force: str
    before: Act
    after: Act
    reason: str
    source: str

    def orders(self, first: Act, second: Act) -> bool:
        """Return whether the rule states that ``first`` comes before ``second``."""
        if (first[0], second[0]) != (self.before[0], self.after[0]):
            return False
        wanted = self.before[1], self.after[1]
        if wanted == (ANY, ANY):
            return first[1] == second[1]
        return all(w in (ANY, g) for w, g in zip(wanted, (first[1], second[1]), strict=True))


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an action on a tissue.

    Attributes:
        text: an answer option with the slot ``{target}`` for the name with its article.
        synonyms: other words for the effect, used to parse answers.
    """

    id: str
    text: str
    synonyms: tuple[str, ...]


def statement(
    task: str,
    stage: int,
    *,
    verb: str = "",
    target: str = "",
    anomaly: str = "",
    procedure: str = "",
    phase: str = "",
) -> Statement | None:
    """Return the most specific statement that matches, in the order of :data:`ORDER`.

    Args:
        task: task of :data:`TASKS`.
        stage: 1 to 3.
        verb, target, anomaly: concept ids; an anomaly is an id of the vocabulary ``events``.
        procedure: name of the procedure as readers write it. The longest known name that occurs in
            it is used.
        phase: id of a phase or a step.

    Returns:
        None if nothing matches, as for an unknown verb at stages 2 and 3 of a task about actions.

    Raises:
        UserError: there is no such task or stage.
    """
    if task not in TASKS or stage not in STAGES:
        raise UnknownName(
            "knowledge: no such task or stage",
            expected=f"{', '.join(TASKS)}; 1 to 3",
            found=f"{task}, {stage}",
        )
    given = {"verb": verb, "target": target, "anomaly": anomaly, "phase": phase,
             "procedure": operation(procedure)}  # fmt: skip
    known = _statements()
    for fields in ORDER:
        found = known.get((task, stage, *((name, given[name]) for name in fields)))
        if found is not None:
            return found
    return None


def statement_for(task: str, stage: int, given: Mapping[str, str]) -> str:
    """Return the text of the most specific statement for a question, '' if the bank has none.

    For a task that the bank does not contain, the statements of all its tasks are searched, except
    those that are about a whole task or operation.

    Args:
        given: ids by key, such as ``verb``; keys that no statement uses are ignored.
    """
    keys = {key: value for key, value in given.items() if key in _KEYS}
    if task in TASKS:
        found = statement(task, stage, **keys)
        return found.text if found is not None else ""
    of_keys = (fields for fields in ORDER if fields not in (("procedure",), ()))
    tried = (_statements().get((one, stage, *((name, keys.get(name, "")) for name in fields)))
             for fields in of_keys for one in TASKS)  # fmt: skip
    return next((one.text for one in tried if one is not None), "")


def statements() -> tuple[Statement, ...]:
    """Return all statements, sorted by id."""
    unique = {one.id: one for one in _statements().values()}
    return tuple(unique[key] for key in sorted(unique))


@lru_cache(maxsize=1024)
def operation(procedure: str) -> str:
    """Return the id of the operation with the longest name in a procedure's name; '' if none."""
    return longest_in(procedure, _operations()) or ""


@lru_cache(maxsize=1024)
def rules(procedure: str) -> tuple[Rule, ...]:
    """Return the rules for a procedure: those of its operation, then those of all operations."""
    data = load_data("knowledge", "rules")
    own = data["operations"].get(operation(procedure), {})
    read = [_rule(key, entry, data["source"]) for part in (own, data["any"])
            for key, entry in part.items()]  # fmt: skip
    return tuple(read)


@lru_cache(maxsize=8192)
def rule_between(procedure: str, first: Act, second: Act) -> tuple[Rule, bool] | None:
    """Return the first rule about two actions, and whether ``first`` comes first by this rule.

    The rule may name the two actions in either order.  Returns None if there is no rule.
    """
    for rule in rules(procedure):
        if rule.orders(first, second):
            return rule, True
        if rule.orders(second, first):
            return rule, False
    return None


def admissible(tool: str, verb: str, target: str) -> bool | None:
    """Return whether a triplet is clinically plausible; None if the bank lacks the tool."""
    known = _triples().get(tool)
    return None if known is None else (verb, target) in known


@cache
def possible_acts() -> frozenset[Act]:
    """Return every (verb, target) that is possible with some instrument."""
    return frozenset().union(*_triples().values())


@cache
def effects() -> Mapping[str, Effect]:
    """Return every effect by its id. An action has at most one effect."""
    entries = load_data("knowledge", "effects")["effects"]
    return {
        key: Effect(key, entry["text"], tuple(entry.get("synonyms", ())))
        for key, entry in entries.items()
    }


def effect_of(verb: str, target: str = "") -> Effect | None:
    """Return the effect of a verb on a target; None if the verb has none."""
    for key, entry in load_data("knowledge", "effects")["effects"].items():
        if verb in entry["verbs"]:
            plain = effects()[key]
            text = entry.get("targets", {}).get(target, plain.text)
            return Effect(key, text, plain.synonyms)
    return None


def effect_text(effect: str, name: str = "it") -> str:
    """Return the sentence about an effect on a target; '' for an unknown effect.

    Args:
        name: name of the target in the sentence.
    """
    entry = load_data("knowledge", "effects")["effects"].get(effect)
    return "" if entry is None else str(entry["text"]).format(target=name)


@cache
def reason_text(reason: str) -> str:
    """Return the reason of a rule as a sentence, by the rule's id; '' for an unknown rule."""
    bank = load_data("knowledge", "rules")
    parts = (*bank["operations"].values(), bank["any"])
    return next((str(part[reason]["reason"]) for part in parts if reason in part), "")


@cache
def _statements() -> Mapping[tuple[Any, ...], Statement]:
    out: dict[tuple[Any, ...], Statement] = {}
    for name in _WITH_STATEMENTS:
        for one in _read(name):
            tasks, stage, *fields = one.key
            for key in ((task, stage, *fields) for task in tasks):
                if key in out:
                    raise NameTaken(
                        f"knowledge: two statements for {key}",
                        found=f"{out[key].id}, {one.id}",
                        where=f"ontology/knowledge/{name}.yaml",
                        fix="keep one of them",
                    )
                out[key] = one
    return out


def _read(name: str) -> Iterator[Statement]:
    """Yield each statement of a file with its source: its own, its section's or the file's."""
    data = load_data("knowledge", name)
    for section, entry in data["sections"].items():
        source = entry.get("source", data["source"])
        for key, value in entry["texts"].items():
            values = key.split() if entry["by"] else ()
            own = value if isinstance(value, dict) else {"text": value}
            fields = zip(entry["by"], values, strict=True)
            yield Statement(
                ".".join((section, *key.split())),
                own["text"],
                own.get("source", source),
                (tuple(entry["tasks"]), entry["stage"], *fields),
            )


def _rule(key: str, entry: Mapping[str, Any], source: str) -> Rule:
    before, after = (tuple(entry[side]) for side in ("before", "after"))
    return Rule(
        key,
        entry["force"],
        (before[0], before[1]),
        (after[0], after[1]),
        entry["reason"],
        entry.get("source", source),
    )


@cache
def _operations() -> Mapping[tuple[str, ...], str]:
    entries = load_data("knowledge", "operations")["procedures"].items()
    found = {words_of(name): key for key, names in entries for name in names}
    return dict(sorted(found.items(), reverse=True))


@cache
def _triples() -> Mapping[str, frozenset[Act]]:
    """Return each tool's plausible (verb, target) pairs: our own and those of CholecT50."""
    data = load_data("knowledge", "triples")
    out: dict[str, set[Act]] = {}
    spelled = label_map("cholect50")
    for row in load_data("maps", "cholect50_triplets").values():
        kinds = zip(("instrument", "verb", "target"), row, strict=True)
        tool, verb, target = (str(spelled[kind][label]) for kind, label in kinds)
        out.setdefault(tool, set()).add((verb, target))
    for tool, entry in data["tools"].items():
        own = out.setdefault(tool, set())
        own.update(out[entry["like"]] if "like" in entry else _IDLE)
        for verb in entry.keys() - {"like"}:
            own.update((verb, t) for name in entry[verb] for t in data["groups"].get(name, [name]))
    return {tool: frozenset(acts) for tool, acts in out.items()}
