"""The 100 triplets of CholecT45 and CholecT50 in the order of their ids, for samples.

Instruments, verbs and targets likewise; these are the releases' own label names.
"""

from __future__ import annotations

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

_LISTED = """
grasper dissect: cystic_plate gallbladder omentum
grasper grasp: cystic_artery cystic_duct cystic_pedicle cystic_plate gallbladder gut liver
grasper grasp: omentum peritoneum specimen_bag
grasper pack: gallbladder
grasper retract: cystic_duct cystic_pedicle cystic_plate gallbladder gut liver omentum
grasper retract: peritoneum
bipolar coagulate: abdominal_wall_cavity blood_vessel cystic_artery cystic_duct cystic_pedicle
bipolar coagulate: cystic_plate gallbladder liver omentum peritoneum
bipolar dissect: adhesion cystic_artery cystic_duct cystic_plate gallbladder omentum
bipolar grasp: cystic_plate liver specimen_bag
bipolar retract: cystic_duct cystic_pedicle gallbladder liver omentum
hook coagulate: blood_vessel cystic_artery cystic_duct cystic_pedicle cystic_plate gallbladder
hook coagulate: liver omentum
hook cut: blood_vessel peritoneum
hook dissect: blood_vessel cystic_artery cystic_duct cystic_plate gallbladder omentum peritoneum
hook retract: gallbladder liver
scissors coagulate: omentum
scissors cut: adhesion blood_vessel cystic_artery cystic_duct cystic_plate liver omentum
scissors cut: peritoneum
scissors dissect: cystic_plate gallbladder omentum
clipper clip: blood_vessel cystic_artery cystic_duct cystic_pedicle cystic_plate
irrigator aspirate: fluid
irrigator dissect: cystic_duct cystic_pedicle cystic_plate gallbladder omentum
irrigator irrigate: abdominal_wall_cavity cystic_pedicle liver
irrigator retract: gallbladder liver omentum
"""
_IDLE = ("null_verb", "null_target")


def _triplets() -> tuple[tuple[str, str, str], ...]:
    out = []
    for line in _LISTED.strip().split("\n"):
        head, _, targets = line.partition(":")
        instrument, verb = head.split()
        out += [(instrument, verb, target) for target in targets.split()]
    return (*out, *((instrument, *_IDLE) for instrument in INSTRUMENTS))


TRIPLETS = _triplets()


def mapping_text() -> str:
    """``label_mapping.txt`` of CholecT50, which is ``dict/maps.txt`` of CholecT45."""
    lines = ["# IVT, I, V, T, IV, IT"]
    for number, (instrument, verb, target) in enumerate(TRIPLETS):
        i, v, t = INSTRUMENTS.index(instrument), VERBS.index(verb), TARGETS.index(target)
        lines.append(f"{number},{i},{v},{t},{i * len(VERBS) + v},{i * len(TARGETS) + t}")
    return "\n".join(lines) + "\n"
