"""Converts the rows of a dataset to dialogues, and lists the images and clips that they need.

The rows are read once. Their questions are stored in a temporary file, and then read dialogue by
dialogue.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from itertools import groupby
from typing import Any, BinaryIO

import orjson

from surgqa.ontology.continuations import CONTINUATION
from surgqa.ontology.keys import digest
from surgqa.ontology.times import SECOND_US
from surgqa.ontology.units import CHAIN, CLIP, NOW, STREAM
from surgqa.transforms.exports.dialogue import LABELS, Dialogue, Part, Turn
from surgqa.transforms.exports.shots import (
    ExportedMedia,
    Overlays,
    end_of,
    is_still,
    recording_of,
    shots_of,
)
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.inference.frames import COLUMNS as NAMED
from surgqa.transforms.inference.frames import Habits, habits_of
from surgqa.transforms.inference.jobfile import Clocks, clocks_of
from surgqa.transforms.inference.jobs import jobs_of
from surgqa.transforms.inference.prompts import PromptSections, load_prompt, parsed
from surgqa.transforms.inference.windows import COLUMNS as SEEN
from surgqa.transforms.inference.windows import scale_of, sights
from surgqa.transforms.media.cutting import Outcome, Request
from surgqa.transforms.store import OutputFolder

COLUMNS = tuple(dict.fromkeys((*SEEN, *NAMED, *LABELS, "answer", "answer_key")))
TAKING = Taking(
    "questions whose answer is a text", lambda row: row["form"] != CONTINUATION, None
)  # fmt: skip
LAST = 1 << 15
"""Position of a chain's main question in a dialogue: after all stages."""


@dataclass(frozen=True, slots=True)
class DialogueForm:
    """Settings for the conversion of items to dialogues.

    Attributes:
        media: ``clips``, ``frames`` or ``none``.
        every_us: time between two frames, in microseconds.
        turns: what one dialogue contains. ``clip``: all questions about a clip. ``item``: one item
            with its rounds, or one chain. ``question``: one question, round or stage.
        limit: maximum number of dialogues, the first ones by id. If clips or images are shown,
            dialogues without a video do not count.
        prompt: texts of the user's prompt; None for the built-in texts.
        taking: selects the rows that become dialogues.
        overlay: True to draw boxes and a clock on what is shown.
        whole: True to leave out a whole chain if the media of one of its stages are missing.
    """

    media: str = "none"
    every_us: int = 2 * SECOND_US
    turns: str = "clip"
    limit: int | None = None
    prompt: PromptSections | None = None
    taking: Taking = TAKING
    overlay: bool = False
    whole: bool = False


Asked = dict[str, Any]
"""A question as stored in the temporary file: its texts, answer, labels and times."""

LeftOut = dict[str, Any]
"""A question that was left out: ``item_id``, ``round_index``, ``code`` and ``reason``."""


