"""Lines of a user's table: the video of each line, its columns and its box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from surgqa.ontology.boxes import Box, clipped_box
from surgqa.ontology.errors import ColumnMissing, FieldInvalid, SourceBroken
from surgqa.transforms.readers.base.delimited import number
from surgqa.transforms.readers.base.patterns import Places, match_end
from surgqa.transforms.readers.base.tables.grid import ParsedTable
from surgqa.transforms.readers.base.tables.plan import TablePlan
from surgqa.transforms.readers.base.tables.sorts import CORNERS
from surgqa.transforms.readers.base.tables.timing import Timing
from surgqa.transforms.readers.base.words import AllWords

ROUNDING = 1e-6
"""Share of the image by which a box may extend beyond it without a report."""


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words and settings that are needed to understand a row.

    Attributes:
        size: size of the video's images in pixels, or None.
    """

    words: AllWords
    timing: Timing
    size: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class LinePlace:
    """One line, and the positions of its columns."""

    grid: ParsedTable
    plan: TablePlan
    line: int
    cells: tuple[str, ...]

    def text(self, role: str) -> str:
        """Return the cell of a role, '' if the table has no such column."""
        return self.cell(self.plan.columns[role]) if role in self.plan.columns else ""

    def cell(self, column: str) -> str:
        """Return the cell of a column."""
        place = self.grid.column(column)
        return self.cells[place] if place is not None else ""

    def plain(self, text: str) -> str:
        """Return a number's text, with a decimal point instead of a comma."""
        return text.replace(",", ".") if self.grid.decimal_comma else text

    def number(self, role: str) -> float | None:
        """Return a finite number, None for anything else."""
        return number(self.plain(self.text(role)))


def check_columns(plan: TablePlan, grid: ParsedTable) -> None:
    """Refuse a table that lacks a column of the mapping.

    Raises:
        SourceBroken: a column is missing. The error names the file, its columns and the missing
            column.
    """
    names = [*plan.columns.values(), *(name for flags in plan.flags.values() for name in flags)]
    for name in names if not grid.list else ():
        if grid.column(name) is None:
            raise ColumnMissing(
                f"{grid.name} has no column {name!r}",
                expected=", ".join(names),
                found=", ".join(grid.columns),
                where=grid.place(1),
                fix=f"correct the columns of table {plan.name} ({plan.where}), or the file",
            )


@lru_cache(maxsize=16)
def rows_by_video(
    grid: ParsedTable, column: str, picture: str, places: Places | None = None
) -> Mapping[str, list[int]]:
    """Return, for each video, the positions of its rows, in a table that many videos share.

    Args:
        column: the column that states the video, or the name of an image of the video.
        picture: pattern of the names of images; '' if the column holds the name of the video.
        places: the videos that the table may have; None for any.

    Raises:
        SourceBroken: a row that belongs to no video.
    """
    grid.refuse_bad()
    place = grid.column(column) or 0
    out: dict[str, list[int]] = {}
    for position, (line, cells) in enumerate(grid.rows):
        video = cells[place]
        if picture:
            video = (match_end(picture, cells[place]) or {}).get("video", "")
        if not video or places and not places.fits(video):
            raise SourceBroken(
                f"{grid.name} has a row that names no video",
                expected=f"a picture called {picture}" if picture else f"a video in {column}",
                found=cells[place] or "an empty cell",
                where=grid.place(line),
                fix="correct or delete this line",
            )
        out.setdefault(video, []).append(position)
    return out


def rows_of(plan: TablePlan, grid: ParsedTable, video_id: str) -> list[LinePlace]:
    """Return the rows of one video, in the order of the file."""
    if not plan.shared:
        return [LinePlace(grid, plan, line, cells) for line, cells in grid.rows]
    by_video = rows_by_video(grid, *video_column(plan))
    return [LinePlace(grid, plan, *grid.rows[position]) for position in by_video.get(video_id, ())]


def video_column(plan: TablePlan) -> tuple[str, str, Places]:
    """Return how a row of a shared table states its video: column, pattern, rules for the ids.

    The pattern is that of image names; '' if the column contains the id of the video.
    """
    if "video" in plan.columns:
        return plan.columns["video"], "", plan.places
    return plan.columns["picture"], plan.picture.text if plan.picture else "", plan.places


def box_of(row: LinePlace, meaning: LineWords) -> tuple[Box | None, str]:
    """Return the box of a row, in [0, 1] of the image, or None; and the problem, or ''."""
    roles = next(one for one in CORNERS if set(one) <= set(row.plan.columns))
    if not any(row.text(role) for role in roles):
        return None, ""
    numbers = [row.number(role) for role in roles]
    values = [value for value in numbers if value is not None]
    if len(values) < 4:
        shown = ", ".join(row.text(role) for role in roles)
        return None, f"the box is left out, it is not four numbers: {shown}"
    a, b, c, d = values
    if roles[0] == "x":
        c, d = a + c, b + d
    elif roles[0] == "cx":
        a, b, c, d = a - c / 2, b - d / 2, a + c / 2, b + d / 2
    else:
        a, b, c, d = min(a, c), min(b, d), max(a, c), max(b, d)
    width, height = _size(row, meaning)
    return cut_box((a / width, b / height, c / width, d / height))


def cut_box(box: Box) -> tuple[Box | None, str]:
    """Return the part of a box inside the image, or None; and what was changed, or ''."""
    if 0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1:
        return box, ""
    inside = clipped_box(box)
    shown = " ".join(f"{value:.4g}" for value in box)
    if inside is None:
        return None, f"the box is left out, it has no area in the picture: {shown}"
    if max(abs(a - b) for a, b in zip(box, inside, strict=True)) > ROUNDING:
        return inside, f"the box leaves the picture and is cut at its edge: {shown}"
    return inside, ""


def _size(row: LinePlace, meaning: LineWords) -> tuple[float, float]:
    """Return the numbers by which x and y are divided to get shares of the image."""
    plan = row.plan
    if plan.unit != "pixels":
        return (1.0, 1.0) if plan.unit == "shares" else (100.0, 100.0)
    stated = row.number("picture_width"), row.number("picture_height")
    if stated[0] and stated[1] and min(stated[0], stated[1]) > 0:
        return stated[0], stated[1]
    size = plan.size or meaning.size
    if size is None:
        raise FieldInvalid(
            f"table {plan.name} has boxes in pixels, but the size of the pictures is not known",
            expected="box: {size: [WIDTH, HEIGHT]}, or columns picture_width and picture_height",
            where=plan.where,
            fix="add 'size: [1920, 1080]' below 'box:', or name the folder of the media",
        )
    return size


def refuse_strangers(plan: TablePlan, grid: ParsedTable, videos: Sequence[str], name: str) -> None:
    """Raise an error for rows about a video that the table of videos does not list.

    Args:
        videos: the videos of the table called ``name``.

    Raises:
        SourceBroken: a row is about an unknown video. The error names the line of the row.
    """
    for video, rows in rows_by_video(grid, *video_column(plan)).items():
        if video not in videos:
            raise SourceBroken(
                f"{name} lacks the video {video!r}, about which {grid.name} has {len(rows)} row(s)",
                expected=f"one of the videos of {name}: {', '.join(videos[:5])}",
                found=video,
                where=grid.place(grid.rows[rows[0]][0]),
                fix=f"correct the name of the video, or add the video to {name}",
            )
