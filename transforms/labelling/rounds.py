"""The record of a labelling project: the held-out part, and the steps of each round.

::

    STORE/label/project.json      held-out part, labels
    STORE/label/rounds/001.json   the steps of a round, in order

Steps are appended and never changed; a repeated step is recorded again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypeVar

import orjson
from pydantic import Field
from typing_extensions import TypedDict

from surgqa.ontology.errors import NothingSelected, StepOrder, UnknownName
from surgqa.ontology.files import listed, read_bytes
from surgqa.ontology.guarded import read_as
from surgqa.transforms.labelling.choose import SHARE, HeldOut, choose, draw, hold_out
from surgqa.transforms.labelling.layer import VideoLayer, clicks, layers_of, settled
from surgqa.transforms.labelling.settings import NO_RECORD, Choosing
from surgqa.transforms.labelling.sheet import (
    BoxLabel,
    RoundSheet,
    labels_of,
    make_sheet,
)
from surgqa.transforms.labelling.signs import Instant
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.places import place, write_whole
from surgqa.transforms.store.evidence import EvidenceStore

SCHEMA = "surgqa/label-v1"
FOLDER, RECORD, ROUNDS = "label", "project.json", "rounds"
TRAINING, HELD_OUT = "training", "held_out"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LabelRound:
    """A set of frames that people review, and the steps done with it.

    Attributes:
        steps: plain JSON, each with the key ``step``: choose, export, import, train, evaluate.
    """

    number: int
    steps: tuple[Mapping[str, Any], ...]

    @property
    def part(self) -> str:
        """``training`` or ``held_out``."""
        return self.steps[0]["part"]

    @property
    def sheet(self) -> RoundSheet:
        """The chosen frames."""
        return read_as(RoundSheet, orjson.dumps(self.steps[0]["sheet"]), "sheet", NO_RECORD)

    @property
    def chosen(self) -> list[Instant]:
        """The chosen instants."""
        return [(one["video_id"], one["time_us"]) for one in self.steps[0]["chosen"]]

    def done(self, step: str) -> list[Mapping[str, Any]]:
        """Return the steps of one kind, oldest first."""
        return [one for one in self.steps if one["step"] == step]


class Project:
    """The labelling project of a store.

    Args:
        store: folder of the store.

    Raises:
        UserError: there is no store in the folder, or no frame has been chosen in it yet.
        OutputBroken: the project's record cannot be read.
    """

    def __init__(self, store: Path) -> None:
        self.store = store
        self.path = store / FOLDER
        if not (self.path / RECORD).is_file():
            EvidenceStore(place(str(store)))  # raises an error if this is no store
            raise StepOrder(
                "no labelling has begun in this store",
                expected=f"{FOLDER}/{RECORD}",
                where=str(store),
                fix=f"choose frames first: surgqa label choose {store} --count 50 --out ROUND "
                "--as cvat",
            )
        record = _json(self.path / RECORD, _ProjectRecord)
        self.held_out = record["held_out"]
        self.labels = tuple(record["labels"])

    @classmethod
    def begun(cls, store: Path, view: StoreView, share: float | None = None) -> Project:
        """Return the project of a store; created on first use.

        Args:
            share: the held-out share, if the user gave one. A share that differs from the first is
                an error, because earlier measurements could no longer be compared.
        """
        if (store / FOLDER / RECORD).is_file():
            project = cls(store)
            if share not in (None, project.held_out.share):
                raise StepOrder(
                    "the held-out part of this store cannot be changed",
                    expected=str(project.held_out.share), found=str(share),
                    where="--held-out", fix="leave the option out",
                )  # fmt: skip
            project._learn(view)
            return project
        held_out = hold_out(view, SHARE if share is None else share)
        (store / FOLDER / ROUNDS).mkdir(parents=True, exist_ok=True)
        _write(store / FOLDER / RECORD, _record(view.dataset, held_out, labels_of(view)))
        return cls(store)

    def _learn(self, view: StoreView) -> None:
        """Append new labels, so that existing numbers do not change."""
        labels = labels_of(view, [asdict(one) for one in self.labels])
        if labels != self.labels:
            self.labels = labels
            _write(self.path / RECORD, _record(view.dataset, self.held_out, labels))

    def rounds(self) -> list[LabelRound]:
        """Return all rounds, by number."""
        folder = self.path / ROUNDS
        files = [f for f in listed(folder) if f.suffix == ".json"] if folder.is_dir() else []
        return [LabelRound(int(f.stem), tuple(_json(f, _RoundRecord)["steps"])) for f in files]

    def round(self, number: int) -> LabelRound:
        """Return the round with the given number.

        Raises:
            UserError: there is no round with this number.
        """
        rounds = {one.number: one for one in self.rounds()}
        if number not in rounds:
            raise UnknownName(
                f"no round {number}", expected=f"1 to {len(rounds)}", found=str(number),
                where="--round", fix=f"see 'surgqa label rounds {self.store}'",
            )  # fmt: skip
        return rounds[number]

    def add(self, number: int, step: Mapping[str, Any]) -> LabelRound:
        """Append a step to a round, or create the round with it."""
        path = self.path / ROUNDS / f"{number:03d}.json"
        steps = _json(path, _RoundRecord)["steps"] if path.is_file() else []
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, {"round": number, "steps": [*steps, step]})
        return LabelRound(number, (*steps, step))

    def reviewed(self, view: StoreView) -> set[Instant]:
        """Return instants whose boxes are all known; an instant with a click is not complete."""
        return {(v, time_us) for v in view.videos() for time_us in settled(self._layers(view, v))}

    def _layers(self, view: StoreView, video_id: str) -> list[VideoLayer]:
        return layers_of(self.store, video_id, view.medium(video_id))

    def clicked(self, view: StoreView) -> set[Instant]:
        """Return the instants with a click for which the store's evidence has no box yet."""
        found = set()
        for video_id in view.videos():
            rows = clicks(self._layers(view, video_id)).to_pylist()
            if not rows:
                continue
            boxes = view.table(video_id, "boxes").select(["time_us", "label"]).to_pylist()
            seen = {(row["time_us"], row["label"]) for row in boxes}
            found |= {(video_id, row["time_us"]) for row in rows
                      if (row["time_us"], row["label"]) not in seen}  # fmt: skip
        return found

    def pending(self, view: StoreView) -> set[Instant]:
        """Return the instants of rounds without any import yet, if the video is still the same."""
        now = {video_id: view.medium(video_id) for video_id in view.videos()}
        frames = [f for one in self.rounds() if not one.done("import") for f in one.sheet.frames]
        return {(f.video_id, f.time_us) for f in frames if now.get(f.video_id) == f.medium}

    def open_round(
        self, view: StoreView, count: int, part: str, settings: Choosing
    ) -> tuple[LabelRound, int]:
        """Choose frames and create a round with them.

        Returns:
            The round, and the number of its frames.

        Raises:
            UserError: the previous round was never exported, the held-out part has its frames
                already, or no frame is left to choose.
        """
        rounds = self.rounds()
        self._may_open(rounds, part)
        pending, reviewed = self.pending(view), self.reviewed(view)
        if part == HELD_OUT:
            choices = draw(view, count, settings, self.held_out)
        else:
            away = pending | self.clicked(view)
            choices = choose(view, count, settings, self.held_out, reviewed, away)
        if not choices:
            raise NothingSelected(
                "no frame is left to choose",
                expected=f"frames of the part '{part}' that nobody has reviewed",
                found=f"{len(reviewed)} reviewed, {len(pending)} with reviewers",
                fix="import what was exported, or observe more video",
            )
        number = len(rounds) + 1
        sheet = make_sheet(view, number, choices, self.labels)
        step = {
            "step": "choose", "part": part, "asked": count, "settings": asdict(settings),
            "chosen": [asdict(one) for one in choices], "sheet": asdict(sheet),
        }  # fmt: skip
        return self.add(number, step), len(choices)

    def _may_open(self, rounds: Iterable[LabelRound], part: str) -> None:
        for one in rounds:
            again = f"export round {one.number} again: surgqa label choose … --round {one.number}"
            if part == HELD_OUT and one.part == HELD_OUT:
                raise StepOrder(
                    "the frames for measuring are chosen once",
                    found=f"round {one.number} has {len(one.chosen)} of them", where="--part",
                    fix=again,
                )  # fmt: skip
            if not one.done("export"):
                raise StepOrder(
                    f"round {one.number} was chosen and never exported", fix=again,
                    found=f"{len(one.chosen)} frames",
                )  # fmt: skip


def _record(dataset: str, held_out: HeldOut, labels: Iterable[BoxLabel]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "dataset": dataset,
        "held_out": asdict(held_out),
        "labels": [asdict(one) for one in labels],
    }


class _ProjectRecord(TypedDict, extra_items=Any):  # type: ignore[call-arg]
    held_out: HeldOut
    labels: list[BoxLabel]


class _Chosen(TypedDict, extra_items=Any):  # type: ignore[call-arg]
    video_id: str
    time_us: int


class _Step(TypedDict, extra_items=Any):  # type: ignore[call-arg]
    step: str
    part: NotRequired[str]
    chosen: NotRequired[list[_Chosen]]
    layer: NotRequired[str]


class _RoundRecord(TypedDict, extra_items=Any):  # type: ignore[call-arg]
    steps: Annotated[list[_Step], Field(min_length=1)]


def _json(path: Path, kind: type[T]) -> T:
    return read_as(kind, read_bytes(path, str(path)), str(path), NO_RECORD)


def _write(path: Path, data: Mapping[str, Any]) -> None:
    write_whole(path, orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
