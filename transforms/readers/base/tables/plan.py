"""How tables and datasets are read, as ``surgqa.yaml`` or a dataset's ``files.yaml`` states it.

Both files have the same form; ``surgqa.yaml`` describes a user's own tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from surgqa.transforms.readers.base.groups import filled
from surgqa.transforms.readers.base.moments import TimeFormat
from surgqa.transforms.readers.base.patterns import PathPattern, Places
from surgqa.transforms.readers.base.tables import sorts
from surgqa.transforms.readers.base.tables.coloured import Coloured
from surgqa.transforms.readers.base.tables.values import InstanceMasks, Values
from surgqa.transforms.readers.base.words import AllWords


@dataclass(frozen=True, slots=True)
class TablePlan:
    """How one table is read: an entry of ``tables`` in the mapping.

    Attributes:
        columns: for each role, the name of the column, or its number without a header.
        flags: for each kind, the columns that are named after a label. They state whether the label
            applies, or the score of a rating.
        every: seconds between two annotated instants; None for the most common distance.
        picture: pattern by which an image's name states video and frame.
        unit, size: unit of boxes; size of images in pixels, or None.
        scale: lowest and highest score.
        separator: text between several labels in a cell; '' for one label.
        where: ``file:line``.
        places: the path of the file of each video.
        names: the columns' names, if the file has no line of names; () otherwise.
        blanks: whether any run of blanks separates two cells.
        list: key of the JSON list with the rows; '' for a table.
        pointer: form of a place in the evidence; '' for ``file:line``.
        total: for each flag, the flags whose values add up to its value.
        line_end: whether a last line without a line end means that the file is cut short.
        agrees: the table that states the actions of all subjects together; '' if there is none.
        unless: the table that is read instead of this table if it exists; '' for none.
        one_row: True if a file has one row, which is used completely or not at all.
        during: kind and concept of the spans in which the labels hold.
        values: for each kind and each value of a mask's pixels, what the pixels show.
        coloured: settings of masks in colours; None for other masks.
        count: number of images of every video of a complete dataset; 0 if it differs.
        first_line: regular expression of the first line of the files. Other files are not read.
        unsure: text of a flag's cell if the annotators disagree.
        parts: settings of masks with a folder for each instance; None for other masks.
        apart: smallest connected area in pixels that is a thing of its own; 0 if the areas of a
            mask are one thing.
        beside: folder of a video in which each labelled image has a file, which shows which label
            files are missing; None for the folder of the video's images.
    """

    name: str
    holds: str
    file: PathPattern
    header: bool
    columns: Mapping[str, str]
    flags: Mapping[str, tuple[str, ...]]
    time: TimeFormat
    every: Fraction | None
    picture: PathPattern | None
    unit: str
    size: tuple[float, float] | None
    scale: tuple[float, float] | None
    separator: str
    where: str
    places: Places
    names: tuple[str, ...] = ()
    blanks: bool = False
    list: str = ""
    pointer: str = ""
    total: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    line_end: bool = False
    agrees: str = ""
    unless: str = ""
    one_row: bool = False
    during: tuple[str, str] | None = None
    values: Values = field(default_factory=dict)
    beside: PathPattern | None = None
    apart: int = 0
    parts: InstanceMasks | None = None
    coloured: Coloured | None = None
    first_line: str = ""
    unsure: str = ""
    count: int = 0

    @property
    def shared(self) -> bool:
        """True if all videos are in one file."""
        return "video" not in self.file.names

    @property
    def folders(self) -> bool:
        """Whether folders' names are the labels and there is nothing to open."""
        return not self.columns and not self.flags and self.holds == sorts.LABELS

    @property
    def pictured(self) -> bool:
        """True if each file of the table belongs to one image."""
        return self.holds in sorts.PICTURED

    @property
    def single(self) -> bool:
        """True if a video is one image."""
        return self.pictured and self.file.bound({"video": ""}).plain

    @property
    def timed(self) -> bool:
        """True if the rows of the table have times."""
        return self.holds in (
            sorts.EVENTS,
            sorts.SEGMENTS,
            sorts.BOXES,
            sorts.FRAMES,
            *sorts.PICTURED,
            sorts.COCO,
        )

    @property
    def counts_frames(self) -> bool:
        """True if the times are frame numbers and the table states no rate."""
        return self.timed and self.time.frames and self.time.rate is None

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of labels in the table, in columns and in flags."""
        known = (
            ("rating",)
            if self.holds == sorts.RATINGS
            else (*sorts.INSTANT_KINDS, *sorts.LABEL_KINDS)
        )
        coloured = self.coloured.kinds if self.coloured else ()
        names = {*coloured, *self.columns, *self.flags, *self.file.names, *self.values}
        names |= {"instrument", "action", "structure"} if self.holds == sorts.QUESTIONS else set()
        return tuple(kind for kind in dict.fromkeys(known) if kind in names)


@dataclass(frozen=True, slots=True)
class VideosPlan:
    """The table with one row for each video.

    Attributes:
        picture: pattern of the names in the column of the video, if they are not ids; '' otherwise.
        optional: whether the file may be absent.
    """

    file: str
    header: bool
    columns: Mapping[str, str]
    picture: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class MappingPlan:
    """The parsed mapping: how all tables of a dataset are read.

    Attributes:
        procedure: for each regular expression of video ids, the procedure. The first match counts.
        media: path of a video's images, with ``{video}``.
        words: for each kind of label, the words in the tables and their concepts.
        file: name of the mapping.
        lines: for each path that the mapping names, ``file:line`` of its key.
        needs: whether a video needs ``any`` or ``all`` of the tables.
        unit: name of the counted things, in the plural.
        group: for each regular expression of ids, the split group, with ``{0}`` for the captured
            text.
        probe: True to read rate and length from the video file; None: only if they are needed.
        names: for each kind, the table that lists a name for each code.
        spelled: for each regular expression of an id as files spell it, in any case, the id, with
            ``{0}`` for the captured text.
        usual_rate: for each regular expression of ids, the frames per second, if no file states
            them.
    """

    procedure: Mapping[str, str]
    specialty: str
    licence: str
    rate: Fraction | None
    media: Places | None
    videos: VideosPlan | None
    tables: tuple[TablePlan, ...]
    words: AllWords
    file: str
    lines: Mapping[str, str] = field(default_factory=dict)
    needs: str = sorts.ANY
    unit: str = "labels"
    group: Mapping[str, str] = field(default_factory=dict)
    probe: bool | None = None
    names: Mapping[str, VideosPlan] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)
    usual_rate: Mapping[str, Fraction] = field(default_factory=dict)

    def usual(self, video_id: str) -> Fraction | None:
        """Return the frames per second of a video that neither user nor files state."""
        rates = (rate for ids, rate in self.usual_rate.items() if re.fullmatch(ids, video_id))
        return next(rates, None)

    def id_of(self, text: str) -> str:
        """Return the id of a video from a file's name; '' if the name is not an id."""
        return filled(self.spelled, text, re.IGNORECASE) if self.spelled else text

    def kinds(self, known: Sequence[str], *holds: str) -> tuple[str, ...]:
        """Return the kinds of labels, among ``known``, in the tables that hold one of ``holds``."""
        tables = [table for table in self.tables if table.holds in holds]
        return tuple(dict.fromkeys(
            kind for table in tables for kind in table.kinds() if kind in known
        ))  # fmt: skip
