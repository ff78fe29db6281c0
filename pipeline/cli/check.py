"""``surgqa check``: recompute every answer of a finished dataset and audit the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontology.errors import EXIT_DONE, EXIT_FINDINGS, UserError
from pipeline.cli.console import table, talk, write_json, write_result

if TYPE_CHECKING:
    from transforms.checks import CheckReport
    from transforms.checks.medstream import RowReport
    from transforms.checks.report import Grounds
    from transforms.places import Place

SHOWN_PER_CODE = 3


def check(
    out: Annotated[
        str,
        typer.Argument(
            help="Folder that 'surgqa build' wrote, or rows in MedStreamBench's format: a .jsonl "
            "file or a folder of them.",
            metavar="PATH",
        ),
    ],
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Also write the report to this file."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Look at the first N items only.")
    ] = None,
    root: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATASET=DIR",
            help="Folder of a dataset's label files: hash them and follow pointers into them. "
            "Give it once for each dataset.",
        ),
    ] = None,
    guessed: Annotated[
        bool,
        typer.Option("--blind", help="Print what every template gives away without looking."),
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="With --root: follow all pointers, not a sample.")
    ] = False,
    verify: Annotated[
        str | None,
        typer.Option(metavar="PUBKEY", help="Verify the manifest's signature with this key (PEM)."),
    ] = None,
) -> int:
    """Prove a dataset: recompute every answer from its evidence, and audit it.

    \b
    surgqa check out
    surgqa check out --json report.json
    surgqa check out --root cholect50=/data/cholect50
    surgqa check AVOS.jsonl

    Exit status 1 if anything is wrong; warnings alone leave it 0.
    """
    from transforms.places import place

    path = place(out)
    whole, rows, roots = None, None, roots_of(root or ())
    if every and not roots:
        raise UserError("--all says how much of the label files is read, and none are named",
                        expected="--root DATASET=DIR", where="--all",
                        fix="add --root, or leave --all out")  # fmt: skip
    if is_rows(path):
        if roots or verify:
            raise UserError(
                "rows in MedStreamBench's format name no label files and bear no signature",
                expected="a folder that 'surgqa build' wrote", found=out,
                where="--root or --verify", fix="leave them out",
            )  # fmt: skip
        rows = _rows_of_files(path, limit)
    else:
        from transforms.checks import check_output
        from transforms.store.signature import public_key

        key = None if verify is None else public_key(place(verify))
        whole = check_output(out, limit=limit, roots=roots, every=every, key=key)
        rows = _rows_of_output(path, limit)
    write_result(_told(whole, rows, guessed))
    if json:
        write_json(joined(whole, rows), json)
        talk.say(f"report: {json}")
    wrong = sum(one.differences for one in (whole, rows) if one is not None)
    return EXIT_FINDINGS if wrong else EXIT_DONE


def roots_of(given: Iterable[str]) -> dict[str, Place]:
    """Dataset -> folder, of options ``DATASET=DIR``.

    Raises:
        UserError: one has another form, or two are of one dataset.
    """
    from transforms.places import place

    out: dict[str, Place] = {}
    for one in given:
        name, equals, folder = one.partition("=")
        if not (name and equals and folder) or name in out:
            raise UserError(
                "this is no folder of a dataset" if name not in out else f"{name} is named twice",
                expected="DATASET=DIR, each dataset once", found=one, where="--root",
                fix="for example --root cholect50=/data/cholect50",
            )  # fmt: skip
        out[name] = place(folder)
    return out


def is_rows(path: Place) -> bool:
    """Whether rows in MedStreamBench's format are meant: a file, or a folder that is not ours."""
    if path.is_file():
        return True
    from transforms.store.folder import MANIFEST, datasets_in

    if not path.is_dir() or (path / MANIFEST).is_file() or (path / "data").is_dir():
        return False
    from transforms.checks.medstream import row_files

    return not datasets_in(path) and bool(row_files(path))


def _rows_of_files(path: Place, limit: int | None) -> RowReport:
    from transforms.checks.medstream import check_files

    return check_files(path, limit=limit)


def _rows_of_output(path: Place, limit: int | None) -> RowReport | None:
    """Rows of the format's own benchmark, exported in memory and checked as anyone's."""
    from itertools import islice

    from transforms.checks.medstream import Facts, RowChecks
    from transforms.exports.medstream.taking import TAKING
    from transforms.exports.medstream.write import Export
    from transforms.store import OutputFolder

    if not (path / "data" / str(TAKING.benchmark)).is_dir():
        return None
    export = Export(OutputFolder(path))
    checks = RowChecks(Facts(durations=export.durations()))
    for full, short in islice(export.rows(own=True), limit):
        checks.add(full)
        checks.add_shown(short)
    report = checks.report()
    return report if report.rows else None


