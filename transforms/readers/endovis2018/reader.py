"""Read EndoVis 2018: ``<release>/seq_1/labels/frame000.png``, with colours of ``labels.json``."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from ontology.concepts import label_map
from ontology.records import Clock, Code, VideoEvidence
from ontology.times import SECOND_US
from transforms.readers.base import Ledger, concept_of, parsed_once
from transforms.readers.base import Reader as BaseReader
from transforms.readers.base.mask_frames import (
    Fault,
    MaskFrames,
    Patch,
    colours_of,
    judged,
    numbered,
)
from transforms.readers.base.palette import Palette, colour_masks, read_palette

LABEL = re.compile(r"frame(\d+)\.png")
TYPED = re.compile(r"frame(\d+)_class(\d+)_inst(\d+)\.png")
TYPES = (
    "", "Bipolar Forceps", "Prograsp Forceps", "Large Needle Driver", "Vessel Sealer",
    "Grasping Retractor", "Monopolar Curved Scissors", "Ultrasound Probe", "Suction Instrument",
    "Clip Applier",
)  # fmt: skip
KINDS = ("instrument", "structure")
# Frames were removed by hand, so the time between frames is unknown.
ONE = Fraction(1)


class Reader(BaseReader):
    """Reader of EndoVis 2018; the dataset may be incomplete."""

    name = "endovis2018"
    version = 1
    replayable = True
    region_kinds = ("structure",)

    def found(self) -> list[str]:
        """Sequences that have a folder of labels."""
        return sorted(self._places())

    def _places(self) -> dict[str, str]:
        """Folder of each sequence, in the root or in the folder of an archive."""
        out = {}
        for above in ("", *self._names("")):
            for name in self._names(above):
                place = f"{above}/{name}".lstrip("/")
                if re.fullmatch(r"seq_\d+", name) and "labels" in self._names(place):
                    out[name] = place
        return out

    def missing(self) -> list[str]:
        """Missing files: the table of colours, and label images 000 to 148 of every sequence."""
        places = self._places()
        out = super().missing()
        for video_id in self.files.video_ids:
            number = int(video_id.removeprefix("seq_"))
            release = sum(number > last for last in (0, 4, 7, 12))
            above = f"miccai_challenge_{'2018_' if release == 1 else ''}release_{release}"
            folder = f"{places.get(video_id, f'{above}/{video_id}')}/labels"
            there = self._names(folder)
            names = [f"frame{frame:03d}.png" for frame in range(149)]
            out += [f"{folder}/{name}" for name in names if name not in there]
        return sorted(out)

    def _table(self, above: str) -> str:
        """The table of colours of an archive, or else the table in the root."""
        there = above and "labels.json" in self._names(above)
        return f"{above}/labels.json" if there else "labels.json"

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one sequence."""
        place = self._places().get(video_id, video_id)
        data, source = self._source(self._table(place.rpartition("/")[0]))
        palette, sources, kept = parsed_once(data, source, read_palette), [source], 0
        ledger, frames = Ledger(f"{self.name}/{video_id}", "masks"), MaskFrames()
        folder, added = f"{place}/labels", f"{place}/instrument_labels_2017"
        names = [name for name in self._names(folder) if name.endswith(".png")]
        types = [name for name in self._names(added) if name.endswith(".png")]
        labelled = numbered(names, LABEL, folder, ledger)
        typed = _by_frame(types, {frame for frame, _ in labelled}, added, ledger)
        for number, path in labelled:
            parts: dict[str, list[Patch] | Fault] = {}
            for file, kind, instance in typed.get(number, []):
                data, source = self._source(file)
                sources.append(source)
                parts[file] = _instance(colours_of(data, file), kind, instance)
            told = {p.label for part in parts.values() if isinstance(part, list) for p in part}
            data, source = self._source(path)
            sources.append(source)
            parts[path] = _classes(colours_of(data, path), palette, told)
            kept += judged(number, parts, frames, ledger)
        if not labelled:
            self._source(folder)  # raises an error: the folder is missing or has no masks
        pointer = f"{place} frame {{frame}}, class id {{row}} (types: 100 x class + instance)"
        tables = {
            kind: frames.table(kind, _annotated(kind, palette, bool(types)), ONE, pointer)
            for kind in ("instrument", "structure")
        }
        video = self._record(
            video_id,
            sources,
            fps=ONE,
            duration_us=(max(frames.numbers, default=0) + 1) * SECOND_US,
            media=self._pictures(f"{place}/left_frames", []),
            vocabulary=tables["instrument"].labels,
            clock=Clock.ORDER,
        )
        books, tools = (ledger.books(len(names) + len(types), kept),), tables.pop("instrument")
        return VideoEvidence(video, tools, (), ledger.entries(), books, (), tables)


def _by_frame(
    names: list[str], labelled: set[int], folder: str, ledger: Ledger
) -> dict[int, list[tuple[str, int, int]]]:
    """Frame -> (path, class, instance) of the masks that state an instrument's type."""
    out: dict[int, list[tuple[str, int, int]]] = {}
    for place, name in enumerate(names):
        match, path = TYPED.fullmatch(name), f"{folder}/{name}"
        if match and int(match[1]) in labelled:
            out.setdefault(int(match[1]), []).append((path, int(match[2]), int(match[3])))
        else:
            reason = f"{name!r} belongs to no frame that has a label picture"
            ledger.reject((place,), Code.BAD_FRAME, reason, path)
    return out


def _instance(pixels: np.ndarray | Fault, kind: int, instance: int) -> list[Patch] | Fault:
    """One instrument of a known type; all pixels that are not black belong to it."""
    if not 0 < kind < len(TYPES):
        return Code.UNKNOWN_LABEL, f"class {kind} is none of the known types of instruments"
    if not isinstance(pixels, np.ndarray):
        return pixels
    mask = (pixels if pixels.ndim == 2 else pixels.max(axis=2)) > 0
    concept = label_map(Reader.name)["instrument"][TYPES[kind]]
    return [Patch("instrument", concept, mask, 100 * kind + instance)]


def _classes(pixels: np.ndarray | Fault, palette: Palette, told: set[str]) -> list[Patch] | Fault:
    """The classes in a label image, without instruments that have masks of their own."""
    masks = colour_masks(pixels, palette) if isinstance(pixels, np.ndarray) else pixels
    if isinstance(masks, tuple):
        return masks
    out = []
    for (_, number, name), mask in zip(palette, masks, strict=True):
        kind, concept = _meaning(name)
        if not isinstance(concept, str) and concept[0] == Code.UNKNOWN_LABEL and mask.any():
            return concept
        if isinstance(concept, str) and concept not in told:
            out.append(Patch(kind, concept, mask, number))
    return out


def _meaning(name: str) -> tuple[str, str | Fault]:
    known = label_map(Reader.name)
    kind = "instrument" if name in known["instrument"] else "structure"
    return kind, concept_of(kind, name, known)


def _annotated(kind: str, palette: Palette, typed: bool) -> list[str]:
    """Concepts of a kind that the colours, and the types if there are any, can represent."""
    names = [name for _, _, name in palette] + (list(TYPES[1:]) if typed else [])
    meant = [_meaning(name) for name in names]
    return sorted({concept for one, concept in meant if one == kind and isinstance(concept, str)})
