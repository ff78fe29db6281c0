"""Convert filled-in sheets to a layer (decisions for later builds) and a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import FileMissing, Mismatched, NameTaken, OutputExists, WrongUsage
from surgqa.ontology.files import writing
from surgqa.transforms.places import write_whole
from surgqa.transforms.review.agreement import accuracies, agreements, kinds_of
from surgqa.transforms.review.layer import layer_bytes
from surgqa.transforms.review.questions import Row, reference, rows_of
from surgqa.transforms.review.sample import Sampled, read_record
from surgqa.transforms.review.terms import RECORD, check_date
from surgqa.transforms.review.votes import Verdict, Votes, verdicts, votes_of
from surgqa.transforms.store import OutputFolder


@dataclass(frozen=True, slots=True)
class ImportedReview:
    """The layer and the report that were made from filled-in sheets.

    Attributes:
        layer: bytes of the layer's file.
        report: counts, agreement and accuracy, for JSON.
    """

    layer: bytes
    report: dict[str, Any]


def take_in(
    out: OutputFolder, record: Path, sheets: Mapping[str, Path], date: str, drop_contested: bool
) -> ImportedReview:
    """Read the sheets of a sample, and decide by majority which questions stay in the dataset.

    Args:
        record: path of the sample's ``review.json``.
        sheets: for each reviewer, the file.
        date: ISO date of the review.

    Raises:
        SourceMissing: a file does not exist.
        SourceBroken: a file is not a sheet, or not a record.
        UserError: a sheet is incomplete or has invalid values, or belongs to another sample or
            output.
    """
    check_date(date)
    sampled = read_record(record)
    if sampled.output != out.manifest["digest"]:
        raise Mismatched(
            "the sample was drawn from another output", expected=sampled.output,
            found=out.manifest["digest"], where=str(record),
            fix="name the output that the sample was drawn from; it must not have changed",
        )  # fmt: skip
    rows = rows_of(out, sampled.items)
    letters = {item: [one["key"] for one in row["options"] or ()] for item, row in rows.items()}
    votes = votes_of(sampled, sheets, letters)
    decided = verdicts(votes, {i: reference(row) for i, row in rows.items()}, drop_contested)
    summary = {"sample": sampled.name, "output": sampled.output, "reviewers": list(votes),
            "date": date}  # fmt: skip
    return ImportedReview(
        layer_bytes(rows, votes, decided, sampled.output, date),
        summary | _counts(sampled, decided, votes) | _comparison(rows, votes),
    )


def record_of(sheets: Sequence[Path], named: Path | None) -> Path:
    """Return the path of ``review.json``: in the folder ``named``, or next to the first sheet.

    Raises:
        SourceMissing: there is no such file.
    """
    path = named if named is not None else sheets[0].parent / RECORD
    path = path / RECORD if path.is_dir() else path
    if not path.is_file():
        raise FileMissing(
            "there is no record of the sample", expected=RECORD, where=str(path),
            fix="name the folder that 'surgqa review sample' wrote with --sample",
        )  # fmt: skip
    return path


def sheets_of(paths: Sequence[Path], reviewers: Sequence[str]) -> dict[str, Path]:
    """Return the sheet of each reviewer; both lists are in the same order.

    Raises:
        UserError: the lists differ in length, or a name is repeated or empty.
    """
    if len(paths) != len(reviewers):
        raise WrongUsage(
            "every sheet needs its --reviewer", expected="as many names as sheets, in their order",
            found=f"{len(paths)} sheet(s) and {len(reviewers)} --reviewer",
        )  # fmt: skip
    if len(set(reviewers)) < len(reviewers) or not all(name.strip() for name in reviewers):
        raise NameTaken(
            "a reviewer is named twice or not at all", found=", ".join(reviewers),
            expected="another name for every sheet", where="--reviewer",
        )  # fmt: skip
    return dict(zip(reviewers, paths, strict=True))


def write_layer(data: bytes, path: Path) -> bool:
    """Write a layer to a file; return False if the file exists with the same content.

    Raises:
        UserError: the file exists with other content, or cannot be written.
    """
    if path.is_file() and path.read_bytes() == data:
        return False
    if path.exists():
        raise OutputExists(
            f"{path} is there already, and holds something else", where="--to",
            fix="name a file that does not exist yet",
        )  # fmt: skip
    with writing(path, "--to"):
        write_whole(path, data)
    return True


def _counts(sampled: Sampled, decided: Mapping[str, Verdict], votes: Votes) -> dict[str, Any]:
    """Return how many units and items were drawn, and how many items were decided in which way."""
    units = [[decided[item] for item in unit.items] for unit in sampled.units]
    flaws = Counter(str(f) for mine in votes.values() for one in mine.values() for f in one.flaws)
    return {
        "units": _books(units),
        "items": _books([[one] for one in decided.values()]),
        "contested": [item for item, one in decided.items() if one.contested],
        "disputed": [item for item, one in decided.items() if one.disputed],
        "wrong": dict(sorted(flaws.items())),
    }


def _books(units: Sequence[Sequence[Verdict]]) -> dict[str, Any]:
    kept = [unit for unit in units if all(one.keep for one in unit)]
    untouched = sum(all(one.untouched for one in unit) for unit in kept)
    return {
        "reviewed": len(units),
        "kept": len(kept),
        "dropped": len(units) - len(kept),
        "disputed": sum(any(one.disputed for one in unit) for unit in kept),
        "contested": sum(any(one.contested for one in unit) for unit in units),
        "untouched": untouched,
        "share_untouched": untouched / len(units),
    }


def _comparison(rows: Mapping[str, Row], votes: Votes) -> dict[str, Any]:
    """Return the raters' agreement and accuracy for each group of questions.

    Answers are compared only for questions with options.
    """
    references = {item: reference(row) for item, row in rows.items()}
    kinds = kinds_of(rows)
    closed = {k: [i for i in items if references[i] is not None] for k, items in kinds.items()}
    closed = {kind: items for kind, items in closed.items() if items}
    return {
        "agreement": {
            "answer": {k: agreements(votes, items, "answer") for k, items in closed.items()},
            "valid": {k: agreements(votes, items, "valid") for k, items in kinds.items()},
        },
        "accuracy": {k: accuracies(votes, items, references) for k, items in closed.items()},
    }
