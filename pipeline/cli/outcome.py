"""The closing report of a build: row counts, reasons, digest, CPU time, and the next command."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from surgqa.ontology.records import Clock
from surgqa.pipeline.cli.console import shown, table
from surgqa.transforms.registry import card

if TYPE_CHECKING:
    from surgqa.pipeline.config import RunConfig
    from surgqa.pipeline.run import BuildResult
    from surgqa.transforms.store import OutputFolder

_BOOKS = ("stage", "unit", "read", "kept", "rejected", "failed")
SHOWN = 8
"""Number of reasons printed for each stage; the manifest and ``rejected/`` contain all."""


def outcome(
    result: BuildResult, manifest: Mapping[str, Any],
    rejected: Callable[[str], Iterable[Mapping[str, Any]]], seconds: float,
    without: Mapping[str, str],
) -> str:  # fmt: skip
    """Return the text printed at the end of a build.

    Args:
        manifest: manifest of the finished folder.
        rejected: function that returns the rows of ``rejected/`` of a stage.
        seconds: duration of the build.
        without: id of each template without items -> the most frequent reason.
    """
    books: list[list[object]] = [
        list(_BOOKS),
        *([line[name] for name in _BOOKS] for line in result.books),
    ]
    size = sum((result.out / path).stat().st_size for path in manifest["files"])
    closing: list[list[object]] = [
        ["items", result.items],
        ["size", f"{size / 1e6:.1f} MB in {seconds:.1f} s"],
        ["digest", result.digest],
        ["output", result.out],
    ]
    if result.items:
        closing.append(["next", f"surgqa check {shown(result.out)}"])
    examples: dict[str, str] = {}
    for row in rejected("read"):
        where = f"{row['where']}: " if row["where"] else ""
        examples.setdefault(row["code"], f"such as {where}{row['reason']}")
    left_out = reasons(manifest, Counter(row["code"] for row in rejected("choose")), examples)
    first: list[list[object]] = [["", *one] for one in list(without.items())[:SHOWN]]
    if len(without) > SHOWN:
        first.append(["", f"{len(without) - SHOWN} more", "see README.md of the output"])
    parts = [table(books), f"left out\n{table(left_out)}" if left_out else "",
             f"no items of\n{table(first)}" if without else "", table(closing)]  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def reasons(
    manifest: Mapping[str, Any], chosen: Mapping[str, int], examples: Mapping[str, str]
) -> list[list[object]]:
    """Return rows (stage, count, reason), the most frequent reasons of each stage first.

    Args:
        chosen: for each code, the number of items that were made and left out.
        examples: for each code of the stage ``read``, a label that was left out, and its place.
    """
    found: dict[str, Counter[str]] = {}
    for name, count in manifest["rejected"].items():
        stage, code, result = name.split("/")
        found.setdefault(stage, Counter())[
            code if result == "rejected" else f"{code}, {result}"
        ] += count
    by_reason: dict[str, Counter[str]] = {}
    for name, line in manifest["ledger"].items():
        found.setdefault("ask", Counter()).update(line["declined"])
        for reason, count in line["declined"].items():
            by_reason.setdefault(reason, Counter())[name] = count
    whose = {reason: _most(counts) for reason, counts in by_reason.items()}
    found.setdefault("choose", Counter()).update(chosen)
    rows: list[list[object]] = []
    for stage, counts in found.items():
        ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        told = whose if stage == "ask" else {}
        if stage == "read":
            told = {one: examples.get(one.partition(",")[0], "") for one in counts}
        rows += [["", stage, count, reason, told.get(reason, "")]
                 for reason, count in ordered[:SHOWN] if count]  # fmt: skip
        if len(ordered) > SHOWN:
            more = sum(count for _, count in ordered[SHOWN:])
            rows.append(["", stage, more, f"for other reasons, see rejected/{stage}.jsonl"])
    return rows


def _most(templates: Counter[str]) -> str:
    """Return the template with the highest count, and the number of others."""
    (most, _), others = templates.most_common(1)[0], len(templates) - 1
    return f"of {most}" + (f" and {others} more" if others else "")


def failed_line(key: str, code: str, lines: Sequence[str]) -> str:
    """Return the message about a video that failed, with the code of its error."""
    first, *rest = lines
    return "\n".join([f"failed[{code}]: {key}: {first}", *rest])


MOST = 20
"""Lines of each table; the remaining entries are summed."""


def costs(result: BuildResult) -> str:
    """Return two tables of CPU seconds: by template, with the time of one unit, and by step.

    The workers' time for each video is counted: reading labels, facts, questions, rows and files.
    Start-up, selection and writing the output are not included.
    """
    templates: dict[str, float] = defaultdict(float)
    steps: dict[str, float] = defaultdict(float)
    for (template, step), seconds in result.cost.items():
        templates[template] += seconds
        steps[step] += seconds
    shared = templates.pop("", 0.0)
    units = {name: entry["units"] for name, entry in result.ledger.items()}
    lines = [["template", "s", "%", "units", "us a unit"]]
    whole = sum(steps.values()) or 1.0
    for name, seconds in _first(templates):
        of = units.get(name, 0)
        cells = [str(of), f"{1e6 * seconds / of:.0f}"] if of else ["", ""]
        lines.append([name, f"{seconds:.2f}", f"{100 * seconds / whole:.1f}", *cells])
    lines.append(["for all templates", f"{shared:.2f}", f"{100 * shared / whole:.1f}", "", ""])
    by_step = [["operator or step", "s", "%"]]
    by_step += [[name, f"{s:.2f}", f"{100 * s / whole:.1f}"] for name, s in _first(steps)]
    return f"{table(lines)}\n\n{table(by_step)}"


def _first(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the entries that took the most time, and the sum of all others."""
    ordered = sorted(seconds.items(), key=lambda one: (-one[1], one[0]))
    rest = ordered[MOST:]
    more = [(f"{len(rest)} others", sum(one for _, one in rest))] if rest else []
    return ordered[:MOST] + more


def published(name: str, rate: object) -> Iterator[str]:
    """Yield the published frame rate of a dataset, if it was used because no other was given."""
    published_rate = card(name).rate
    if published_rate and rate is None:
        yield (
            f"{name}: its files state no times; the published rate of {published_rate} frame(s) "
            "per second is used; --rate sets another"
        )


def clocks(folder: OutputFolder, config: RunConfig) -> Iterator[str]:
    """Yield messages about videos of which only the order of frames is known, with remedies."""
    table = folder.evidence("videos").select(["dataset", "clock"]).to_pylist()
    counts = Counter((row["dataset"], row["clock"]) for row in table)
    for run in {one.name: one for one in config.datasets}.values():
        yield from published(run.name, run.rate)
        without = counts[run.name, str(Clock.ORDER)]
        if without:
            yield " ".join([
                f"{run.name}: the frame rate of {without} video(s) is unknown; only the order of "
                "their frames is known, so there are no clips and no questions about seconds.",
                *_about_rates(run.name, run.rate),
            ])  # fmt: skip


def _about_rates(name: str, rate: str | None) -> Iterator[str]:
    """Yield advice about rates: the published rate, or the option that sets a rate."""
    yield from (note for note in card(name).notes if re.search(r"\brates?\b", note))
    yield f"--rate {rate} was not used." if rate else "If you know the rate: --rate FPS"
