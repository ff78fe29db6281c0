"""Label names and triplets of CholecT45 and CholecT50, in the order and spelling of the releases.

The names are for code that writes such files: samples, the demonstration, the benchmark.
"""

from __future__ import annotations

from surgqa.ontology.concepts import load_data
from surgqa.ontology.errors import SourceBroken

INSTRUMENTS = ("grasper", "bipolar", "hook", "scissors", "clipper", "irrigator")
VERBS = (
    "grasp", "retract", "dissect", "coagulate", "clip", "cut", "aspirate", "irrigate", "pack",
    "null_verb",
)  # fmt: skip
TARGETS = (
    "gallbladder", "cystic_plate", "cystic_duct", "cystic_artery", "cystic_pedicle",
    "blood_vessel", "fluid", "abdominal_wall_cavity", "liver", "adhesion", "omentum",
    "peritoneum", "gut", "specimen_bag", "null_target",
)  # fmt: skip
PHASES = (
    "preparation", "carlot-triangle-dissection", "clipping-and-cutting", "gallbladder-dissection",
    "gallbladder-packaging", "cleaning-and-coagulation", "gallbladder-extraction",
)  # fmt: skip
"""Only CholecT50 annotates phases."""


def _triplets() -> tuple[tuple[str, str, str], ...]:
    listed = sorted(load_data("maps", "cholect50_triplets").items())
    return tuple((instrument, verb, target) for _, (instrument, verb, target) in listed)


TRIPLETS = _triplets()
"""(instrument, verb, target) of the 100 allowed combinations."""


def mapping_text() -> str:
    """Return the text of CholecT50's ``label_mapping.txt``, also CholecT45's ``dict/maps.txt``."""
    lines = ["# IVT, I, V, T, IV, IT"]
    for number, (instrument, verb, target) in enumerate(TRIPLETS):
        i, v, t = INSTRUMENTS.index(instrument), VERBS.index(verb), TARGETS.index(target)
        lines.append(f"{number},{i},{v},{t},{i * len(VERBS) + v},{i * len(TARGETS) + t}")
    return "\n".join(lines) + "\n"


def triplet_ids(text: str, name: str) -> dict[int, tuple[int, ...]]:
    """Return (instrument, verb, target) ids by triplet id, from the text of such a mapping.

    A row is ``IVT, I, V, T, IV, IT``; comment lines begin with #.

    Raises:
        SourceBroken: a row is too short, holds something other than ids, or repeats a triplet.
    """
    out: dict[int, tuple[int, ...]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        cells = [cell.strip() for cell in line.split(",")]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        ids = [cell for cell in cells[:4] if cell.isascii() and cell.isdigit() and len(cell) < 6]
        if len(ids) < 4 or int(ids[0]) in out:
            raise SourceBroken(
                f"{name} has an invalid row",
                expected="triplet, instrument, verb and target id, every triplet once",
                found=repr(line[:60]),
                where=f"{name}:{number}",
                fix="copy the file from the release again",
            )
        out[int(ids[0])] = tuple(map(int, ids[1:]))
    return out
