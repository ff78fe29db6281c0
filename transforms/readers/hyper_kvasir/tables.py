"""Parse each table of HyperKvasir to its rows by the id of a still image or video."""

from __future__ import annotations

import re

from surgqa.ontology.errors import SourceBroken
from surgqa.transforms.readers.base import DelimitedLine, read_delimited, read_json
from surgqa.transforms.readers.base.gallery import alias
from surgqa.transforms.readers.base.lines import Grouped, grouped

IMAGES = "labeled-images/image-labels.csv"
FOLDS = ("official_splits/2_fold_split.csv", "official_splits/5_fold_split.csv")
BOXES = "segmented-images/bounding-boxes.json"
FILMS = "labeled-videos/video-labels.csv"
MEASURES = "hyper-kvasir-video-metadata.csv"
LABELS = ("finding", "finding1", "finding2", "classname", "organ")
SIDES = ("xmin", "ymin", "xmax", "ymax")
CELLS = ("filename", "width", "height", "label", *SIDES)
COLUMNS = {
    IMAGES: (",", ("filename", "finding")),
    FILMS: (",", ("filename", "finding1")),
    **dict.fromkeys(FOLDS, (";", ("filename", "classname", "splitindex"))),
    MEASURES: (";", ("filename", "finding", "width", "height", "numberofframes", "fps")),
}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def rows_of(data: bytes, name: str) -> Grouped:
    """Return the rows of a table; rows of boxes also have the image's ``width`` and ``height``.

    Raises:
        SourceBroken: the file has another structure, or a row has no file name.
    """
    if name == BOXES:
        return {id_of(stem): _boxes(stem, entry, name)
                for stem, entry in read_json(data, name).data.items()}  # fmt: skip
    delimiter, columns = COLUMNS[name]
    aliases = {"video file": "filename"}  # tables of still images use this column name too
    table = read_delimited(data, name, columns, delimiter=delimiter, aliases=aliases)
    return grouped(table, lambda row: row["filename"] and id_of(row["filename"]), "a file's name")


def stem_of(file: str) -> str:
    """Return the file name without the suffix, which only some tables write."""
    return re.sub(r"\.(avi|jpe?g|mp4|mpg|png)$", "", file, flags=re.IGNORECASE)


def id_of(file: str) -> str:
    """Return the id of a file: its stem, or an alias if the stem would reveal the finding."""
    stem = stem_of(file)
    return stem.lower() if UUID.fullmatch(stem) else alias("film", stem)


def _boxes(stem: str, entry: dict, name: str) -> tuple[tuple[DelimitedLine, str], ...]:
    try:
        cells = [{"filename": stem, **entry, **box} for box in entry["bbox"]]
        texts = [{key: str(one[key]) for key in CELLS} for one in cells]
    except (KeyError, TypeError) as error:
        raise SourceBroken(
            f"{name} has an entry with missing or invalid fields",
            expected=f"bbox and {', '.join(CELLS[1:])}",
            found=f"{type(error).__name__}: {error}", where=f"{name}:1 {stem}",
            fix="download the file again",
        ) from None  # fmt: skip
    return tuple((DelimitedLine(at, one), f"{name} {stem}[{at}]") for at, one in enumerate(texts))
