"""What every reader promises; a new reader is tested by being there.

Tests are numbered by contract.  Number 17, that a template fires on the sample, is
tested with the templates.
"""

from __future__ import annotations

import builtins
import hashlib
import io
import os
import pickle
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from surgqa.ontology.concepts import label_map, vocabulary
from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.ontology.moments import MOMENTS, moment_order
from surgqa.ontology.records import Code, InstrumentTable, Span, VideoEvidence
from surgqa.ontology.times import frame_to_us, us_to_frame
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms import registry
from surgqa.transforms.readers.base import Reader
from surgqa.transforms.samples.scripted import summary, write

DATASETS = registry.datasets()
# Its files are Parquet, and pyarrow looks for pandas.  Masks need a decoder of pictures,
# and films one of films.
NEEDED = {"observed": {"pyarrow", "pandas"}, "tables": {"pyarrow", "pandas"}}
OWN_FILES = frozenset({"observed", "tables", "exports", "unified"})
"""Datasets that users bring: no list of files, no list of labels."""
LONG = "SURGQA_LONG" in os.environ
EVERY = 1 if LONG else 3
"""Of forty places at which a file is cut short, by day a third."""
TEXT_SUFFIXES = (".json", ".jsonl", ".txt", ".csv", ".tsv", ".xml", ".yaml")


class Sample(NamedTuple):
    """A sample, what a reader must find in it, as a summary, and what one reading of it gave.

    ``evidence`` is what was ``read``, :func:`wordless`.
    """

    name: str
    root: Path
    holds: Mapping[str, Mapping[str, Any]]
    read: tuple[VideoEvidence, ...]
    evidence: tuple[VideoEvidence, ...]

    def reader(self, root: Path | None = None) -> Reader:
        return registry.load_reader(self.name)(root or self.root)

    def copy(self, target: Path) -> Path:
        return Path(shutil.copytree(self.root, target))


@pytest.fixture(scope="module", params=DATASETS)
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    root = tmp_path_factory.mktemp(request.param)
    holds = registry.load_sample(request.param)(root)
    # The sample states a summary, and the golden digest the whole evidence.
    read = tuple(read_all(registry.load_reader(request.param)(root)))
    return Sample(request.param, root, holds, read, tuple(map(wordless, read)))


def wordless(evidence: VideoEvidence) -> VideoEvidence:
    """Evidence without the wording of reasons and without ``sampled_us``, for comparison."""
    rejected = tuple(replace(entry, reason="") for entry in evidence.rejected)
    spans = tuple(replace(span, sampled_us=0) for span in evidence.spans)
    return replace(evidence, rejected=rejected, spans=spans)


def without_digests(evidence: VideoEvidence) -> VideoEvidence:
    sources = tuple(replace(source, sha256="") for source in evidence.video.sources)
    return replace(evidence, video=replace(evidence.video, sources=sources))


def read_all(reader: Reader) -> list[VideoEvidence]:
    return [reader.read(video_id) for video_id in reader.videos()]


def tables_of(evidence: VideoEvidence) -> list[InstrumentTable]:
    """Instruments and regions."""
    first = [] if evidence.instruments is None else [evidence.instruments]
    return first + [evidence.regions[kind] for kind in sorted(evidence.regions)]


def every_table(sample: Sample) -> list[tuple[VideoEvidence, InstrumentTable]]:
    return [(e, table) for e in sample.read for table in tables_of(e)]


def span_order(span: Span) -> tuple:
    return span.kind, span.start_us, span.end_us, span.label, span.subject, span.rater


def same(evidence: VideoEvidence, truth: VideoEvidence) -> bool:
    return without_digests(wordless(evidence)) == without_digests(truth)


def fewer(evidence: VideoEvidence, truth: VideoEvidence) -> bool:
    """Less was read than there was."""
    return sum(b.read for b in evidence.books) < sum(b.read for b in truth.books)


def texts(root: Path) -> list[Path]:
    return sorted(p for p in root.rglob("*") if p.is_file() and p.suffix in TEXT_SUFFIXES)


