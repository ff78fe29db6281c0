"""Writes the export: chains, three folders with messages, counts and digests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.splits import SPLITS
from surgqa.transforms.exports.dialogue import Dialogue, Part
from surgqa.transforms.exports.surgcot.rows import COLUMNS, TAKING, item, nested
from surgqa.transforms.exports.writing import rendered
from surgqa.transforms.inference import chains
from surgqa.transforms.inference.jobfile import Clocks, clocks_of
from surgqa.transforms.inference.prompts import load_prompt
from surgqa.transforms.store import OutputFolder


class Lines:
    """Writes a file with one JSON object in each line.

    Attributes:
        count: number of objects written.
    """

    before, between, after, nothing = b"", b"\n", b"\n", b""

    def __init__(self, path: Path, stack: ExitStack) -> None:
        self._file = stack.enter_context(path.open("wb"))
        self.count = 0
        self._file.write(self.before)
        stack.callback(self._end)

    def add(self, value: Any) -> None:
        """Write one more object."""
        self._file.write((self.between if self.count else b"") + orjson.dumps(value))
        self.count += 1

    def _end(self) -> None:
        self._file.write(self.after if self.count else self.nothing)


class Array(Lines):
    """Writes a file with one JSON array of objects, each on a line of its own."""

    before, between, after, nothing = b"[", b",\n", b"]\n", b"]\n"


NESTED = "chains.jsonl"
ALL = "data"
ALWAYS = ("train", "test")
"""Files that each folder has, even if they are empty, as published by the benchmark."""

BARE = chains.ChainSetting()
FULL = chains.ChainSetting(chains.Setting.FC, chains.EarlierAnswers.GOLD)
PARTS: Mapping[str, tuple[bool, chains.ChainSetting]] = {
    "Q": (False, BARE),
    "Q_dq": (True, BARE),
    "Q_dq_clue": (True, FULL),
}
"""Folder -> (True for all stages, False for the main question only; the texts that are shown)."""

EVERY_US = 2_000_000
"""Time between the frames of a job, in microseconds; messages contain none of these frames."""


def talk(
    folder: OutputFolder, to: Path, dialogues: Iterator[Dialogue]
) -> Sequence[Sequence[object]]:
    """Write the chains of an output.

    Args:
        to: an existing folder.
        dialogues: one for each stage; a chain with a missing stage is not written.

    Returns:
        A table: the number of items of each folder by split.
    """
    shown = {one.turns[0].item_id: one.turns[0].parts[:-1] for one in dialogues}
    counts = {name: dict.fromkeys((*SPLITS, None), 0) for name in (NESTED, *PARTS)}
    clocks = clocks_of(folder)
    with ExitStack() as stack:
        files = _opened(to, stack, _more_splits(folder))
        for chain in chains.chains_of(folder, COLUMNS, to.parent):
            if any(row["item_id"] not in shown for row in chain):
                continue
            split = chain[0]["split"]
            files[NESTED].add(nested(chain))
            counts[NESTED][split] = counts[NESTED].get(split, 0) + 1
            for part, entry in _items(chain, clocks, shown):
                files[f"{part}/{ALL}.json"].add(entry)
                if split is not None:
                    files[f"{part}/{split}.json"].add(entry)
                counts[part][split] = counts[part].get(split, 0) + 1
    empty = [name for name, file in sorted(files.items()) if not file.count]
    text = rendered("surgcot/readme.md.jinja", counts=counts, empty=empty)
    (to / "README.md").write_text(text, encoding="utf-8")
    return _table(counts)


def _more_splits(folder: OutputFolder) -> list[str]:
    """Return the splits of the rows that are not in :data:`ALWAYS`."""
    found = {row["split"] for row in TAKING.rows(folder, ["split"])}
    return sorted(one for one in found if one is not None and one not in ALWAYS)


def _opened(to: Path, stack: ExitStack, more: Sequence[str]) -> dict[str, Lines]:
    files: dict[str, Lines] = {NESTED: Lines(to / NESTED, stack)}
    for part in PARTS:
        (to / part).mkdir()
        for name in (*ALWAYS, *more, ALL):
            path = f"{part}/{name}.json"
            files[path] = Array(to / path, stack)
    return files


def _items(
    chain: chains.Chain, clocks: Clocks, shown: Mapping[str, Sequence[Part]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (folder, pair of messages) for the stages of a chain that each folder contains."""
    clock = clocks[chain[0]["dataset"], chain[0]["video_id"]]
    for part, (stages, telling) in PARTS.items():
        jobs = chains.chain_jobs(chain, telling, load_prompt(), EVERY_US, *clock)
        asked = dict(zip(chains.asked_order(chain), jobs, strict=True))
        for stage in range(len(chain) if stages else 1):
            row, texts = chain[stage], chains.reference_texts(chain, stage, telling)
            yield part, item(row, asked[stage].user, texts, shown[row["item_id"]])


def _table(counts: Mapping[str, Mapping[str | None, int]]) -> list[list[object]]:
    splits = dict.fromkeys(split for by_split in counts.values() for split in by_split)
    head: list[object] = ["part", "all", *(one or "no split" for one in splits), "empty"]
    if not sum(counts[NESTED].values()):
        return [head]
    return [head] + [
        [name, sum(by_split.values()), *(by_split.get(one, 0) for one in splits),
         ", ".join(f"{split}.json" for split in ALWAYS if not by_split[split]) or "-"]
        for name, by_split in counts.items()
    ]  # fmt: skip
