"""How action clips are made of annotated instants."""

from __future__ import annotations

from dataclasses import dataclass

PHASES = ("calot_triangle_dissection", "clipping_and_cutting", "gallbladder_dissection")
"""Phases 2 to 4 of a cholecystectomy, the context of SAP-Bench."""


@dataclass(frozen=True, slots=True)
class ActionLimits:
    """What counts as a clip.  A frame is a second.

    Attributes:
        phases: concept ids of the phases that make up the context.
        shortest: frames; shorter runs go to a neighbour (ours: the hand-made clips of the
            predecessor are never shorter than 10 s, those of SAP-Bench have a finer grain).
        reach: frames; annotated frames further apart do not belong to one stretch.  1 asserts
            nothing about time that nobody looked at.
        purity: least share of a clip's frames whose own action is the clip's, in strict mode.
        centrality: least share of its frames with an acting instrument in the central zone, in
            strict mode.
        zone: (low, high) of the central zone, in parts of the frame's width and height.
        strict: whether clips that miss these shares are left out.  That breaks the tiling.
    """

    phases: tuple[str, ...] = PHASES
    shortest: int = 5
    reach: int = 1
    purity: float = 0.8
    centrality: float = 0.5
    zone: tuple[float, float] = (0.2, 0.8)
    strict: bool = False