class Talks:
    """The dialogues of a dataset.

    Args:
        spool: an empty temporary file for the questions, which must stay open while dialogues are
            read.

    Attributes:
        left_out: the questions that the last call of :meth:`dialogues` left out.
    """

    def __init__(self, folder: OutputFolder, telling: DialogueForm, spool: BinaryIO) -> None:
        self.telling, self.left_out = telling, list[LeftOut]()
        self._overlays = Overlays(folder) if telling.overlay else None
        self._absent = set[str]()
        self._spool, self._places = spool, self._spooled(folder, spool)

    def requests(self) -> Iterator[Request]:
        """Yield requests for all clips and images that the dialogues show."""
        for _, group in self._groups():
            for mine in self._shots(group):
                yield from (shot.request for shot in mine if shot.request)

    def dialogues(self, outcome: Outcome) -> Iterator[Dialogue]:
        """Yield the dialogues with the paths of their images and clips.

        Questions whose images or clips could not be cut are left out.
        """
        self.left_out = []
        broken = self._broken(outcome) if self.telling.whole else {}
        for name, group in self._groups():
            parts, lost = self._parts(group, outcome)
            if why := broken.get(group[0]["chain_id"]):
                lost = dict.fromkeys(range(len(group)), why) | lost
            whole = group[0]["labels"]["unit"] in (CHAIN, STREAM)
            if lost and whole:
                lost |= {place: next(iter(lost.values())) for place in range(len(group))}
            self.left_out += [_left(group[place], why) for place, why in sorted(lost.items())]
            turns = tuple(
                Turn(one["item_id"], one["round_index"], parts[place], one["answer"])
                for place, one in enumerate(group) if place not in lost
            )  # fmt: skip
            if turns:
                yield Dialogue(name, group[0]["labels"], group[0]["system"], turns)

    def _broken(self, outcome: Outcome) -> dict[str | None, str]:
        """Return the ids of chains with a stage whose media are missing, each with the reason."""
        out: dict[str | None, str] = {}
        for _, group in self._groups():
            for place, why in self._parts(group, outcome)[1].items():
                if group[place]["chain_id"] is not None:
                    out.setdefault(group[place]["chain_id"], why)
        return out

    def _parts(
        self, group: list[Asked], outcome: Outcome
    ) -> tuple[dict[int, tuple[Part, ...]], dict[int, str]]:
        """Return what each turn shows and asks, and why other turns are left out."""
        shown, out, lost = set[str](), {}, dict[int, str]()
        for place, mine in enumerate(self._shots(group)):
            found, why = _found(mine, outcome)
            if why:
                lost[place] = why
                continue
            parts: list[Part] = []
            for shot, file in found:
                if file in shown:
                    continue
                shown.add(file)
                parts += [("text", shot.caption)] if shot.caption else []
                parts.append((shot.shows, f"media/{file}"))
            out[place] = (*parts, ("text", group[place]["user"]))
        return out, lost

    def _shots(self, group: list[Asked]) -> list[list[ExportedMedia]]:
        return shots_of(group, self.telling.media, self._overlays)

    def _groups(self) -> Iterator[tuple[str, list[Asked]]]:
        wanted = None
        if self.telling.limit is not None:
            names = {one[0][-1] for one in self._places} - self._absent
            wanted = set(sorted(names)[: self.telling.limit])
        for key, places in groupby(self._places, key=lambda one: one[0]):
            if wanted is None or key[-1] in wanted:
                yield key[-1], [self._read(*one[-2:]) for one in places]

    def _read(self, offset: int, length: int) -> Asked:
        self._spool.seek(offset)
        return orjson.loads(self._spool.read(length))

    def _spooled(self, folder: OutputFolder, spool: BinaryIO) -> list[tuple[Any, ...]]:
        """Store all questions; return sorted (dialogue, position in it, offset, length)."""
        places, offset = [], 0
        clocks, habits = clocks_of(folder), habits_of(folder, None)
        for row in self.telling.taking.rows(folder, list(COLUMNS)):
            for asked in self._asked(row, clocks, habits):
                line = orjson.dumps(asked)
                spool.write(line)
                place = (_number(row, asked), asked["item_id"])
                key = self._key(row, asked)
                places.append((key, place, offset, len(line)))
                if self.telling.media != "none" and recording_of(asked) is None:
                    self._absent.add(key[-1])
                offset += len(line)
        return sorted(places)

    def _key(self, row: Mapping[str, Any], asked: Asked) -> tuple[Any, ...]:
        unit, turns = row["unit"], self.telling.turns
        name = row["chain_id"] if unit == CHAIN else row["item_id"]
        if unit == CLIP and turns == "clip":
            video = row["dataset"], row["video_id"], row["start_us"], row["end_us"]
            name = digest("clip", *video, row["benchmark"], row["split"])
        if turns == "question":
            index = asked["round_index"]
            name = row["item_id"] if index is None else f"{row['item_id']}.{index}"
        start = 0 if unit == CHAIN else row["start_us"]
        return row["split"] or "", row["dataset"], row["video_id"], start, name

    def _asked(self, row: Mapping[str, Any], clocks: Clocks, habits: Habits) -> Iterator[Asked]:
        """Yield the questions of a row: one, or one for each round."""
        clock, period_us = clocks[row["dataset"], row["video_id"]]
        telling, scale = self.telling, scale_of(row, clock, period_us)
        still = is_still(scale.unit, row["start_us"], row["end_us"])
        prompt = telling.prompt or prompt_of("frames" if still else telling.media)
        jobs = jobs_of(row, prompt, telling.every_us, clock, period_us, habits=habits)
        labels = {name: row.get(name) for name in LABELS} | {"unit": row["unit"]}
        for job, sight in zip(jobs, sights(row), strict=True):
            record = {key: asdict(job)[key] for key in
                    ("item_id", "round_index", "dataset", "media", "time_unit", "frames",
                     "system", "user", "start_us")}  # fmt: skip
            if telling.media == "none":
                record["user"] = f"{job.no_pictures}\n\n{job.user}" if job.no_pictures else job.user
            stretch = scale.text(sight.start_us), scale.text(sight.end_us)
            yield record | {
                "answer": _answer(row, job.round_index), "labels": labels,
                "end_us": end_of(row, sight), "stretch": stretch,
                # The frame at the query time must be shown too.
                "at_us": sight.end_us if row["unit"] in (NOW, STREAM) else None,
                "zero_us": scale.origin_us, "chain_id": row["chain_id"],
            }  # fmt: skip


def prompt_of(media: str) -> PromptSections:
    """Return the built-in texts of the prompt, for clips or for images."""
    own = load_prompt()
    if media != "clips":
        return own
    text = (resources.files("surgqa.transforms.exports") / "clip_prompt.txt").read_text(
        encoding="utf-8"
    )
    return PromptSections({**own.sections, **parsed(text, "clip_prompt.txt")})


def _number(row: Mapping[str, Any], asked: Asked) -> int:
    if row["unit"] == CHAIN:
        return int(row["stage"]) or LAST
    return -1 if asked["round_index"] is None else int(asked["round_index"])


def _answer(row: Mapping[str, Any], index: int | None) -> str:
    """Return the expected response: the letter if the question asks for a letter."""
    if index is not None:
        (mine,) = (one for one in row["rounds"] if one["round_index"] == index)
        return str(mine["expected_output"])
    key, answer = row["answer_key"], str(row["answer"])
    return str(key) if row["options"] and key and answer.startswith(f"{key})") else answer


def _found(
    shots: list[ExportedMedia], outcome: Outcome
) -> tuple[list[tuple[ExportedMedia, str]], str]:
    """Return (media, path) for all media of a turn, and why it cannot be shown ('' if it can)."""
    found = []
    for shot in shots:
        came = outcome[shot.request.key] if shot.request else {"why": shot.why}
        unseen = [time for time in came.get("unseen_us", ()) if time in shot.must_us]
        if "file" in came and not unseen:
            found.append((shot, came["file"]))
        elif shot.must_us or shot.alone:
            why = came.get("why") or f"no whole picture is shown at {unseen[0] / 1e6:.2f} s"
            return [], why
    if shots and not found:
        return [], "not one picture of its stretch can be shown"
    return found, ""


def _left(one: Asked, why: str) -> LeftOut:
    return {"item_id": one["item_id"], "round_index": one["round_index"],
            "code": "no_picture", "reason": why}  # fmt: skip