def test_01_the_card_is_complete_and_its_terms_are_known(sample: Sample) -> None:
    card, files = registry.card(sample.name), registry.files(sample.name)
    assert card.videos == len(files.video_ids) == len(set(files.video_ids))
    assert card.tasks
    assert len(card.how_to_get) > 40
    assert card.homepage.startswith("https://") and card.licence_url.startswith("https://")


def test_02_reading_the_sample_gives_exactly_the_truth(sample: Sample) -> None:
    found = read_all(sample.reader())
    assert len(found) == len(sample.evidence) >= 2
    assert {e.video.video_id: summary(e) for e in found} == sample.holds
    for evidence, truth in zip(found, sample.evidence, strict=True):
        assert evidence.video == truth.video
        assert evidence.instruments == truth.instruments
        assert wordless(evidence) == truth
        assert all(len(entry.reason.split()) > 4 for entry in evidence.rejected)


def test_03_an_empty_root_says_what_is_missing_and_how_to_get_it(
    sample: Sample, tmp_path: Path
) -> None:
    for root in (tmp_path, tmp_path / "not there"):
        with pytest.raises(SourceMissing) as error:
            sample.reader(root).videos()
        assert error.value.exit_code == 3
        assert error.value.fix == registry.card(sample.name).how_to_get
        assert error.value.where in sample.reader(root).missing()
        assert error.value.where in error.value.summary


def test_04_a_file_taken_away_is_named(sample: Sample, tmp_path: Path) -> None:
    """By day two of the files whose names differ in nothing but numbers."""
    alike: dict[str, list[str]] = {}
    for path in sorted({s.path for e in sample.evidence for s in e.video.sources}):
        alike.setdefault(re.sub(r"\d+", "0", path), []).append(path)
    root = sample.copy(tmp_path / "copy")
    for path in (one for paths in alike.values() for one in paths[: None if LONG else 2]):
        (root / path).rename(tmp_path / "away")
        reader = sample.reader(root)
        assert path in reader.missing() or sample.name in OWN_FILES
        for truth in sample.evidence:
            needed = path in [source.path for source in truth.video.sources]
            try:
                evidence = reader.read(truth.video.video_id)
            except SourceMissing as error:
                assert needed
                assert path in error.summary
            else:
                used = [source.path for source in evidence.video.sources]
                assert path not in used
                assert needed or wordless(evidence) == truth
        (tmp_path / "away").rename(root / path)


