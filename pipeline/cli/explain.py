"""``surgqa explain``: from a question back to its evidence and the rows of the label files.

The command also explains the codes of errors and rejections.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import EXIT_DONE, KINDS, WrongUsage
from surgqa.ontology.times import print_seconds
from surgqa.pipeline.cli.console import fields, table, write_json, write_result
from surgqa.pipeline.cli.options import Text, arg, flag, opt

if TYPE_CHECKING:
    from surgqa.transforms.store.trace import ItemTrace


def explain(
    out: Annotated[str, arg("OUT|CODE", "Folder that 'surgqa build' wrote, or a code.")],
    item_id: Annotated[Text, arg("ITEM_ID", "Id of the item, or its first characters.")] = None,
    rows: Annotated[int, opt("N", "Number of evidence rows; 0 prints all.", min=0)] = 20,
    json: Annotated[bool, flag("--json", "Print JSON, with all rows.")] = False,
    sql: Annotated[bool, flag("--sql", "Print the SQL query that proves the item.")] = False,
) -> int:
    """Print an item with the evidence behind its answer, or what a code means.

    A code is that of an error, or that of a rejection in 'rejected/'.

    \b
    surgqa explain file-missing
    surgqa explain no_filling
    surgqa explain out 0f3a91c2
    surgqa explain out 0f3a91c2 --sql > item.sql; cd out; duckdb < ../item.sql
    """
    if item_id is None:
        _explain_code(out, json)
        return EXIT_DONE
    from surgqa.transforms.store import OutputFolder
    from surgqa.transforms.store.trace import trace

    if sql:
        from surgqa.transforms.checks.proof.explain import script

        write_result(script(OutputFolder(out), item_id))
        return EXIT_DONE
    found = trace(OutputFolder(out), item_id)
    if json:
        evidence = {"events": list(found.events), "segments": list(found.segments),
                    "others": list(found.others)}  # fmt: skip
        write_json({"item": found.item, "evidence": evidence, "chain": list(found.chain)})
    else:
        write_result(describe(found, rows))
    return EXIT_DONE


def _explain_code(code: str, json: bool) -> None:
    """Print what the code of an error or a rejection means, and what to do."""
    import surgqa.transforms.language.findings  # noqa: F401 - its kind of error is one of KINDS
    from surgqa.ontology.explained import explanations, rejections
    from surgqa.ontology.names import closest

    known, rejected = explanations(), rejections()
    if code in rejected:
        what = {"code": code, **asdict(rejected[code])}
        what["see"] = f"docs/{what['see']}" if what["see"] else ""
        what = {name: value for name, value in what.items() if value}
        write_json(what) if json else write_result(fields(what))
        return
    if code not in known:
        close = closest(code, [*known, *rejected])
        lists = "docs/error_codes.md and docs/rejections.md list the codes"
        raise WrongUsage(
            "neither the code of an error or rejection, nor an output folder and an item",
            expected="surgqa explain CODE, or surgqa explain OUT ITEM_ID", found=code,
            fix=f"did you mean {close}?" if close else lists,
        )  # fmt: skip
    one = known[code]
    entry = {"code": code, "exit status": KINDS[code].exit_code, "means": one.means,
            "why": one.why, "fix": one.fix}  # fmt: skip
    if json:
        write_json(entry | {"example": one.example()})
    else:
        write_result(f"{fields(entry)}\n\n{one.example()}")


def describe(found: ItemTrace, limit: int = 20) -> str:
    """Return an item with its evidence as text.

    Args:
        found: the item and its evidence.
        limit: number of evidence rows, 0 for all.
    """
    item = found.item
    parts = [fields(_head(item))]
    if item["options"]:
        parts.append("options\n" + table([_option(option) for option in item["options"]]))
    value = ", ".join(f"{k} = {v}" for k, v in _texts(item["answer_value"]).items())
    parts += [
        fields({"answer": item["answer"], "as a value": value}),
        "slots\n" + fields(_texts(item["slots"]), "  "),
    ]
    if item["reasoning"]:
        parts.append("reasoning\n" + "\n".join(f"  {step}" for step in item["reasoning"]))
    if item["checks"]:
        checks = [["", one["name"], f"{one['measured']:g}", one["limit"]] for one in item["checks"]]
        parts.append("limits kept\n" + table(checks))
    parts += [_chain(found), _rounds(item), _evidence(found, limit), _sources(found)]
    return "\n\n".join(part for part in parts if part)


def _head(item: Mapping[str, Any]) -> dict[str, object]:
    from surgqa.ontology.units import asked_us

    at_us = asked_us(item)
    known: dict[str, object] = {
        "item": item["item_id"],
        "template": f"{item['template_id']} version {item['template_version']}",
        "task": f"{item['benchmark']}: {item['task']} ({item['form']})",
        "unit": item["unit"],
        "rule": _rule(item),
        "video": f"{item['dataset']}/{item['video_id']} ({item['procedure']})",
        "window": f"{print_seconds(item['start_us'])} to {print_seconds(item['end_us'])} s",
        "put at": None if at_us is None else f"{print_seconds(at_us)} s",
        "question": item["question"],
    }
    return {name: value for name, value in known.items() if value}


def _rule(item: Mapping[str, Any]) -> str:
    """Return one line: operator of the answer, types of its fields, how times are read."""
    from surgqa.ontology.units import args_of

    answer = args_of(item).get("answer") or {}
    types = (f"{name}: {one['type']}" + (f" of {one['of']}" if one["of"] else "")
             for name, one in answer.items())  # fmt: skip
    read = {"worlds": "for every timing that the labels allow", "labels": "with exact label times"}
    return "; ".join([str(item["rule"]), *types, read.get(item.get("certain") or "", "")]).strip(
        "; "
    )


def _option(option: Mapping[str, Any]) -> list[str]:
    mark = "->" if option["is_answer"] else "  "
    reason, value = option["kind"] or "", option.get("value") or ""
    return [f"  {mark}", option["key"], option["text"], reason, value]


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    import orjson

    return {
        name: value if isinstance(value, str) else orjson.dumps(value).decode()
        for name, value in values.items()
    }


def _chain(found: ItemTrace) -> str:
    """Return the stages of the item's chain."""
    from surgqa.ontology.units import stage_name

    rows = [
        ["  ->" if one["item_id"] == found.item["item_id"] else "    ", stage_name(one["stage"]),
         one["form"], f"{print_seconds(one['start_us'])} to {print_seconds(one['end_us'])} s",
         one["question"], one["answer"]]
        for one in found.chain
    ]  # fmt: skip
    return f"chain of {len(rows)} stages\n{table(rows)}" if rows else ""


