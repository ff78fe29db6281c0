"""A study: the raters of each track, the codes of the videos, and the order for each rater.

Raters see only codes.  The study's key file explains them; raters do not get that file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from surgqa.ontology.continuations import BASELINE, PROMPTS, STAGE_AWARE
from surgqa.ontology.errors import RowTwice, SourceBroken, UnknownName, UserError, ValueInvalid
from surgqa.ontology.guarded import ErrorOf, read_as
from surgqa.ontology.keys import Key

FORMAT = "surgqa/surgveo-study-v1"
FOLDER, SUFFIX = "videos", ".mp4"
HEX = 12
NO_STUDY = ErrorOf(
    "not the file of a study",
    f"format {FORMAT}",
    "give the file that was written with the sheets",
    SourceBroken,
)


@dataclass(frozen=True, slots=True)
class StudySample:
    """The part of a sample that a rater may know.

    Attributes:
        context: the operation and its current stage, in words.
    """

    sample_id: str
    track: str
    context: str


@dataclass(frozen=True, slots=True)
class RatedClip:
    """One generated video with its reference.

    Attributes:
        code: 'v' and twelve hex characters. Because of the letter, spreadsheets do not read the
            code as a number.
        generated, reference: paths relative to the sheets, which reveal neither sample nor prompt.
    """

    code: str
    sample_id: str
    track: str
    prompt: str
    context: str
    generated: str
    reference: str


@dataclass(frozen=True, slots=True)
class Study:
    """All videos and raters of a study.

    Attributes:
        raters: for each track, the names of its raters.
        clips: the clips, in the order of samples, then prompts.
    """

    name: str
    seed: str
    raters: Mapping[str, tuple[str, ...]]
    clips: tuple[RatedClip, ...]

    @property
    def everybody(self) -> tuple[str, ...]:
        """All raters, sorted."""
        return tuple(sorted({one for who in self.raters.values() for one in who}))


def make_study(
    name: str,
    seed: str,
    samples: Sequence[StudySample],
    raters: Mapping[str, Sequence[str]],
) -> Study:
    """Return a study in which every video has its code.

    Args:
        seed: keep it secret from the raters, because the codes can be computed from it.

    Raises:
        UserError: a sample occurs twice, or its track has no raters or one rater twice.
    """
    seen: set[str] = set()
    clips = []
    for sample in samples:
        _check(sample, seen, raters)
        seen.add(sample.sample_id)
        reference = _code(name, seed, sample.sample_id, "reference")
        for prompt in PROMPTS:
            code = _code(name, seed, sample.sample_id, prompt)
            clips.append(RatedClip(
                code, sample.sample_id, sample.track, prompt, sample.context,
                f"{FOLDER}/{code}{SUFFIX}", f"{FOLDER}/{reference}{SUFFIX}",
            ))  # fmt: skip
    tracks = dict.fromkeys(one.track for one in samples)
    return Study(name, seed, {one: tuple(raters[one]) for one in tracks}, tuple(clips))


def _code(name: str, seed: str, sample_id: str, what: str) -> str:
    return f"v{Key('surgveo/code', name, seed, sample_id).h64(what):016x}"[: HEX + 1]


def _check(sample: StudySample, seen: set[str], raters: Mapping[str, Sequence[str]]) -> None:
    who = raters.get(sample.track, ())
    if sample.sample_id in seen:
        raise RowTwice("a sample is listed twice", expected="every sample listed once",
                       found=sample.sample_id, fix="remove one of the two entries")  # fmt: skip
    names = {one.strip() for one in who} - {""}
    if not who or len(names) < len(who):
        raise ValueInvalid(
            f"track {sample.track!r} needs raters, each named once", expected="different names",
            found=", ".join(who) or "none", fix="name the raters of every track",
        )  # fmt: skip


def sheet_name(study: Study, rater: str) -> str:
    """The name in every row of a rater's sheet, by which its study and rater are recognised."""
    return f"{study.name}-{rater}"


def order(study: Study, rater: str) -> list[RatedClip]:
    """Return the rater's videos in the order in which they are shown.

    Every sample occurs once in each half.  In the first half, samples alternate between the two
    prompts, so that neither is seen earlier.  A video never follows the other one of its sample.

    Raises:
        UserError: the study has no such rater.
    """
    if rater not in study.everybody:
        raise UnknownName("the study has no rater of this name", found=rater or "nothing",
                          expected=", ".join(study.everybody),
                          fix="name one of the study's raters")  # fmt: skip
    mine = {(one.sample_id, one.prompt): one for one in study.clips
            if rater in study.raters[one.track]}  # fmt: skip
    key = Key("surgveo/order", study.name, study.seed, rater)
    samples = {sample for sample, _ in mine}
    first = key.extended("first").ordered(samples)
    second = key.extended("second").ordered(samples)
    if len(second) > 1 and second[0] == first[-1]:
        second = [*second[1:], second[0]]
    start = key.h64("start") % 2
    early = {one: PROMPTS[(start + k) % 2] for k, one in enumerate(first)}
    late = {BASELINE: STAGE_AWARE, STAGE_AWARE: BASELINE}
    return [mine[one, early[one]] for one in first] + [mine[one, late[early[one]]]
                                                       for one in second]  # fmt: skip


def study_to_dict(study: Study) -> dict[str, Any]:
    """Return the content of the study's key file, for JSON; not for raters."""
    return {"format": FORMAT, **asdict(study)}


def study_from_dict(data: Any, where: str) -> Study:
    """Return the study in a key file's content; the inverse of :func:`study_to_dict`.

    The clips are derived again from the samples and raters, so an edited file is detected.

    Raises:
        SourceBroken: the file is not a study, or its clips do not follow from its samples.
    """
    study = read_as(Study, orjson.dumps(data), where, NO_STUDY)
    if data.get("format") != FORMAT:
        raise NO_STUDY.wrong(f"format {data.get('format')}", where)
    samples = {
        one.sample_id: StudySample(one.sample_id, one.track, one.context) for one in study.clips
    }
    try:
        made = make_study(study.name, study.seed, list(samples.values()), study.raters)
    except UserError as problem:
        raise NO_STUDY.wrong(problem.summary, where) from None
    if made != study:
        raise NO_STUDY.wrong("clips or raters that were changed since it was written", where)
    return study
