"""``surgqa check``: recompute every answer of a finished dataset and audit its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import EXIT_DONE, EXIT_FINDINGS, Unsupported, WrongUsage
from surgqa.pipeline.cli.console import table, talk, write_json, write_result
from surgqa.pipeline.cli.given import roots_of
from surgqa.pipeline.cli.options import File, Text, Texts, Whole, arg, flag, opt

if TYPE_CHECKING:
    from surgqa.transforms.checks import CheckReport
    from surgqa.transforms.checks.medstream import RowReport
    from surgqa.transforms.checks.report import Grounds
    from surgqa.transforms.places import Place

SHOWN_PER_CODE = 3


def check(
    out: Annotated[
        str, arg("PATH", "Folder that 'surgqa build' wrote, or .jsonl in MedStreamBench's format.")
    ],
    json: Annotated[File, opt("FILE", "Also write the report to this file.", "--json")] = None,
    limit: Annotated[Whole, opt("N", "Check only the first N items.", min=1)] = None,
    root: Annotated[
        Texts, opt("DATASET=DIR", "Compare the evidence with these label files; several.")
    ] = None,
    guessed: Annotated[bool, flag("--blind", "Print how well guessing blind works.")] = False,
    every: Annotated[bool, flag("--all", "With --root: compare all rows, not a sample.")] = False,
    verify: Annotated[Text, opt("PUBKEY", "Verify the manifest with this key (PEM).")] = None,
) -> int:
    """Check a dataset: recompute every answer from its evidence, and audit its files.

    \b
    surgqa check out
    surgqa check out --json report.json
    surgqa check out --root cholect50=/data/cholect50
    surgqa check AVOS.jsonl

    Exit status 1 if there are errors; 0 if there are only warnings.
    """
    from surgqa.transforms.places import place

    path = place(out)
    whole, rows, roots = None, None, roots_of(root)
    if every and not roots:
        raise WrongUsage("--all needs --root",
                         expected="--root DATASET=DIR", where="--all",
                         fix="add --root, or leave --all out")  # fmt: skip
    if is_rows(path):
        if roots or verify:
            raise Unsupported(
                "rows in MedStreamBench's format have no label files and no signature",
                expected="a folder that 'surgqa build' wrote", found=out,
                where="--root or --verify", fix="leave them out",
            )  # fmt: skip
        from surgqa.transforms.checks.medstream import check_files

        rows = check_files(path, limit=limit)
    else:
        from surgqa.transforms.checks import check_output
        from surgqa.transforms.store.signature import public_key

        key = None if verify is None else public_key(place(verify))
        whole = check_output(out, limit=limit, roots=roots, every=every, key=key)
        rows = _rows_of_output(path, limit)
    write_result(_report_text(whole, rows, guessed))
    if json:
        write_json(joined(whole, rows), json)
        talk.say(f"report: {json}")
    wrong = sum(one.differences for one in (whole, rows) if one is not None)
    return EXIT_FINDINGS if wrong else EXIT_DONE


def is_rows(path: Place) -> bool:
    """Whether a path holds rows in MedStreamBench's format: a file, or a folder of such files."""
    if path.is_file():
        return True
    from surgqa.transforms.store.folder import MANIFEST, datasets_in

    if not path.is_dir() or (path / MANIFEST).is_file() or (path / "data").is_dir():
        return False
    from surgqa.transforms.checks.medstream import row_files

    return not datasets_in(path) and bool(row_files(path))


def _rows_of_output(path: Place, limit: int | None) -> RowReport | None:
    """Check the medstream items of an output as rows: export them in memory; None without any."""
    from itertools import islice

    from surgqa.transforms.checks.medstream import RowChecks, StreamFacts
    from surgqa.transforms.exports.medstream.taking import TAKING
    from surgqa.transforms.exports.medstream.write import MedStreamRows
    from surgqa.transforms.store import OutputFolder

    if not (path / "data" / str(TAKING.benchmark)).is_dir():
        return None
    export = MedStreamRows(OutputFolder(path))
    checks = RowChecks(StreamFacts(durations=export.durations()))
    for full, short in islice(export.rows(own=True), limit):
        checks.add(full)
        checks.add_shown(short)
    report = checks.report()
    return report if report.rows else None


def joined(whole: CheckReport | None, rows: RowReport | None) -> dict[str, Any]:
    """Return both reports as one: counts and findings are merged, other fields are nested."""
    if whole is None:
        return rows.to_json() if rows else {}
    report = whole.to_json()
    if rows is None:
        return report
    other = rows.to_json()
    report["medstreambench"] = {name: other[name] for name in ("rows", "model_rows", "answers")}
    for name in ("differences", "warnings"):
        report[name] += other[name]
    report["counts"] |= other["counts"]
    report["findings"] += [
        {"item_id" if key == "sample_id" else key: value for key, value in one.items()}
        for one in other["findings"]
    ]
    return report