def test_04_a_label_file_cut_short_is_named_with_a_place(sample: Sample, tmp_path: Path) -> None:
    truth = sample.evidence[0]
    every = [s.path for s in truth.video.sources if s.path.endswith(TEXT_SUFFIXES)]
    own = [path for path in every if truth.video.video_id in path] or every
    root = sample.copy(tmp_path / "cut")
    for path in own:
        whole = (sample.root / path).read_bytes()
        for part in range(1, 40, EVERY):
            (root / path).write_bytes(whole[: len(whole) * part // 40])
            try:
                evidence = sample.reader(root).read(truth.video.video_id)
            except UserError as error:
                # What a declaration needs of another file is told at its line.
                named = rf"({re.escape(path)}|surgqa\.yaml):\d+"
                assert re.match(named, error.where or ""), error
                continue
            noticed = any(path in entry.where + entry.reason for entry in evidence.rejected)
            # A file that all videos share may end where this one's rows are over, and a table
            # that does not say how long it is may end with any of its lines.
            rest = whole[len(whole) * part // 40 :]
            whole_lines = rest.startswith(b"\n") or whole.removesuffix(rest).endswith(b"\n")
            shared = truth.video.video_id not in path
            assert noticed or (
                (whole_lines or shared)
                # Nothing tells that the last value of a shared file has lost its end.
                and (fewer(evidence, truth) or same(evidence, truth) or not whole_lines)
            )
            assert all(books.balanced for books in evidence.books)
        (root / path).write_bytes(whole)


def test_05_ids_are_unique_and_know_nothing_of_the_folder(sample: Sample, tmp_path: Path) -> None:
    other = sample.copy(tmp_path / "elsewhere")
    here = list(sample.read)
    assert read_all(sample.reader(other)) == here
    keys = [evidence.video.key for evidence in here]
    assert len(set(keys)) == len(keys)
    assert keys == sorted(keys)
    shown = repr(here)
    assert str(sample.root) not in shown
    assert sample.root.name not in shown


def test_06_the_order_of_the_file_system_does_not_show(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    iterdir, listdir = Path.iterdir, os.listdir

    def backwards(self: Path) -> Iterator[Path]:
        return iter(sorted(iterdir(self), reverse=True))

    monkeypatch.setattr(Path, "iterdir", backwards)
    monkeypatch.setattr(os, "listdir", lambda path=".": sorted(listdir(path), reverse=True))
    assert read_all(sample.reader()) == list(sample.read)


def test_07_times_lie_inside_the_video_and_convert_back(sample: Sample) -> None:
    for evidence in sample.read:
        video = evidence.video
        assert video.duration_us > 0
        for span in evidence.spans:
            assert 0 <= span.start_us < span.end_us <= video.duration_us
        assert list(evidence.spans) == sorted(set(evidence.spans), key=span_order)
        assert list(evidence.labels) == sorted(
            set(evidence.labels), key=lambda e: (e.kind, e.label, e.rater)
        )
        for table in tables_of(evidence):
            instants, frames = table.instants_us.tolist(), table.frames.tolist()
            assert instants == sorted(set(instants))
            assert all(0 <= instant < video.duration_us for instant in instants)
            assert instants == [frame_to_us(frame, video.fps) for frame in frames]
            assert frames == [us_to_frame(instant, video.fps) for instant in instants]


def test_07_tables_have_the_shapes_and_order_of_the_record(sample: Sample) -> None:
    for evidence, table in every_table(sample):
        size = table.sample.size
        kinds = {"sample": np.int32, "label": np.int16, "pairs": np.int16, "track": np.int32,
                 "row": np.int32, "score": np.float64}  # fmt: skip
        for name, kind in kinds.items():
            column = getattr(table, name)
            assert column.shape == (size,) and column.dtype == kind, name
        assert table.instants_us.dtype == table.frames.dtype == np.int64
        assert table.box_xyxy.shape == (size, 4) and table.box_xyxy.dtype == np.float64
        keys = list(zip(table.sample.tolist(), table.label.tolist(), strict=True))
        assert keys == sorted(keys)
        assert list(table.labels) == sorted(table.labels)
        assert list(table.pair_sets) == sorted(table.pair_sets)
        assert table is not evidence.instruments or set(table.labels) <= set(
            evidence.video.vocabulary
        )
        assert table.masks == () or len(table.masks) == size
        assert [a.name for a in table.attributes] == sorted(a.name for a in table.attributes)
        for attribute in table.attributes:
            assert attribute.values.shape == (size,) and attribute.values.dtype == np.float64
        boxed = np.isfinite(table.box_xyxy).all(axis=1)
        assert (boxed | np.isnan(table.box_xyxy).all(axis=1)).all()
        assert (table.box_xyxy[boxed][:, :2] < table.box_xyxy[boxed][:, 2:]).all()
        assert ((table.box_xyxy[boxed] >= 0) & (table.box_xyxy[boxed] <= 1)).all()
        if table.places:
            empty = np.setdiff1d(np.arange(table.frames.size), table.sample)
            frames = [*table.frames[table.sample].tolist(), *table.frames[empty].tolist()]
            assert {*zip(frames, [*table.row.tolist(), *(0,) * empty.size], strict=True)} <= {
                *table.places
            }
            sources = {source.path for source in evidence.video.sources}
            assert {source for source, _ in table.places.values()} <= sources
        else:
            assert "{frame}" in table.pointer and "{row}" in table.pointer
            assert table.pointer.format(frame=3, row=1)


def test_07_moments_are_in_order_inside_the_video_and_in_the_ontologys_words(
    sample: Sample,
) -> None:
    for evidence in sample.read:
        assert list(evidence.moments) == sorted(set(evidence.moments), key=moment_order)
        for one in evidence.moments:
            assert one.kind in MOMENTS
            assert 0 <= one.start_us <= one.end_us <= evidence.video.duration_us
            assert one.start_us < evidence.video.duration_us and one.resolution_us > 0
            for kind in ("tools", "verbs", "targets"):
                name = getattr(one, kind.removesuffix("s"))
                assert not name or name in vocabulary(kind.replace("tools", "instruments"))
            box = one.box_xyxy
            assert box is None or 0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1
            assert one.kind != "anomaly" or one.label in vocabulary("events")
            assert any(source.path in one.source for source in evidence.video.sources)


def test_07_what_is_given_is_what_the_reader_says_and_the_ontology_knows(sample: Sample) -> None:
    reader = sample.reader()
    for evidence in sample.read:
        spans = {(span.kind, span.label) for span in evidence.spans}
        labels = {(label.kind, label.label) for label in evidence.labels}
        regions = {(kind, label) for kind in evidence.regions
                   for label in evidence.regions[kind].labels}  # fmt: skip
        for found, promised in (
            (spans, reader.span_kinds), (labels, reader.label_kinds),
            (regions, reader.region_kinds),
        ):  # fmt: skip
            assert {kind for kind, _ in found} <= set(promised)
        if sample.name not in OWN_FILES:
            for kind, label in spans | labels | regions:
                assert label in vocabulary(f"{kind}s"), (kind, label)
        assert set(evidence.video.vocabulary) <= set(vocabulary("instruments"))


def test_08_every_source_label_is_mapped_or_dropped_with_a_reason(sample: Sample) -> None:
    for kind, labels in label_map(registry.card(sample.name).label_map).items():
        known = vocabulary(f"{kind}s")
        for label, concept in labels.items():
            assert concept in known if isinstance(concept, str) else concept["drop"], label


def test_08_a_new_label_fails_loudly(sample: Sample, tmp_path: Path) -> None:
    tried = 0
    written = b"\n".join(path.read_bytes() for path in texts(sample.root)).decode()
    for kind, labels in label_map(registry.card(sample.name).label_map).items():
        words = [name for name in labels if not name.isdigit()]  # codes prove nothing
        label = next((n for n in words if re.search(rf"\b{re.escape(n)}\b", written)), None)
        if label is None:
            continue
        tried += 1
        root = sample.copy(tmp_path / kind)
        for path in texts(root):
            new = re.sub(rf"\b{re.escape(label)}\b", "zz_new", path.read_text())
            path.write_text(new)
        try:
            rejected = [e for evidence in read_all(sample.reader(root)) for e in evidence.rejected]
        except UserError as error:
            assert "zz_new" in str(error)
        else:
            new = [entry for entry in rejected if entry.code == Code.UNKNOWN_LABEL]
            assert any("zz_new" in entry.reason for entry in new), kind
    if not tried:
        pytest.skip(f"{sample.name}: its text files hold no label by name, only codes or columns")


def test_09_official_splits_hold_known_videos_and_share_no_surgery(sample: Sample) -> None:
    reader = sample.reader()
    group = {e.video.video_id: e.video.split_group for e in sample.read}
    for name, split in reader.splits.items():
        assert set(split) <= set(reader.files.video_ids or group), name
        assert set(split.values()) <= {"train", "val", "test"}, name
        sides: dict[str, set[str]] = {}
        for video_id, side in split.items():
            sides.setdefault(group.get(video_id, video_id), set()).add(side)
        assert all(len(found) == 1 for found in sides.values()), name


def test_10_the_books_balance_and_reasons_are_from_the_closed_list(sample: Sample) -> None:
    for evidence in sample.read:
        assert evidence.books
        assert all(books.balanced and books.stage == "read" for books in evidence.books)
        gone = sum(entry.count for entry in evidence.rejected if entry.outcome == "rejected")
        assert sum(books.rejected for books in evidence.books) == gone
        for entry in evidence.rejected:
            assert entry.code in set(Code)
            assert entry.outcome in ("rejected", "repaired")
            assert entry.key == evidence.video.key
            assert any(s.path in entry.where for s in evidence.video.sources)


def test_11_one_video_is_read_before_another_is_opened(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    plain = io.open

    def noting(file: Any, *args: Any, **kwargs: Any) -> Any:
        opened.append(str(file))
        return plain(file, *args, **kwargs)

    reader = sample.reader()
    one, other = sample.evidence[:2]
    first, second = one.video.video_id, other.video.video_id
    paths = [{s.path for s in evidence.video.sources} for evidence in (one, other)]
    registry.files(sample.name)  # the reader's own description is no source
    monkeypatch.setattr(io, "open", noting)
    monkeypatch.setattr(builtins, "open", noting)
    assert first in reader.videos()
    everyones = {str(sample.root / path) for path in paths[0] & paths[1]}
    planned = {path for path in opened if str(sample.root) in path}
    assert planned <= everyones, "planning opens only what all videos share"
    reader.read(first)
    assert {str(sample.root / path) for path in paths[0]} <= set(opened)
    assert not {str(sample.root / path) for path in paths[1] - paths[0]} & set(opened)
    assert second


def test_12_the_reader_writes_nothing_and_opens_no_socket(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = sample.copy(tmp_path / "read only")
    for path in sorted(root.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    root.chmod(0o555)

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a reader opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    before = {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in root.rglob("*")}
    assert [wordless(e) for e in read_all(sample.reader(root))] == list(sample.evidence)
    assert {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in root.rglob("*")} == before
    root.chmod(0o755)
    for path in sorted(root.rglob("*")):
        path.chmod(0o755)


def test_13_a_root_with_spaces_and_umlauts_behind_a_link_works(
    sample: Sample, tmp_path: Path
) -> None:
    sample.copy(tmp_path / "Daten für Prüfung 手術")
    link = tmp_path / "link to it"
    link.symlink_to(tmp_path / "Daten für Prüfung 手術", target_is_directory=True)
    assert read_all(sample.reader(link)) == list(sample.read)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: data.replace(b"\n", b"\r\n") + b"\r\n", id="windows"),
        pytest.param(lambda data: b"\xef\xbb\xbf" + data, id="byte-order-mark"),
        pytest.param(lambda data: data + b"\n\n", id="blank-lines"),
    ],
)
def test_14_harmless_differences_of_text_files_are_accepted(
    sample: Sample, tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    root = sample.copy(tmp_path / "changed")
    for path in texts(root):
        path.write_bytes(change(path.read_bytes()))
    found = [without_digests(evidence) for evidence in read_all(sample.reader(root))]
    assert found == [without_digests(evidence) for evidence in sample.read]


def test_15_records_and_reader_survive_pickling(sample: Sample) -> None:
    reader = pickle.loads(pickle.dumps(sample.reader()))
    for evidence in read_all(reader):
        assert pickle.loads(pickle.dumps(evidence)) == evidence


IMPORTING = """
import os, sys
from pathlib import Path
from surgqa.transforms.readers.base import Reader
from surgqa.transforms.registry import load_reader
heavy = {'apache_beam', 'torch', 'cv2', 'av', 'pyarrow', 'pydantic', 'pandas'}
for name in sys.argv[2:]:
    if not os.fork():
        reader = load_reader(name)(Path(sys.argv[1], name))
        reader.read(reader.videos()[0])
        print(name, *heavy & set(sys.modules), flush=True)
        os._exit(0)
    os.wait()
"""


def test_15_reading_needs_no_heavy_import(repo_root: Path, tmp_path: Path) -> None:
    """Each reads in a process of its own, made of one that has imported what all share."""
    for name in DATASETS:
        (tmp_path / name).mkdir()
        registry.load_sample(name)(tmp_path / name)
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, str(tmp_path), *DATASETS],
        cwd=repo_root, capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(repo_root)},
    )  # fmt: skip
    found = {name: set(heavy) for name, *heavy in map(str.split, done.stdout.splitlines())}
    assert found.keys() == set(DATASETS), done.stderr
    for name, heavy in found.items():
        masks = {"cv2"} if "mask" in registry.card(name).tasks else set()
        films = {"av"} if any((tmp_path / name).rglob("*.mp4")) else set()
        assert heavy <= NEEDED.get(name, masks | films), name


def digest_of(evidence: VideoEvidence) -> str:
    """SHA-256 over all that a reader said, arrays as bytes."""
    out = hashlib.sha256()
    plain = replace(evidence, instruments=None, regions={})
    out.update(repr(plain).encode())
    for kind in ("", *sorted(evidence.regions)):
        table = evidence.regions[kind] if kind else evidence.instruments
        if table is None:
            continue
        out.update(kind.encode())
        for field in fields(InstrumentTable):
            value = getattr(table, field.name)
            if field.name in ("absence", "places") and not value:
                continue  # of models, and of users' tables alone
            if field.name == "attributes":
                value = [(a.name, a.values.tobytes(), a.words) for a in value]
            out.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    return out.hexdigest()


def test_16_other_evidence_means_another_version(
    sample: Sample, repo_root: Path, update_golden: bool
) -> None:
    whole = hashlib.sha256("".join(map(digest_of, sample.read)).encode()).hexdigest()
    path = repo_root / "tests" / "golden" / "readers" / f"{sample.name}.txt"
    known = dict(line.split() for line in path.read_text().splitlines()) if path.exists() else {}
    version = str(sample.reader().version)
    if update_golden:
        path.parent.mkdir(parents=True, exist_ok=True)
        known[version] = whole
        lines = sorted(known.items(), key=lambda entry: int(entry[0]))
        path.write_text("".join(f"{number} {digest}\n" for number, digest in lines))
    assert known.get(version) == whole, (
        f"{sample.name} reads its sample differently than version {version} did: raise the "
        "reader's version, then run this test with --update-golden"
    )


LAYOUTS = sorted((Path(__file__).parent / "layouts").glob("*.yaml"))
"""Scripts of other layouts of a release, and of files with faults, by dataset."""


@pytest.mark.parametrize("path", LAYOUTS, ids=lambda path: path.stem)
def test_other_layouts_hold_what_they_say(
    path: Path, repo_root: Path, tmp_path: Path, update_golden: bool
) -> None:
    digests = []
    for number, script in enumerate(read_yaml(path.read_text(), path.name).data):
        (tmp_path / str(number)).mkdir()
        holds = write(script, tmp_path / str(number))
        found = read_all(registry.load_reader(path.stem)(tmp_path / str(number)))
        assert {evidence.video.video_id: summary(evidence) for evidence in found} == holds
        assert all(books.balanced for evidence in found for books in evidence.books)
        whole = "".join(digest_of(wordless(evidence)) for evidence in found)
        digests.append(hashlib.sha256(whole.encode()).hexdigest())
    golden = repo_root / "tests" / "golden" / "readers" / "layouts" / f"{path.stem}.txt"
    if update_golden:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text("".join(f"{digest}\n" for digest in digests))
    assert golden.read_text().split() == digests


@pytest.mark.parametrize("name", DATASETS)
def test_the_sample_is_small_and_the_same_every_time(name: str, tmp_path: Path) -> None:
    write = registry.load_sample(name)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder)
    files = [sorted(p for p in (tmp_path / f).rglob("*") if p.is_file()) for f in ("a", "b")]
    assert [p.relative_to(tmp_path / "a") for p in files[0]] == [
        p.relative_to(tmp_path / "b") for p in files[1]
    ]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(*files, strict=True))
    assert sum(path.stat().st_size for path in files[0]) < 200_000