def _rounds(item: Mapping[str, Any]) -> str:
    """Return the rounds of a stream: what is shown, and which responses are correct."""
    rows = [["  round", "at", "shown", "expected", "also right"]]
    for one in item["rounds"] or ():
        also = [text for text in one["accepted_outputs"] if text != one["expected_output"]]
        rows.append([
            f"  {one['round_index']}", f"{print_seconds(one['current_us'])} s",
            f"{print_seconds(one['start_us'])} to {print_seconds(one['end_us'])} s",
            one["expected_output"], ", ".join(also),
        ])  # fmt: skip
    return f"stream of {len(rows) - 1} rounds\n{table(rows)}" if len(rows) > 1 else ""


def _evidence(found: ItemTrace, limit: int) -> str:
    shown = found.events[: limit or None]
    rows = [["  seconds", "instrument", "track", "box", "doing", "place in the source"]]
    rows += [_event(row) for row in shown]
    rows += [
        ["  whole" if (at := row.get("start_us", row.get("time_us"))) is None
         else f"  {print_seconds(at)}", f"{row['kind']} {row['label'] or '-'}", "", "", "",
         row["pointer"] or ""]
        for row in (*found.segments, *found.others)
    ]  # fmt: skip
    left = len(found.events) - len(shown)
    more = f"\n  … and {left} more rows; --rows 0 shows them" if left else ""
    return "evidence\n" + table(rows) + more


def _event(row: Mapping[str, Any]) -> list[str]:
    from surgqa.ontology.boxes import print_box

    box = [row[side] for side in ("x1", "y1", "x2", "y2")]
    pairs = row["pairs"]
    doing = ("not annotated" if pairs is None
             else ", ".join(f"{pair['verb']} {pair['target']}" for pair in pairs))  # fmt: skip
    if row["label"] is None:
        return [
            f"  {print_seconds(row['time_us'])}",
            "none in view",
            "",
            "",
            "",
            row["pointer"] or "",
        ]
    return [
        f"  {print_seconds(row['time_us'])}",
        row["label"],
        row["track_id"] or "-",
        "-" if None in box else print_box(box),
        doing,
        row["pointer"] or "",
    ]


def _sources(found: ItemTrace) -> str:
    files = {
        (row["source_path"], row.get("source_sha256") or "")
        for row in (*found.events, *found.segments, *found.others)
    }
    rows = [["", path, f"sha256 {digest}" if digest else ""] for path, digest in sorted(files)]
    return "source files\n" + table(rows) if rows else ""
