"""Questions: answers, wrong options, words, and the stages of a chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ontology.kinds import kind_names
from transforms.algebra.signature import signatures
from transforms.algebra.tree import Call, Node, Text
from transforms.algebra.types import RECORD, STRETCH, Type, element
from transforms.language.arguments import values
from transforms.language.conditions import conditions
from transforms.language.context import RESERVED, At, Context, Scope, nearest
from transforms.language.forms import form_of, itself
from transforms.language.program import Ranked, Rubric, Stage, StageWindow
from transforms.language.resolve import BROKEN, expression, is_broken, labelled, value
from transforms.language.settings import duration, durations, whole
from transforms.language.texts import text_of

QUESTION_KEYS = ("ask", "answer", "say", "wrong", "ranked", "rubric", "reasoning")
STAGE_KEYS = (*QUESTION_KEYS, "see", "window", "where", "context", "knowledge", "clue")
KNOWLEDGE = ("verb", "target", "phase", "anomaly", "rule", "subject", "procedure")
CONDITIONED = (
    "instant", "stretch", "number", "duration", "set", "sequence", "label", "act", "word",
)  # fmt: skip
"""Types of values on which ``unless`` can put a condition."""
LATER = "the question would show its own answer"


def question(
    c: Context, data: Mapping[str, Any], at: At, scope: Scope, name: str = "", ahead: bool = False
) -> Stage:
    """One question.

    Args:
        scope: names of ``let``, and the stages that were asked before.
        ahead: the unit has a ``now`` and stretches may lie ahead of it.
    """
    for key in ("ask", "answer"):
        if key not in data:
            c.add("T102", at, f"{key!r} is missing", f"add '{key}: …'")
    answer = _answer(c, data.get("answer"), (*at, "answer"), scope) if "answer" in data else ()
    given = _whole_type(answer)
    told = scope.adding({"answer": given})
    hidden = replace(scope, forbidden={**scope.forbidden, "answer": LATER})
    if "say" not in data and any(node.type.name == "number" for _, node in answer):
        c.add("T102", at, "'say' is missing", "a number says how it is printed: '{{ n | whole }}'")
    pools = data.get("wrong", [])
    rubric = _rubric(c, data["rubric"], (*at, "rubric"), told) if "rubric" in data else None
    return Stage(
        name=name,
        ask=_texts(c, data.get("ask", []), (*at, "ask"), hidden),
        answer=answer,
        form=form_of(answer, bool(pools), rubric is not None, ahead),
        say=text_of(c, data["say"], (*at, "say"), told) if "say" in data else itself(answer),
        wrong=_pools(c, pools, (*at, "wrong"), told, given),
        ranked=_ranked(c, data["ranked"], (*at, "ranked"), told) if "ranked" in data else None,
        rubric=rubric,
        reasoning=_texts(c, data.get("reasoning", []), (*at, "reasoning"), told),
    )


def _texts(c: Context, data: Any, at: At, scope: Scope) -> tuple[Text, ...]:
    if not isinstance(data, list):
        c.add("T102", at, "a list of texts is expected", "write '- text' for each")
        return ()
    return tuple(text_of(c, text, (*at, i), scope) for i, text in enumerate(data))


def _answer(c: Context, data: Any, at: At, scope: Scope) -> tuple[tuple[str, Node], ...]:
    if data == []:
        c.add("T102", at, "the list is empty", "name at least one step")
    if not isinstance(data, list):
        name = data if isinstance(data, str) else "answer"
        return ((name, value(c, data, at, scope)),)
    out = []
    for i, one in enumerate(data):
        if not isinstance(one, str):
            c.add("T102", (*at, i), f"the name of a step is expected, found {one!r}",
                  "declare it under 'let'")  # fmt: skip
            continue
        out.append((one, value(c, one, (*at, i), scope)))
    return tuple(out)


def _whole_type(answer: tuple[tuple[str, Node], ...]) -> Type:
    if not answer:
        return Type("record", "?")
    return answer[0][1].type if len(answer) == 1 else RECORD


def _pools(
    c: Context, data: Any, at: At, scope: Scope, given: Type
) -> tuple[Node, ...]:  # fmt: skip
    if not isinstance(data, list):
        c.add("T102", at, "'wrong' is a list of pools", "write '- {labels: …}'")
        return ()
    return tuple(_pool(c, one, (*at, i), scope, given) for i, one in enumerate(data))


def _pool(c: Context, data: Any, at: At, scope: Scope, given: Type) -> Node:
    node = expression(c, data, at, scope)
    if is_broken(node) or given.of == "?":
        return node
    if isinstance(node, Call):
        if not signatures()[node.op].pool:
            pools = [name for name, one in signatures().items() if one.pool]
            c.add("T117", at, f"{node.op!r} gives no options", f"pools: {', '.join(pools)}")
            return BROKEN
        if node.get("unless") is not None and given.name not in CONDITIONED:
            c.add("T117", at, f"no condition can be put on a {given}", "leave out 'unless'")
            return BROKEN
        one = node.type if node.type.name == "pool" else element(node.type)
        if node.type.name != "pool" and not one.fits(given):
            c.mismatch(at, (str(given),), one, scope, node.place)
        return node
    node = labelled(c, node, given.of if given.name == "label" else "", at)
    many = node.type.name in ("set", "facts", "sequence")
    if not is_broken(node) and not (element(node.type) if many else node.type).fits(given):
        c.mismatch(at, (str(given),), node.type, scope, node.place)
    return node


def _ranked(c: Context, data: Any, at: At, scope: Scope) -> Ranked | None:
    if not isinstance(data, dict) or "top" not in data:
        c.add("T102", at, "'ranked' says how many count", "write '{top: 3}'")
        return None
    _known(c, data, at, ("top", "also"))
    also = expression(c, data["also"], (*at, "also"), scope) if "also" in data else None
    return Ranked(whole(c, data["top"], (*at, "top")), also)


def _rubric(c: Context, data: Any, at: At, scope: Scope) -> Rubric | None:
    if not isinstance(data, dict) or set(data) != {"grounds", "cues"}:
        c.add("T102", at, "a rubric has 'grounds' and 'cues'", "see docs: open questions")
        return None
    cues = data["cues"] if isinstance(data["cues"], list) else []
    if not cues or not all(isinstance(group, list) and group for group in cues):
        c.add("T102", (*at, "cues"), "'cues' is a list of lists of words", "write '- [word, word]'")
        return None
    grounds = text_of(c, data["grounds"], (*at, "grounds"), scope)
    return Rubric(grounds, tuple(tuple(map(str, group)) for group in cues))


def _known(c: Context, data: Mapping[str, Any], at: At, known: tuple[str, ...]) -> None:
    for key in data:
        if key not in known:
            c.add("T102", (*at, key), f"unknown field {key!r}", nearest(str(key), known, "fields"),
                  key=True)  # fmt: skip


# -- chains -------------------------------------------------------------------------------


def stages(c: Context, data: Any, scope: Scope) -> tuple[Stage, ...]:
    """The questions of a chain, in the order in which they are written."""
    if not isinstance(data, dict) or not data:
        c.add("T102", ("stages",), "'stages' needs at least one name with its question")
        return ()
    for name in data:
        if not isinstance(name, str) or not name.isidentifier() or name in RESERVED:
            c.add("T102", ("stages", name), f"{name!r} cannot be the name of a stage", key=True)
            return ()
    every = {str(name): Type("stage") for name in data}
    out = []
    asked: dict[str, Type] = {}
    for name, part in data.items():
        at = ("stages", name)
        if not isinstance(part, dict):
            c.add("T102", at, "a stage is a mapping of fields", "write 'ask: …'")
            continue
        later = {one: "it has not been asked yet" for one in every if one not in asked}
        inner = replace(scope, default="window", names={**scope.names, "window": STRETCH})
        out.append(_stage(c, str(name), part, at, inner, asked, later, every))
        asked[str(name)] = Type("stage", "")
    return tuple(out)


def _stage(
    c: Context, name: str, data: Mapping[str, Any], at: At, scope: Scope,
    asked: Mapping[str, Type], later: Mapping[str, str], every: Mapping[str, Type],
) -> Stage:  # fmt: skip
    _known(c, data, at, STAGE_KEYS)
    pooled = scope.adding(every)
    made = question(c, data, at, pooled, name)
    said = replace(scope.adding(every), forbidden=dict(later))
    see = str(data.get("see", ""))
    if see and see not in every:
        c.add("T106", (*at, "see"), f"no stage named {see!r}", nearest(see, every, "stages"))
    if not see and "window" not in data:
        c.add("T102", at, "a stage has a 'window', or 'see' names the stage whose window it has")
    return replace(
        made,
        see=see,
        window=_window(c, data["window"], (*at, "window"), scope, asked)
        if "window" in data
        else None,
        where=conditions(c, data["where"], (*at, "where"), scope) if "where" in data else (),
        context=text_of(c, data["context"], (*at, "context"), said) if "context" in data else (),
        knowledge=_knowledge(c, data.get("knowledge", {}), (*at, "knowledge"), scope),
        clue=text_of(c, data["clue"], (*at, "clue"), pooled) if "clue" in data else (),
    )


def _window(
    c: Context, data: Any, at: At, scope: Scope, asked: Mapping[str, Type]
) -> StageWindow | None:
    if not isinstance(data, dict) or "around" not in data or "at_least" not in data:
        c.add(
            "T102",
            at,
            "a window has 'around' and 'at_least'",
            "write '{around: …, at_least: 20 s}'",
        )
        return None
    _known(c, data, at, ("around", "at_least", "room", "inside", "looked"))
    inside = str(data.get("inside", ""))
    if inside and inside not in asked:
        c.add("T106", (*at, "inside"), f"no stage named {inside!r} before this one",
              nearest(inside, asked, "stages"))  # fmt: skip
    around = None
    if data["around"] != "options":
        around = value(c, data["around"], (*at, "around"), scope)
        if not is_broken(around) and around.type.name not in ("stretch", "fact"):
            c.mismatch((*at, "around"), ("stretch", "fact"), around.type, scope, around.place)
    at_least, wanted = durations(c, data["at_least"], (*at, "at_least"))
    room = duration(c, data["room"], (*at, "room")) if "room" in data else 0
    looked, lasting = _looked(c, data["looked"], (*at, "looked")) if "looked" in data else ("", 0)
    if looked and around is None:
        c.add("T102", (*at, "looked"), "a window around options has no 'looked'",
              "write it in the window that this one lies inside")  # fmt: skip
    return StageWindow(around, at_least, wanted, room, inside, looked, lasting)


def _looked(c: Context, data: Any, at: At) -> tuple[str, int]:
    """What is looked for in a window: a kind, or facts of it that last some time."""
    given = data if isinstance(data, dict) else {"kind": data}
    _known(c, given, at, ("kind", "at_least"))
    kind = str(given.get("kind", ""))
    if kind not in kind_names():
        c.add("T106", at, f"no kind of facts {kind!r}", nearest(kind, kind_names(), "kinds"))
    key = (*at, "at_least")
    return kind, duration(c, given["at_least"], key) if "at_least" in given else 0


def _knowledge(
    c: Context, data: Any, at: At, scope: Scope
) -> tuple[tuple[str, tuple[Node, ...]], ...]:
    if not isinstance(data, dict):
        c.add("T102", at, "'knowledge' names keys of the bank", "write '{verb: …, target: …}'")
        return ()
    _known(c, data, at, KNOWLEDGE)
    out = []
    for key, one in data.items():
        found = values(c, one, (*at, key), scope, ("label", "act", "fact"))
        out.append((str(key), found[0] if found else ()))
    return tuple(out)
