"""Questions beyond the benchmark, which are answered from labels alone and marked ``extension``.

Most of these questions are items of the build and are exported as they are. The question which of
four clips continues the image needs the clips of other operations, so only the export can make it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.continuations import CONTINUATION
from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.keys import Key, digest
from surgqa.ontology.times import us_to_frame
from surgqa.transforms.exports.surgveo.continuations import Interval
from surgqa.transforms.exports.surgveo.samples import ChosenSamples, ContinuationSample, Row
from surgqa.transforms.exports.surgveo.which_clip import (
    LETTERS,
    MARK,
    WHICH_CLIP,
    ShownClip,
    which_clip,
)

QUESTION = "Which of the clips shows the {seconds} seconds that follow this picture?"
CLIPS, FRAMES, INPUT, REFERENCE = "clips", "frames", "input", "reference"
"""Folders of the extracted files."""

Hidden = Mapping[tuple[str, str], Sequence[Interval]]
"""(dataset, video id) -> intervals that must not be shown."""


@dataclass(frozen=True, slots=True)
class OptionClip:
    """A clip that is an option.

    Attributes:
        code: name that reveals neither the video nor the time.
    """

    code: str
    video: tuple[str, str]
    frame: int
    frames: int

    @property
    def path(self) -> str:
        return f"{CLIPS}/{self.code}.mp4"


@dataclass(frozen=True, slots=True)
class QuestionImage:
    """An image that a question shows; ``letter`` is None if it is the only one."""

    path: str
    frame: int
    letter: str | None = None


@dataclass(frozen=True, slots=True)
class ExtensionOption:
    """One option: a text, or a clip and the reason why it is an option."""

    key: str
    text: str | None
    clip: OptionClip | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class ExtensionItem:
    """One question.

    Attributes:
        kind: ``which_clip``, or the name of the build's task.
        value: the typed answer.
    """

    item_id: str
    kind: str
    sample: ContinuationSample
    question: str
    choices: tuple[ExtensionOption, ...]
    answer: str
    value: Any
    pictures: tuple[QuestionImage, ...]


def extension_items(
    found: Sequence[ChosenSamples], rows: Sequence[Row], hidden: Hidden
) -> list[ExtensionItem]:
    """Return all questions about the chosen samples, sorted by sample and kind.

    The clips of options come from these samples alone, so no other video is needed.

    Raises:
        OutputBroken: a row of the build is not a question of the extension.
    """
    samples = {one.sample_id: one for track in found for one in track.samples}
    others = (row for row in rows if row["form"] != CONTINUATION)
    items = [_built(row, samples[row["slots"]["sample_id"]]) for row in others
             if row["slots"].get("sample_id") in samples]  # fmt: skip
    for track in found:
        items += _which_clips(track.samples, hidden)
    place = {name: k for k, name in enumerate(samples)}
    return sorted(items, key=lambda one: (place[one.sample.sample_id], one.kind, one.item_id))


def _which_clips(samples: Sequence[ContinuationSample], hidden: Hidden) -> Iterator[ExtensionItem]:
    cuts = [one.cut for one in samples]
    videos = {one.cut.video: one.video for one in samples}
    for sample in samples:
        asked = which_clip(sample.cut, cuts, hidden.get(sample.video, ()))
        if asked is None:
            continue
        choices = tuple(
            ExtensionOption(one.key, None, _clip(one.shown, videos), one.why)
            for one in asked.choices
        )  # fmt: skip
        right = next(one.clip for one in choices if one.key == asked.answer)
        assert right is not None
        seconds = round(sample.cut.frames / sample.cut.fps)
        yield ExtensionItem(
            digest("surgveo/extension", WHICH_CLIP, sample.sample_id), WHICH_CLIP, sample,
            QUESTION.format(seconds=seconds), choices, asked.answer, {"clip": right.code},
            (_input(sample),),
        )  # fmt: skip


def _clip(shown: ShownClip, videos: Mapping[str, tuple[str, str]]) -> OptionClip:
    code = f"c{Key('surgveo/clip', shown.video).h64(shown.frame):016x}"
    return OptionClip(code, videos[shown.video], shown.frame, shown.frames)


def _input(sample: ContinuationSample) -> QuestionImage:
    return QuestionImage(f"{INPUT}/{sample.sample_id}.png", sample.cut.frame)


def _built(row: Row, sample: ContinuationSample) -> ExtensionItem:
    options = row["options"] or ()
    if not options or row["answer_key"] is None:
        raise OutputBroken(
            f"item {row['item_id']} has no options to choose from", where=row["task"],
            fix="build the dataset again",
        )  # fmt: skip
    times = row["slots"].get("shown_us")
    pictures: tuple[QuestionImage, ...] = (_input(sample),)
    if times:
        pictures = tuple(
            QuestionImage(f"{FRAMES}/{row['item_id']}-{letter}.png",
                    us_to_frame(time, sample.cut.fps), letter)
            for letter, time in zip(LETTERS, times, strict=False)
        )  # fmt: skip
    return ExtensionItem(
        row["item_id"],
        row["task"].rpartition("/")[2],
        sample,
        row["question"],
        tuple(ExtensionOption(one["key"], one["text"]) for one in options),
        row["answer_key"],
        row["answer_value"],
        pictures,
    )


def asked(item: ExtensionItem, cut: bool) -> dict[str, Any]:
    """The question as a model may see it; nothing in it reveals the answer.

    Args:
        cut: True if the images and clips were extracted.
    """
    return {
        "mark": MARK,
        "item_id": item.item_id,
        "kind": item.kind,
        "sample_id": item.sample.sample_id,
        "track": item.sample.cut.track,
        "question": item.question,
        "pictures": [{"letter": one.letter, "path": one.path if cut else None}
                     for one in item.pictures],
        "options": [_option(one, cut) for one in item.choices],
        "licence": item.sample.row["licence"],
    }  # fmt: skip


def _option(one: ExtensionOption, cut: bool) -> dict[str, Any]:
    clip = one.clip
    return {
        "key": one.key,
        "text": one.text,
        "clip": clip.code if clip else None,
        "path": clip.path if clip and cut else None,
    }


def answered(item: ExtensionItem, cut: bool) -> dict[str, Any]:
    """Return the question with its answer and the sources of its images and clips."""
    sample = item.sample
    dataset, video_id = sample.video
    out = asked(item, cut)
    for entry, one in zip(out["options"], item.choices, strict=True):
        entry["is_answer"] = one.key == item.answer
        entry["why"] = one.why
        entry["from"] = _from(*one.clip.video, one.clip, sample) if one.clip else None
    for entry, picture in zip(out["pictures"], item.pictures, strict=True):
        entry["frame"] = picture.frame
    return out | {
        "answer_key": item.answer,
        "answer_value": item.value,
        "dataset": dataset,
        "video_id": video_id,
        "label_source": sample.row["label_source"],
    }


def _from(
    dataset: str, video_id: str, clip: OptionClip, sample: ContinuationSample
) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "video_id": video_id,
        "frame": clip.frame,
        "frames": clip.frames,
        "start_s": float(clip.frame / sample.cut.fps),
        "length_s": float(clip.frames / sample.cut.fps),
    }