def joined(whole: CheckReport | None, rows: RowReport | None) -> dict[str, Any]:
    """Both reports as one: counts and findings together, the rest of the rows' under its name."""
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


def _told(whole: CheckReport | None, rows: RowReport | None, guessed: bool) -> str:
    """What was checked, what was found, and the verdict."""
    parts = [summary(whole), *blind(whole, guessed)] if whole else []
    if rows:
        parts.append(row_summary(rows))
    verdict = (
        "this dataset is not what it says" if whole else "these rows are not as they should be"
    )
    wrong = sum(one.differences for one in (whole, rows) if one is not None)
    parts.append(f"{wrong} difference(s): {verdict}" if wrong else "no difference")
    return "\n\n".join(parts)


def summary(report: CheckReport) -> str:
    """What was checked, then each code with its count and a few of its findings."""
    from transforms.checks import CODES

    recomputed = sum(report.recomputed.values())
    lines = [
        f"{report.checked} of {report.items} items read, {recomputed} answers recomputed, "
        f"{report.videos} videos linked again"
    ]
    lines += grounds_told(report.grounds)
    if not report.items:
        lines.append("the dataset has no items, so there was no answer to recompute")
    lines += [f"{name}: {sources(told)}" for name, told in report.sources.items()]
    order = sorted(report.counts, key=lambda code: (list(CODES).index(code), code))
    for code in order:
        severity, sentence = CODES[code]
        kept = [(one.item_id, one.detail) for one in report.findings if one.code == code]
        lines += _code(severity.value, code, report.counts[code], sentence, kept)
    return "\n".join(lines)


def sources(told: Mapping[str, Any]) -> str:
    """What was done with the label files of one dataset."""
    if told["why_not"]:
        hashed = f"{told['files']} label files hashed, " if told["files"] else ""
        return f"{hashed}not reopened: {told['why_not']}"
    unread = ", ".join(f"{number} of {name}" for name, number in told["unread"].items())
    followed = f"{told['followed']} of {told['rows']} pointers followed"
    rest = f"; cannot be followed: {unread}" if unread else ""
    return f"{told['files']} label files hashed, {followed}{rest}"


def grounds_told(grounds: Grounds) -> list[str]:
    """What the proofs stand on: made again from raw rows, or taken as it stands."""
    if not grounds.rows:
        return ["facts were not made again from raw rows: the proofs stand on those written"]
    made = ", ".join(f"{number} {table}" for table, number in grounds.rows.items())
    lines = [f"made again from raw rows and compared: {made}"]
    if grounds.given:
        given = ", ".join(f"{number} by {origin}" for origin, number in grounds.given.items())
        lines.append(f"raw rows that were made of others, taken as they stand: {given}")
    if grounds.left:
        lines.append(f"facts of {grounds.left} recordings that a model looked at, as they stand")
    return lines


def blind(report: CheckReport, whole: bool) -> list[str]:
    """What guessing without looking gets, by template; nothing where there are no items.

    Args:
        whole: all templates, not only those that stand out.
    """
    from transforms.blind import MARGIN, outstanding, table_of

    if not report.blind:
        return []
    said = (
        "without looking, in percent (! more than "
        f"{100 * MARGIN:.0f} points beyond chance by the options alone):"
    )
    alone = sum(one.guess.surgeries < 2 for one in report.blind)
    shown = report.blind if whole else outstanding(report.blind)
    lines = [said, table(table_of(shown))] if shown else ["without looking, nothing stands out"]
    if rest := len(report.blind) - len(shown):
        lines.append(f"{rest} more templates and stages: --blind prints all, --json FILE keeps all")
    if alone:
        lines.append(f"{alone} of them hold one surgery: there is no other to learn from")
    return ["\n".join(lines)]


def row_summary(report: RowReport) -> str:
    """The same of rows in MedStreamBench's format, errors before warnings."""
    from transforms.checks.medstream import CODES

    lines = [f"{report.rows} rows in MedStreamBench's format read, {report.model_rows} for models"]
    for (severity, code), number in sorted(report.counts.items()):
        kept = [
            (one.sample_id, one.detail)
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
