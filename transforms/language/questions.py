"""Read the questions of a template: answers, wrong options, texts, and the stages of a chain."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from surgqa.ontology.kinds import kind_names
from surgqa.transforms.algebra.signature import Param, signatures
from surgqa.transforms.algebra.tree import Call, Node, Text
from surgqa.transforms.algebra.types import RECORD, STRETCH, Type, element
from surgqa.transforms.language.arguments import ARGUMENTS, known_keys, read, record
from surgqa.transforms.language.context import RESERVED, At, ParseContext, Scope
from surgqa.transforms.language.forms import form_of, itself, printed_by
from surgqa.transforms.language.patterns import MANY
from surgqa.transforms.language.program import Ranked, Rubric, Stage, StageWindow
from surgqa.transforms.language.resolve import expression, is_broken, labelled, value
from surgqa.transforms.language.texts import text_of

QUESTION_KEYS = ("ask", "answer", "say", "wrong", "ranked", "rubric", "reasoning")
STAGE_KEYS = (*QUESTION_KEYS, "see", "window", "where", "context", "knowledge", "clue")
RANKED = {
    "top": Param("whole", "How many of the top options count.", required=True),
    "also": Param("value", "Other correct answers."),
}  # fmt: skip
RUBRIC = {
    "grounds": Param("text", "What a correct answer must be based on.", required=True),
    "cues": Param("cues", "Groups of words; the answer must match each group.", required=True),
}  # fmt: skip
WINDOW = {
    "around": Param("around", "What the window must contain.", ("stretch", "fact"), required=True),
    "at_least": Param("durations", "Least and preferred length of the window.", required=True),
    "room": Param("duration", "Margin around `around`."),
    "inside": Param("inside", "The stage whose window must contain this window."),
    "looked": Param("looked", "A kind that should be annotated throughout the window."),
}  # fmt: skip
LOOKED = {
    "kind": Param("word", "The annotated kind.", required=True),
    "at_least": Param("duration", "Shorter gaps in the annotation are ignored."),
}  # fmt: skip
KNOWLEDGE = dict.fromkeys(
    ("verb", "target", "phase", "anomaly", "rule", "subject", "procedure"),
    Param("values", "A key of the bank.", ("label", "act", "fact")),
)
TEXT = Param("text", "Text shown with the question.")
WHERE = Param("conditions", "What must certainly be true.")
UNOFFERED = ("fact", "facts", "track", "point", "motion")
"""Types of answers that cannot be options, because two values may be printed alike."""

CONDITIONED = ("instant", "stretch", "number", "duration", "set", "sequence", "label", "act",
               "word")  # fmt: skip
"""Types of values to which the condition ``unless`` of a pool can be applied."""
LATER = "the question would show its own answer"


def question(
    c: ParseContext,
    data: Mapping[str, Any],
    at: At,
    scope: Scope,
    name: str = "",
    ahead: bool = False,
) -> Stage:
    """Read one question.

    Args:
        scope: names of ``let``, and the stages before this one.
        ahead: True if the unit has a query time ``now``, so that stretches may lie after it.
    """
    for key in ("ask", "answer"):
        if key not in data:
            c.add("T102", at, f"{key!r} is missing", f"add '{key}: …'")
    answer = _answer(c, data.get("answer"), (*at, "answer"), scope) if "answer" in data else ()
    given = _whole_type(answer)
    with_answer = scope.adding({"answer": given})
    hidden = replace(scope, forbidden={**scope.forbidden, "answer": LATER})
    mute = [node for _, node in answer if not (is_broken(node) or printed_by(node.type))]
    if "say" not in data and mute:
        c.add("T102", at, f"'say' is missing: a {mute[0].type} can be printed in several ways",
              "write it: '{{ n | whole }}', '{{ many.size | whole }}'")  # fmt: skip
    pools = data.get("wrong", [])
    ranked = (
        record(c, data["ranked"], (*at, "ranked"), with_answer, RANKED)
        if "ranked" in data
        else None
    )
    rubric = (record(c, data["rubric"], (*at, "rubric"), with_answer, RUBRIC, {"cues": _cues})
              if "rubric" in data else None)  # fmt: skip
    return Stage(
        name=name,
        ask=_texts(c, data.get("ask", []), (*at, "ask"), hidden),
        answer=answer,
        form=form_of(answer, bool(pools), rubric is not None, ahead),
        say=text_of(c, data["say"], (*at, "say"), with_answer) if "say" in data else itself(answer),
        wrong=_pools(c, pools, (*at, "wrong"), with_answer, given),
        ranked=Ranked(**ranked) if ranked else None,
        rubric=Rubric(**rubric) if rubric else None,
        reasoning=_texts(c, data.get("reasoning", []), (*at, "reasoning"), with_answer),
    )


def _texts(c: ParseContext, data: Any, at: At, scope: Scope) -> tuple[Text, ...]:
    if not isinstance(data, list):
        c.add("T102", at, "a list of texts is expected", "write '- text' for each")
        return ()
    return tuple(text_of(c, text, (*at, i), scope) for i, text in enumerate(data))


def _answer(c: ParseContext, data: Any, at: At, scope: Scope) -> tuple[tuple[str, Node], ...]:
    if data == []:
        c.add("T102", at, "the list is empty", "name at least one step")
    if not isinstance(data, list):
        name = data if isinstance(data, str) else "answer"
        return ((name, value(c, data, at, scope)),)
    for i, one in enumerate(data):
        if not isinstance(one, str):
            c.add("T102", (*at, i), f"the name of a step is expected, found {one!r}",
                  "declare it under 'let'")  # fmt: skip
    return tuple((name, value(c, name, (*at, i), scope))
                 for i, name in enumerate(data) if isinstance(name, str))  # fmt: skip


def _whole_type(answer: tuple[tuple[str, Node], ...]) -> Type:
    if not answer:
        return Type("record", "?")
    return answer[0][1].type if len(answer) == 1 else RECORD


def _pools(c: ParseContext, data: Any, at: At, scope: Scope, given: Type) -> tuple[Node, ...]:
    if not isinstance(data, list):
        c.add("T102", at, "'wrong' is a list of pools", "write '- {labels: …}'")
        return ()
    return tuple(_pool(c, one, (*at, i), scope, given) for i, one in enumerate(data))


def _pool(c: ParseContext, data: Any, at: At, scope: Scope, given: Type) -> Node:
    node = expression(c, data, at, scope)
    if is_broken(node) or given.of == "?":
        return node
    if given.name in UNOFFERED:
        return c.add("T117", at, f"a {given} cannot be offered", "use 'x.label'")
    if isinstance(node, Call):
        if not signatures()[node.op].pool:
            pools = [name for name, one in signatures().items() if one.pool]
            return c.add("T117", at, f"{node.op!r} gives no options", f"pools: {', '.join(pools)}")
        listed = given.name in MANY and element(given).name not in ("label", "act")
        if node.get("unless") is not None and (listed or given.name not in CONDITIONED):
            return c.add("T117", at, f"no condition can be put on a {given}", "leave out 'unless'")
    else:
        node = labelled(c, node, given.of if given.name == "label" else "", at)
    one = element(node.type) if node.type.name in MANY else node.type
    fits = not one.of or one.of == given.name if one.name == "pool" else one.fits(given)
    if not is_broken(node) and not fits:
        c.mismatch(at, (str(given),), one, scope, node.place)
    return node


def _cues(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> tuple[Any, ...]:
    if not isinstance(data, list) or not all(isinstance(one, list) and one for one in data):
        c.add("T102", at, "'cues' is a list of lists of words", "write '- [word, word]'")
        return ()
    return tuple(tuple(map(str, group)) for group in data)


# -- chains -------------------------------------------------------------------------------


def stages(c: ParseContext, data: Any, scope: Scope) -> tuple[Stage, ...]:
    """Return the questions of a chain, in file order."""
    if not isinstance(data, dict) or not data:
        c.add("T102", ("stages",), "'stages' needs at least one name with its question")
        return ()
    for name in data:
        if not isinstance(name, str) or not name.isidentifier() or name in RESERVED:
            c.add("T102", ("stages", name), f"{name!r} cannot be the name of a stage", key=True)
            return ()
    inner = replace(scope, default="window", names={**scope.names, "window": STRETCH})
    out: list[Stage] = []
    for name, part in data.items():
        if isinstance(part, dict):
            asked = [stage.name for stage in out]
            out.append(_stage(c, name, part, inner, asked, tuple(data)))
        else:
            c.add("T102", ("stages", name), "a stage is a mapping of fields", "write 'ask: …'")
    return tuple(out)


def _stage(
    c: ParseContext, name: str, data: Mapping[str, Any], scope: Scope, asked: Collection[str],
    every: Collection[str],
) -> Stage:  # fmt: skip
    """Read one stage of a chain.

    Args:
        asked: names of the earlier stages.
        every: names of all stages.
    """
    at = ("stages", name)
    known_keys(c, data, at, STAGE_KEYS)
    pooled = scope.adding(dict.fromkeys(every, Type("stage")))
    made = question(c, data, at, pooled, name)
    later = {one: "it is asked later" for one in every if one not in asked}
    said = replace(pooled, forbidden=later)
    see = str(data.get("see", ""))
    if see and see not in every:
        c.unknown("T106", (*at, "see"), f"no stage named {see!r}", see, every, "stages")
    if not see and "window" not in data:
        c.add("T102", at, "a stage has a 'window', or 'see' names the stage whose window it has")
    given = record(c, data.get("knowledge", {}), (*at, "knowledge"), scope, KNOWLEDGE) or {}
    return replace(
        made, see=see, window=_window(c, data, (*at, "window"), scope, asked),
        knowledge=tuple(given.items()), **read(c, data, at, scope, {"where": WHERE}),
        **read(c, data, at, said, {"context": TEXT}), **read(c, data, at, pooled, {"clue": TEXT}),
    )  # fmt: skip


def _window(
    c: ParseContext, data: Mapping[str, Any], at: At, scope: Scope, asked: Collection[str]
) -> StageWindow | None:
    def inside(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> str:
        if data not in asked:
            c.unknown("T106", at, f"no stage named {data!r} before this one", data, asked, "stages")
        return str(data)

    own = {"inside": inside, "around": _around, "looked": _looked}
    made = record(c, data["window"], at, scope, WINDOW, own) if "window" in data else None
    if made is None:
        return None
    made["at_least"], made["wanted"] = made["at_least"]
    made["looked"], made["lasting"] = made.get("looked", ("", 0))
    if made["looked"] and made["around"] is None:
        c.add("T102", (*at, "looked"), "a window around 'options' cannot have 'looked'",
              "write it in the window that contains this one")  # fmt: skip
    return StageWindow(**made)


def _looked(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> tuple[str, int]:
    """Return the kind that must be annotated in a window, and the longest gap that is ignored."""
    given = data if isinstance(data, dict) else {"kind": data}
    made = record(c, given, at, scope, LOOKED) or {"kind": ""}
    if made["kind"] not in kind_names():
        message = f"no kind of facts {made['kind']!r}"
        c.unknown("T106", at, message, made["kind"], kind_names(), "kinds")
    return made["kind"], made.get("at_least", 0)


def _around(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> Node | None:
    return None if data == "options" else ARGUMENTS["named"](c, data, at, scope, param)
