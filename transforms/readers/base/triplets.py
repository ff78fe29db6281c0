"""Label names of CholecT45 and CholecT50 in the order of their ids, as the releases spell them.

Used by code that writes files in their layout: samples, the demonstration, the benchmark.
"""

from __future__ import annotations

from surgqa.ontology.concepts import load_data

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
