"""Every reader on damaged files of its sample: an error in words, or books that balance.

The ways to damage a file are the same for all; a reader is tested by being there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.keys import digest
from surgqa.ontology.records import VideoEvidence
from surgqa.pipeline.cli.contract import problems_of
from surgqa.transforms import registry
from tests.readers.test_contract import digest_of, without_digests, wordless

LONG = "SURGQA_LONG" in os.environ
AT_LEAST, FILES, REFUSED = (20, 4, 5) if LONG else (12, 3, 3)
"""Files of each suffix that are damaged, those of later videos are like those of the first; and how
often at least that is noticed."""

Lines = list[bytes]
TEXT: dict[str, Callable[[Lines], Lines]] = {
    "no header": lambda lines: lines[1:],
    "a line twice": lambda lines: [*lines[:2], *lines[1:]],
    "a line gone": lambda lines: [*lines[: len(lines) // 2], *lines[len(lines) // 2 + 1 :]],
    "lines backwards": lambda lines: lines[::-1],
    "a line cut": lambda lines: [*lines[:-1], lines[-1][: len(lines[-1]) // 2]],
    "a line of words": lambda lines: [*lines[:2], b"what is this?", *lines[2:]],
    "a line too long": lambda lines: [*lines[:-1], lines[-1] + b",1\t1;1 1"],
    "two lines in one": lambda lines: [*lines[:-2], b"".join(lines[-2:])],
    "first line only": lambda lines: lines[:1],
    "swapped halves": lambda lines: lines[len(lines) // 2 :] + lines[: len(lines) // 2],
}


def swap(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """Replace the last few digits or separators: the header is left alone."""

    def change(data: bytes) -> bytes:
        head, body = data[: len(data) // 2], data[len(data) // 2 :]
        return head + body.replace(old, new, 3)

    return change


RAW: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
    "all but a byte": lambda data: data[:-1],
    "zeros within": lambda data: data[: len(data) // 2] + bytes(9) + data[len(data) // 2 + 9 :],
    "not UTF-8": lambda data: data[: len(data) // 3] + b"\xff\xfe\xfd" + data[len(data) // 3 :],
    "blanks": lambda data: b"  \n \n",
    "another kind of file": lambda data: b"\x89PNG\r\n\x1a\n" + data[:40],
    "twice": lambda data: data + data,
    "digits gone": swap(b"1", b""),
    "negative": swap(b"1", b"-1"),
    "huge": swap(b"1", b"99999999999999999999"),
    "not a number": swap(b"1", b"nan"),
    "letters": swap(b"0", b"x"),
    "other commas": swap(b",", b"."),
    "infinite": swap(b"2", b"1e999"),
}


def flipped(part: int) -> Callable[[bytes], bytes]:
    """One byte changed, and the next one too, ``part`` / 24 of the way."""

    def change(data: bytes) -> bytes:
        at = len(data) * part // 24
        return data[:at] + bytes(255 - byte for byte in data[at : at + 2]) + data[at + 2 :]

    return change


EVERY = 1 if LONG else 16
"""By day a sixteenth of the places in texts and a quarter of those in other files."""

FLIPS = {f"bytes changed at {part}/24": flipped(part) for part in range(1, 24)}
RAW |= FLIPS
TEXTUAL = tuple(name for name in RAW if name not in FLIPS or name in list(FLIPS)[::EVERY])
BINARY = ("empty", "half", "all but a byte", "zeros within", "another kind of file", "twice",
          *list(FLIPS)[:: EVERY // 4 or 1])  # fmt: skip


def mutants(root: Path) -> Iterator[tuple[str, Path, bytes]]:
    """Name, file relative to the root and its damaged bytes; files that pictures are stay."""
    by_suffix: dict[str, list[Path]] = {}
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        by_suffix.setdefault(path.suffix, []).append(path)
    for suffix, paths in sorted(by_suffix.items()):
        for path in paths[:FILES]:
            data = path.read_bytes()
            is_text = b"\0" not in data and suffix not in (".png", ".jpg")
            for name in TEXTUAL if is_text else BINARY:
                yield f"{path.name}: {name}", path.relative_to(root), RAW[name](data)
            lines = data.splitlines()
            if is_text and len(lines) > 3:
                for name, change in TEXT.items():
                    damaged = b"\n".join(change(lines)) + b"\n"
                    yield f"{path.name}: {name}", path.relative_to(root), damaged


@pytest.mark.parametrize("name", registry.datasets())
def test_damage_is_an_error_in_words_or_an_entry_in_the_books(
    name: str, tmp_path: Path, repo_root: Path, update_golden: bool
) -> None:
    """And what each damage gives is written down, file by file."""
    registry.load_sample(name)(tmp_path)
    reader = registry.load_reader(name)(tmp_path)
    sources = {video: {source.path for source in reader.read(video).video.sources}
               for video in reader.videos()}  # fmt: skip
    found: dict[str, list[Outcome]] = {}
    for what, path, data in mutants(tmp_path):
        file = tmp_path / path
        if data == (whole := file.read_bytes()):
            continue
        file.write_bytes(data)
        # By day other videos are not read again: whoever has nothing of a file stays as it is.
        others = {video for video, paths in sources.items() if path.as_posix() not in paths}
        skip = set() if LONG or others == sources.keys() else others
        found.setdefault(path.as_posix(), []).append(outcome(name, tmp_path, what, skip))
        file.write_bytes(whole)
    every = [one for outcomes in found.values() for one in outcomes]
    assert len(every) >= AT_LEAST
    assert sum(one.noticed for one in every) >= REFUSED, "hardly any damage is noticed"
    if LONG:
        return
    golden = repo_root / "tests" / "golden" / "readers" / "damaged" / f"{name}.txt"
    told = {f"{digest(str(outcomes))[:12]} {path}": outcomes for path, outcomes in found.items()}
    if update_golden:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text("".join(f"{line}\n" for line in told))
    known = golden.read_text().splitlines() if golden.is_file() else []
    new = {line: one for line, one in told.items() if line not in known}
    assert list(told) == known, f"if this is meant, run with --update-golden: {new}"


class Outcome(NamedTuple):
    """What reading a damaged file gives.

    Attributes:
        noticed: whether it was an error or a reject.
        told: errors with their places, digests of evidence without digests of files and wording.
    """

    noticed: bool
    what: str
    told: list[str]


def outcome(name: str, root: Path, what: str, skip: set[str]) -> Outcome:
    """What the other videos give; anything but an error or a reject must keep the promises."""
    reader = registry.load_reader(name)(root)
    try:
        videos = reader.videos()
    except UserError as error:
        assert error.where or error.fix, what
        return Outcome(True, what, [at(error, root)])
    noticed, told = False, []
    for video_id in (one for one in videos if one not in skip):
        try:
            evidence: VideoEvidence = reader.read(video_id)
        except UserError as error:
            assert error.where, what
            noticed = True
            told.append(at(error, root))
        else:
            assert not list(problems_of(evidence)), what
            noticed |= bool(evidence.rejected)
            told.append(digest_of(without_digests(wordless(evidence)))[:12])
    return Outcome(noticed, what, told)


def at(error: UserError, root: Path) -> str:
    """An error's code, and its place below the root."""
    return f"{error.code} {error.where}".replace(str(root), "")
