"""Additional questions about the samples (``extension``), which the benchmark does not have.

Labels answer these questions. Most of them are items of the build, which are exported unchanged.
The question which of four clips continues an image needs clips of other operations, so the export
makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from surgqa.ontology.continuations import CONTINUATION
from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.keys import Key, digest
from surgqa.ontology.times import SECOND_US, us_to_frame
from surgqa.transforms.exports.surgveo.samples import (
    ChosenSamples,
    Continuation,
    ContinuationSample,
    Interval,
    Row,
    fits,
    without,
)

WHICH_CLIP, MARK, ANSWER = "which_clip", "extension", "answer"
LETTERS = "ABCD"
SHIFT_US = 16 * SECOND_US
"""Minimum time between the real continuation and a distractor of the same operation."""
QUESTION = "Which of the clips shows the {seconds} seconds that follow this picture?"
CLIPS, FRAMES, INPUT, REFERENCE = "clips", "frames", "input", "reference"
"""Folders for clips and images."""

Hidden = Mapping[tuple[str, str], Sequence[Interval]]
"""(dataset, video id) -> intervals that no clip may show."""


@dataclass(frozen=True, slots=True)
class OptionClip:
    """A clip that is an option: its video, first frame and number of frames."""

    video: str
    frame: int
    frames: int

    @property
    def code(self) -> str:
        """The name of the clip, which reveals neither video nor time."""
        return f"c{Key('surgveo/clip', self.video).h64(self.frame):016x}"

    @property
    def path(self) -> str:
        """The path of the clip's file in the export."""
        return f"{CLIPS}/{self.code}.mp4"


@dataclass(frozen=True, slots=True)
class QuestionImage:
    """An image that a question shows; ``letter`` is None if it is the only image."""

    path: str
    frame: int
    letter: str | None = None


@dataclass(frozen=True, slots=True)
class ExtensionOption:
    """One option, a text or a clip; ``why`` is "answer" or how the distractor was chosen."""

    key: str
    text: str | None
    clip: OptionClip | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class ExtensionItem:
    """One additional question.

    Attributes:
        kind: ``which_clip``, or the name of the build's task.
        value: the value of the answer.
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

    All clips are from the videos of these samples, so no other video is needed.

    Raises:
        OutputBroken: a row of the build is not a question of the extension.
    """
    samples = {one.sample_id: one for track in found for one in track.samples}
    others = (row for row in rows if row["form"] != CONTINUATION)
    items = [_built(row, samples[row["sample_id"]]) for row in others
             if row["sample_id"] in samples]  # fmt: skip
    for track in found:
        items += _which_clips(track.samples, hidden)
    place = {name: k for k, name in enumerate(samples)}
    return sorted(items, key=lambda one: (place[one.sample.sample_id], one.kind, one.item_id))


def _which_clips(samples: Sequence[ContinuationSample], hidden: Hidden) -> Iterator[ExtensionItem]:
    cuts = [one.cut for one in samples]
    for sample in samples:
        choices = which_clip(sample.cut, cuts, hidden.get(sample.video, ()))
        for right in choices:
            if right.why == ANSWER and right.clip:
                seconds = round(sample.cut.frames / sample.cut.fps)
                yield ExtensionItem(
                    digest("surgveo/extension", WHICH_CLIP, sample.sample_id), WHICH_CLIP, sample,
                    QUESTION.format(seconds=seconds), choices, right.key,
                    {"clip": right.clip.code}, (_input(sample),),
                )  # fmt: skip


def which_clip(
    sample: Continuation, samples: Iterable[Continuation], hidden: Sequence[Interval] = ()
) -> tuple[ExtensionOption, ...]:
    """Return the options of the question which of four clips continues an image.

    They are the real continuation and three distractors: the same stage of another operation,
    another stage of this operation, and this stage at least 16 s earlier or later. All four clips
    have the same frame rate and number of frames, so that these do not reveal the answer. Random
    choices depend only on the sample, so questions do not depend on each other.

    Args:
        samples: all samples of the track.
        hidden: intervals of this operation that must not be shown.

    Returns:
        Four options, or none if one of the three distractors does not exist.
    """
    key = Key("surgveo/extension", sample.sample_id, WHICH_CLIP)
    all_of = [one for one in samples if (one.track, one.fps) == (sample.track, sample.fps)]
    same = [one for one in all_of if one.stage == sample.stage and one.video != sample.video]
    other = [one for one in all_of if one.stage != sample.stage and one.video == sample.video
             and abs(one.start_us - sample.start_us) >= SHIFT_US]  # fmt: skip
    shifted = _shifted(sample, hidden)
    if not (same and other and shifted):
        return ()
    found = {
        ANSWER: sample,
        "same stage of another operation": _picked(key, same),
        "other stage of this operation": _picked(key, other),
        "this stage at another time": shifted,
    }
    return tuple(
        ExtensionOption(letter, None, OptionClip(one.video, one.frame, one.frames), why)
        for letter, why in zip(LETTERS, key.extended("option").ordered(found), strict=True)
        for one in [found[why]]
    )


def _picked(key: Key, found: Sequence[Continuation]) -> Continuation:
    return found[key.choose([one.sample_id for one in found])]


def _shifted(sample: Continuation, hidden: Sequence[Interval]) -> Continuation | None:
    """Return the clip 16 s later, or else 16 s earlier, if it is in the stage; otherwise None."""
    steps = -(-sample.fps * SHIFT_US // SECOND_US)
    pieces = without(sample.interval, hidden)
    for frame in (sample.frame + steps, sample.frame - steps):
        if any(fits(frame, piece, sample.fps) for piece in pieces):
            return replace(sample, frame=int(frame))
    return None


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
    """Return a question without its answer, for models.

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
        "options": [{"key": one.key, "text": one.text, "clip": one.clip.code if one.clip else None,
                     "path": one.clip.path if one.clip and cut else None}
                    for one in item.choices],
        "licence": item.sample.row["licence"],
    }  # fmt: skip


def answered(item: ExtensionItem, cut: bool) -> dict[str, Any]:
    """Return a question with its answer and the sources of its images and clips."""
    sample = item.sample
    dataset, video_id = sample.video
    out = asked(item, cut)
    for entry, one in zip(out["options"], item.choices, strict=True):
        entry["is_answer"] = one.key == item.answer
        entry["why"] = one.why
        entry["from"] = _from(one.clip, sample.cut.fps) if one.clip else None
    for entry, picture in zip(out["pictures"], item.pictures, strict=True):
        entry["frame"] = picture.frame
    return out | {
        "answer_key": item.answer,
        "answer_value": item.value,
        "dataset": dataset,
        "video_id": video_id,
        "label_source": sample.row["label_source"],
    }


def _from(clip: OptionClip, fps: Fraction) -> dict[str, Any]:
    dataset, _, video_id = clip.video.partition("/")
    return {
        "dataset": dataset, "video_id": video_id, "frame": clip.frame, "frames": clip.frames,
        "start_s": float(clip.frame / fps), "length_s": float(clip.frames / fps),
    }  # fmt: skip
