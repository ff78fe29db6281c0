"""A study as a folder: ``sheets/`` for its raters, and the key file ``study.json``.

Raters must not get the key file, which states how each video was made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

import orjson
from typing_extensions import TypedDict

from surgqa.ontology.errors import Mismatched, NameTaken, ValueInvalid
from surgqa.ontology.files import read_bytes
from surgqa.ontology.guarded import read_as
from surgqa.transforms.exports.surgveo.sheets import (
    FOLDER,
    NO_STUDY,
    Study,
    StudySample,
    make_study,
    study_from_dict,
    study_to_dict,
    write_table,
)
from surgqa.transforms.exports.surgveo.sheets.page import page
from surgqa.transforms.exports.surgveo.study.videos import (
    Given,
    ListedSample,
    check_videos,
    copy_pictures,
    given_videos,
    listed_samples,
)
from surgqa.transforms.scoring.surgveo.design import Design, ScoredSample

KEY, SHEETS = "study.json", "sheets"
_NAME = re.compile(r"\w[\w-]*")


@dataclass(frozen=True, slots=True)
class StudyKey:
    """A study with the stages of its samples, which raters do not see.

    Attributes:
        stages: for each sample, the stage of the operation.
    """

    study: Study
    stages: Mapping[str, str]

    @property
    def design(self) -> Design:
        """The scores that each rater has to give."""
        samples = {
            one.sample_id: ScoredSample(one.sample_id, one.track, self.stages.get(one.sample_id))
            for one in self.study.clips
        }
        raters = {track: tuple(sorted(who)) for track, who in sorted(self.study.raters.items())}
        return Design(samples, raters)


@dataclass(frozen=True, slots=True)
class WrittenStudy:
    """A study that was written, and the names of video files that some browsers cannot play."""

    study: Study
    unplayed: tuple[str, ...]


def new_study(
    export: Path, videos: Path, raters: Mapping[str, Sequence[str]], name: str, seed: str | None,
    to: Path,
) -> WrittenStudy:  # fmt: skip
    """Write the key file, the blinded videos, and the sheets of every rater.

    Args:
        export: folder that ``surgqa export --as surgveo`` wrote, with references.
        videos: folder with ``<sample id>.<prompt>.mp4`` for every sample and prompt.
        raters: for each track, the names of its raters.
        seed: key of codes and orders; None to use the digest of the list of samples.
        to: an existing, empty folder.

    Raises:
        UserError: a name or a video cannot be used, or a track has no raters.
        SourceMissing, SourceBroken: the folder is not such an export.
    """
    samples, digest = listed_samples(export)
    _check_names(name, raters, samples)
    study = make_study(
        name, seed or digest,
        [StudySample(one.sample_id, one.track, one.context) for one in samples], raters,
    )  # fmt: skip
    given = given_videos(samples, videos)
    unplayed = check_videos(given)
    sheets = to / SHEETS
    (sheets / FOLDER).mkdir(parents=True)
    _copy(study, given, sheets)
    for rater in study.everybody:
        (sheets / f"{rater}.csv").write_bytes(write_table(study, rater))
        (sheets / f"{rater}.html").write_bytes(page(study, rater))
    key = study_to_dict(study) | {
        "stages": {one.sample_id: one.stage for one in samples},
        "samples_sha256": digest,
    }
    option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    (to / KEY).write_bytes(orjson.dumps(key, option=option))
    return WrittenStudy(study, tuple(unplayed))


def read_study(path: Path) -> StudyKey:
    """Return the study in a folder or key file.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file is not a key file.
    """
    file = path / KEY if path.is_dir() else path
    data = dict(read_as(_Key, read_bytes(file, str(file)), str(file), NO_STUDY))
    return StudyKey(study_from_dict(data, str(file)), data.get("stages", {}))


class _Key(TypedDict, extra_items=Any):  # type: ignore[call-arg]
    stages: NotRequired[dict[str, str]]


def _copy(study: Study, given: Sequence[Given], sheets: Path) -> None:
    paths = {(one.sample_id, one.prompt): one.path for one in given}
    for clip in study.clips:
        copy_pictures(paths[clip.sample_id, clip.prompt], sheets / clip.generated)
        if not (sheets / clip.reference).exists():
            copy_pictures(paths[clip.sample_id, None], sheets / clip.reference)


def _check_names(
    name: str, raters: Mapping[str, Sequence[str]], samples: Sequence[ListedSample]
) -> None:
    """Raise an error if a name cannot be a file name, or two names differ only in case."""
    tracks = {one.track for one in samples}
    for one in [name, *(who for mine in raters.values() for who in mine)]:
        if not _NAME.fullmatch(one):
            raise ValueInvalid(
                "a name cannot be used as a file name", found=repr(one), where="--name, --raters",
                expected="letters, digits, - and _", fix="choose another name",
            )  # fmt: skip
    folded: dict[str, str] = {}
    for one in sorted({who for mine in raters.values() for who in mine}):
        if folded.setdefault(one.casefold(), one) != one:
            raise NameTaken(
                "two raters' names differ only in capitals", expected="clearly different names",
                found=f"{folded[one.casefold()]}, {one}", where="--raters",
                fix="spell the name of one rater in one way",
            )  # fmt: skip
    for track in [*raters, *tracks]:
        if track not in tracks or track not in raters:
            raise Mismatched(
                "the tracks of raters and samples differ", expected=", ".join(sorted(tracks)),
                found=", ".join(sorted(raters)) or "no raters", where="--raters",
                fix="name raters for every track of the export, and for no other",
            )  # fmt: skip
    counts = {track: len(who) for track, who in sorted(raters.items())}
    if len(set(counts.values())) > 1:
        raise ValueInvalid(
            "the tracks have different numbers of raters", expected="the same number on each track",
            found=", ".join(f"{track} {n}" for track, n in counts.items()), where="--raters",
            fix="name the same number of raters for each track",
        )  # fmt: skip
