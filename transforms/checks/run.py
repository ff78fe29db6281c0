"""``surgqa check``: compares the rows of a finished dataset with its evidence."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from surgqa.ontology.errors import OutOfMemory, OutputBroken, PackageMissing
from surgqa.transforms.blind import Blind, Shelves, guesses
from surgqa.transforms.checks.audit import Audit
from surgqa.transforms.checks.books import check_books
from surgqa.transforms.checks.bounds import MEMORY
from surgqa.transforms.checks.facts import hold_facts
from surgqa.transforms.checks.facts.known import is_here
from surgqa.transforms.checks.fields import field_problems
from surgqa.transforms.checks.folder import (
    SCHEMA,
    check_counts,
    check_manifest,
    read_shards,
    rows_in,
)
from surgqa.transforms.checks.ids import evidence_problems
from surgqa.transforms.checks.linking import link_problems
from surgqa.transforms.checks.proof.manifest import manifest_problems
from surgqa.transforms.checks.proof.prove import Proof, RowsToProve, kept_templates
from surgqa.transforms.checks.report import CheckReport, Findings, Grounds
from surgqa.transforms.checks.sources import Reopened, reopen
from surgqa.transforms.checks.splits import Splits
from surgqa.transforms.checks.tables import Key, headers
from surgqa.transforms.checks.videos import video_problems
from surgqa.transforms.places import Place
from surgqa.transforms.store.folder import OutputFolder
from surgqa.transforms.store.signature import SIGNATURE, is_signed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def check_output(
    path: Place | str,
    *,
    limit: int | None = None,
    link: bool = True,
    roots: Mapping[str, Place] = MappingProxyType({}),
    every: bool = False,
    key: Ed25519PublicKey | None = None,
) -> CheckReport:
    """Compute every answer of a finished dataset again, and check all of its files.

    Facts are derived again from the annotations in ``evidence/``. The query of its template
    (``docs/checks.md``) computes each answer from the facts, and proves that each distractor is
    wrong. Pointers, windows, splits, ids, shard order, digests and counts are verified. The dataset
    is correct if ``report.differences == 0``.

    Args:
        path: the folder given to ``surgqa build --out``.
        limit: check only this many rows; then counts are not compared and facts are not derived
            again.
        link: also link each video's events to tracks again, and compare the tracks.
        roots: for each dataset, the folder with its label files, which are then compared with the
            evidence.
        every: compare all rows of evidence with the label files, not only a sample.
        key: public key to verify the manifest's signature with.

    Raises:
        UserError: a root names a dataset that is not in the output, or a path that is not a folder;
            there is not enough memory; or the package with a dataset's labels is not installed.
        OutputBroken: the folder or one of its tables cannot be read.
    """
    folder = OutputFolder(path)
    run = _Run(folder, link, whole=limit is None)
    check_manifest(folder, run.findings)
    check_books(folder, run.findings)
    if not run.findings.listed():  # first, so that a changed manifest is reported first
        _require_labels(folder)
    if key is not None and not is_signed(folder.path, key):
        run.findings.add("signature_differs", "", f"{SIGNATURE}, {str(folder.path)}")
    try:
        if roots:
            run.sources = reopen(folder, roots, run.findings, every=every)
        return _check(folder, run, limit)
    except duckdb.OutOfMemoryException as error:
        raise OutOfMemory(
            "checking the evidence needs more memory than a database of the checks may use",
            expected=f"at most {MEMORY}, and free space in the folder for temporary files",
            found=str(error).split("\n")[0],
            where=str(path),
            fix="free space there (or set TMPDIR), or build fewer datasets into one output",
        ) from None
    except (OSError, pa.ArrowException) as error:
        changed = [f.detail.split(":")[0] for f in run.findings.listed() if f.code == "file_digest"]
        raise OutputBroken(
            f"{path} cannot be read completely",
            found=str(error).split("\n")[0],
            where=", ".join(changed) or str(path),
            fix="copy the files from the original output again, or build again",
        ) from None


def _require_labels(folder: OutputFolder) -> None:
    """Raise UserError if the package with a dataset's label names is not installed."""
    absent = sorted(one for one in folder.manifest.get("readers", ()) if not is_here(one))
    if absent:
        raise PackageMissing(
            f"the label names of {', '.join(absent)} are not installed",
            expected="the package that the dataset was read with (entry point surgqa.datasets)",
            found=f"the datasets that 'surgqa list' shows; missing: {', '.join(absent)}",
            where=str(folder.path), fix="install that package here, and check again",
        )  # fmt: skip