def _report_text(whole: CheckReport | None, rows: RowReport | None, guessed: bool) -> str:
    """Return the printed report: what was checked, the findings, and the verdict."""
    parts = [summary(whole), *blind(whole, guessed)] if whole else []
    if rows:
        parts.append(row_summary(rows))
    wrong = sum(one.differences for one in (whole, rows) if one is not None)
    parts.append(f"check failed: {wrong} error(s)" if wrong else "check passed: no errors")
    return "\n\n".join(parts)


def summary(report: CheckReport) -> str:
    """Return the totals, then each finding code with its count and a few examples."""
    from surgqa.transforms.checks import CODES

    recomputed = sum(report.recomputed.values())
    lines = [
        f"{report.checked} of {report.items} items read, {recomputed} answers recomputed, "
        f"{report.videos} videos linked again"
    ]
    lines += grounds_lines(report.grounds)
    if not report.items:
        lines.append("the dataset has no items, so no answer was recomputed")
    lines += [f"{name}: {sources(checked)}" for name, checked in report.sources.items()]
    order = sorted(report.counts, key=lambda code: (list(CODES).index(code), code))
    for code in order:
        severity, sentence = CODES[code]
        kept = [(one.item_id, one.detail) for one in report.findings if one.code == code]
        lines += _code(severity.value, code, report.counts[code], sentence, kept)
    return "\n".join(lines)


def sources(entry: Mapping[str, Any]) -> str:
    """Return text on how the label files of one dataset were checked."""
    if entry["why_not"]:
        hashed = f"{entry['files']} label files hashed, " if entry["files"] else ""
        return f"{hashed}not reopened: {entry['why_not']}"
    unread = ", ".join(f"{number} of {name}" for name, number in entry["unread"].items())
    followed = f"{entry['followed']} of {entry['rows']} pointers followed"
    rest = f"; cannot be followed: {unread}" if unread else ""
    return f"{entry['files']} label files hashed, {followed}{rest}"


def grounds_lines(grounds: Grounds) -> list[str]:
    """Return what was computed again from raw rows, and what was used as stored."""
    if not grounds.rows:
        return ["facts were not recomputed from raw rows; the stored facts were used"]
    made = ", ".join(f"{number} {table}" for table, number in grounds.rows.items())
    lines = [f"recomputed from raw rows and compared: {made}"]
    if grounds.given:
        given = ", ".join(f"{number} by {origin}" for origin, number in grounds.given.items())
        lines.append(f"raw rows that were derived from other rows, used as stored: {given}")
    if grounds.left:
        lines.append(f"facts of {grounds.left} videos with evidence from models, used as stored")
    return lines


def blind(report: CheckReport, whole: bool) -> list[str]:
    """Return the scores of guessing without the video, by template; empty if there are no items.

    Args:
        whole: print all templates, not only those that can be guessed.
    """
    from surgqa.transforms.blind import MARGIN, outstanding, table_of

    if not report.blind:
        return []
    said = (
        "blind guessing, in percent (! marks options that alone give more than "
        f"{100 * MARGIN:.0f} points beyond chance):"
    )
    alone = sum(one.guess.surgeries < 2 for one in report.blind)
    shown = report.blind if whole else outstanding(report.blind)
    lines = (
        [said, table(table_of(shown))] if shown else ["no template stands out in blind guessing"]
    )
    if rest := len(report.blind) - len(shown):
        lines.append(f"{rest} more templates and stages: --blind prints all, --json FILE saves all")
    if alone:
        lines.append(
            f"{alone} of them contain one surgery only, so the guesser has no other to learn from"
        )
    return ["\n".join(lines)]


def row_summary(report: RowReport) -> str:
    """Return a summary for rows in MedStreamBench's format, errors before warnings."""
    from surgqa.transforms.checks.medstream import CODES

    lines = [f"{report.rows} rows in MedStreamBench's format read, {report.model_rows} for models"]
    for (severity, code), number in sorted(report.counts.items()):
        kept = [
            (one.item_id, one.detail)
            for one in report.findings
            if (one.severity, one.code) == (severity, code)
        ]
        lines += _code(severity.value, code, number, CODES[code][1], kept)
    return "\n".join(lines)


def _code(
    severity: str, code: str, number: int, sentence: str, kept: Iterable[tuple[str, str]]
) -> list[str]:
    shown = [["", name or "-", detail] for name, detail in kept][:SHOWN_PER_CODE]
    lines = ["", f"{severity}: {code} ({number}): {sentence}", table(shown)]
    if number > SHOWN_PER_CODE:
        lines.append(f"  … and {number - SHOWN_PER_CODE} more")
    return lines
