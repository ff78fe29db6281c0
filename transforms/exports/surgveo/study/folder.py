"""``STUDY/``: ``study.json`` with what is behind the codes, and ``sheets/`` for the raters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

import orjson
from typing_extensions import TypedDict

from ontology.errors import UserError
from ontology.files import read_bytes
from ontology.guarded import read_as
from transforms.exports.surgveo.sheets import (
    Study,
    StudySample,
    make_study,
    page,
    study_from_dict,
    study_to_dict,
    write_table,
)
from transforms.exports.surgveo.sheets.study import FOLDER, NO_STUDY
from transforms.exports.surgveo.study.listed import Listed, listed_samples
from transforms.exports.surgveo.study.videos import (
    Given,
    check_videos,
    copy_pictures,
    given_videos,
)
from transforms.scoring.surgveo.design import Design, Sample, make_design

KEY, SHEETS = "study.json", "sheets"
_NAME = re.compile(r"\w[\w-]*")


@dataclass(frozen=True, slots=True)
class Known:
    """A study with what its raters are not told.

    Attributes:
        stages: sample -> stage.
    """

    study: Study
    stages: Mapping[str, str]

    @property
    def design(self) -> Design:
        """What has to be scored by whom."""
        samples = {
            one.sample_id: Sample(one.sample_id, one.track, self.stages.get(one.sample_id))
            for one in self.study.clips
        }
        return make_design(samples.values(), self.study.raters)


@dataclass(frozen=True, slots=True)
class Made:
    """What was written, and files that not every browser plays."""

    study: Study
    unplayed: tuple[str, ...]


def new_study(
    export: Path, videos: Path, raters: Mapping[str, Sequence[str]], name: str, seed: str | None,
    to: Path,
) -> Made:  # fmt: skip
    """Write the key, the blinded videos, and a sheet of each kind for every rater.

    Args:
        export: folder of an export as surgveo, with references.
        videos: ``<sample id>.<prompt>.mp4`` of every sample and prompt.
        raters: track -> names.
        seed: of codes and orders; the digest of the samples' list if it is None.
        to: is there and empty.

    Raises:
        UserError: a name will not do, a track has no raters, or videos will not do.
        SourceMissing, SourceBroken: the export is not one.
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
    return Made(study, tuple(unplayed))


def read_study(path: Path) -> Known:
    """A study from its folder, or from the file with its key.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: it is something else.
    """
    file = path / KEY if path.is_dir() else path
    data = dict(read_as(_Key, read_bytes(file, str(file)), str(file), NO_STUDY))
    return Known(study_from_dict(data, str(file)), data.get("stages", {}))


class _Key(TypedDict, extra_items=Any):  # type: ignore[call-arg]
    stages: NotRequired[dict[str, str]]


def _copy(study: Study, given: Sequence[Given], sheets: Path) -> None:
    paths = {(one.sample_id, one.prompt): one.path for one in given}
    for clip in study.clips:
        copy_pictures(paths[clip.sample_id, clip.prompt], sheets / clip.generated)
        if not (sheets / clip.reference).exists():
            copy_pictures(paths[clip.sample_id, None], sheets / clip.reference)


def _check_names(name: str, raters: Mapping[str, Sequence[str]], samples: Sequence[Listed]) -> None:
    """Names become names of files, and have to stay apart on every disk."""
    tracks = {one.track for one in samples}
    for one in [name, *(who for mine in raters.values() for who in mine)]:
        if not _NAME.fullmatch(one):
            raise UserError(
                "a name will not do for a file", found=repr(one), where="--name, --raters",
                expected="letters, digits, - and _", fix="name it otherwise",
            )  # fmt: skip
    folded: dict[str, str] = {}
    for one in sorted({who for mine in raters.values() for who in mine}):
        if folded.setdefault(one.casefold(), one) != one:
            raise UserError(
                "two raters differ in capitals only", expected="names that differ in more",
                found=f"{folded[one.casefold()]}, {one}", where="--raters",
                fix="write one rater's name in one way",
            )  # fmt: skip
    for track in [*raters, *tracks]:
        if track not in tracks or track not in raters:
            raise UserError(
                "raters and samples are of other tracks", expected=", ".join(sorted(tracks)),
                found=", ".join(sorted(raters)) or "no raters", where="--raters",
                fix="name raters for every track of the export, and for no other",
            )  # fmt: skip
    counts = {track: len(who) for track, who in sorted(raters.items())}
    if len(set(counts.values())) > 1:
        raise UserError(
            "the tracks have different numbers of raters", expected="as many on every track",
            found=", ".join(f"{track} {n}" for track, n in counts.items()), where="--raters",
            fix="name as many raters for each track",
        )  # fmt: skip