def _check(folder: OutputFolder, run: _Run, limit: int | None) -> CheckReport:
    total = rows_in(folder)
    known = headers(folder)
    with tempfile.TemporaryDirectory(prefix="surgqa-check-") as scratch:
        programmed = RowsToProve(Path(scratch), SCHEMA)
        shelves = Shelves(Path(scratch))
        for batch in read_shards(folder, run.findings, run.counts, limit):
            programmed.add(batch)
            shelves.add(batch)
        run.videos(len(known), Path(scratch))
        pa.default_memory_pool().release_unused()  # frees memory for the databases
        run.facts(Path(scratch))
        run.programs(programmed, known, Path(scratch))
        run.guess(shelves)
    if limit is None:
        check_counts(folder.manifest, run.counts, run.findings)
    return run.report(total)


class _Run:
    """The state of one check."""

    def __init__(self, folder: OutputFolder, link: bool, *, whole: bool) -> None:
        self.folder = folder
        self.link = link
        self.whole = whole
        self.findings = Findings()
        self.counts: Counter[str] = Counter()
        self.recomputed: Counter[str] = Counter()
        self.audit = Audit()
        self.splits = Splits((folder.manifest.get("settings") or {}).get("hold_out"))
        self.guessed: tuple[Blind, ...] = ()
        self.linked = 0
        self.sources: Mapping[str, Reopened] = {}
        self.grounds = Grounds()

    def videos(self, known: int, scratch: Path) -> None:
        """Check events, moments, tracks and other evidence of all videos."""
        for problems in (evidence_problems, field_problems, video_problems):
            for code, detail in problems(self.folder, scratch):
                self.findings.add(code, "", detail)
        if self.link:
            self.linked = known
            for detail in link_problems(self.folder, scratch):
                self.findings.add("link_differs", "", detail)

    def facts(self, scratch: Path) -> None:
        """Derive the tables that proofs use from raw rows again, unless a limit is set."""
        if self.whole:
            self.grounds = hold_facts(self.folder, scratch, self.findings)

    def programs(
        self, rows: RowsToProve, videos: Mapping[Key, dict[str, Any]], scratch: Path
    ) -> None:
        """Prove every row by its template, and compare the manifest with all rows."""
        kept = kept_templates(self.folder)
        Proof(self.folder, self.findings, self.recomputed, self.audit, self.splits,
              self.whole).rows(rows, kept, scratch)  # fmt: skip
        if self.whole and "books" in self.folder.manifest:
            for detail in manifest_problems(
                self.folder, kept[0], videos, self.splits, rows, scratch
            ):
                self.findings.add("manifest_differs", "", detail)

    def guess(self, shelves: Shelves) -> None:
        """Measure how well each template can be answered without the video."""
        self.guessed = tuple(guesses(shelves))
        for one in self.guessed:
            if one.guess.sure:
                self.findings.add("blind_structural", "", one.line())

    def report(self, total: int) -> CheckReport:
        """Return the report of the check."""
        for code, item_id, detail in self.splits.problems():
            self.findings.add(code, item_id, detail)
        templates = self.audit.report(self.findings)
        return CheckReport(
            items=total,
            checked=self.counts[""],
            recomputed=dict(sorted(self.recomputed.items())),
            templates=templates,
            blind=self.guessed,
            videos=self.linked,
            grounds=self.grounds,
            findings=self.findings.listed(),
            counts=dict(sorted(self.findings.counts.items())),
            sources={name: reopened.to_json() for name, reopened in self.sources.items()},
        )
