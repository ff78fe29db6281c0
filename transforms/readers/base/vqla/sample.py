"""Made-up question-and-answer files of EndoVis VQLA, and what a reader must find in them."""

from __future__ import annotations

from dataclasses import dataclass

from surgqa.ontology.keys import h64
from surgqa.ontology.records import Code, InstrumentTable, Span
from surgqa.transforms.readers.base.sample import Box, Instance, true_table

TOOLS = (
    ("bipolar forceps", "bipolar"),
    ("prograsp forceps", "prograsp_forceps"),
    ("large needle driver", "large_needle_driver"),
    ("monopolar curved scissors", "monopolar_curved_scissors"),
    ("ultrasound probe", "ultrasound_probe"),
    ("suction", "suction_instrument"),
    ("clip applier", "clipper"),
)
VOCABULARY = (
    "bipolar", "clipper", "grasping_retractor", "large_needle_driver", "maryland_dissector",
    "monopolar_curved_scissors", "prograsp_forceps", "spatulated_monopolar_cautery", "stapler",
    "suction_instrument", "ultrasound_probe", "vessel_sealer",
)  # fmt: skip
ACTIONS = (
    ("Idle", "idling_instrument"), ("Grasping", "grasping"), ("Retraction", "retracting"),
    ("Tissue_Manipulation", "manipulating_tissue"),
    ("Tool_Manipulation", "manipulating_tool"), ("Cutting", "cutting"),
    ("Cauterization", "cauterizing"), ("Suction", "suctioning"),
    ("Looping", "looping_thread"), ("Suturing", "suturing"), ("Clipping", "clipping"),
    ("Staple", "stapling"), ("Ultrasound_Sensing", "sensing_ultrasound"),
)  # fmt: skip
CORNERS = (("left-top", 60, 40), ("right-top", 800, 60), ("left-bottom", 90, 600),
           ("right-bottom", 760, 560))  # fmt: skip
BAD = ("nothing", "question", "box", "quarter")
"""What the variants spoil: variant % 4 says which, in the second frame."""


@dataclass(frozen=True, slots=True)
class Written:
    """One file: its text, what it means, or the line and code for which it is rejected."""

    text: str
    tools: tuple[Instance, ...]
    organs: tuple[Instance, ...]
    lines: int
    fault: tuple[int, Code] | None


def frame_file(video: str, number: int, variant: int, boxes: bool, spoilt: bool) -> Written:
    """The file of one frame: two lines for each of up to three tools, then the kidney."""
    lines: list[str] = []
    tools: list[Instance] = []
    for place in range(h64(video, number // 3, "tools") % 4):
        word, concept = TOOLS[(h64(video, place) + variant) % len(TOOLS)]
        does, action = ACTIONS[(h64(video, number // 2, place) + variant) % len(ACTIONS)]
        quarter, x, y = CORNERS[(h64(video, "corner") + place) % 4]
        corners = (x + 3 * number, y + number, x + 300 + place, y + 280 + number)
        tools.append(
            Instance(
                concept, _share(corners) if boxes else None, None, len(lines) + 1,
                attributes={"action": action, "place": quarter.replace("-", "_")},
            )
        )  # fmt: skip
        lines.append(_line(f"What is the state of {word}?", does, corners, boxes))
        lines.append(_line(f"Where is {word} located?", quarter, corners, boxes))
    kidney = (131 + number, 96, 1100, 900)
    lines.append(_line("What organ is being operated?", "kidney", kidney, boxes))
    organs = (Instance("kidney", _share(kidney) if boxes else None, None, len(lines)),)
    fault = _spoil(lines, variant) if spoilt else None
    return Written("\n".join(lines) + "\n", tuple(tools), organs, len(lines), fault)


def _spoil(lines: list[str], variant: int) -> tuple[int, Code] | None:
    what = BAD[variant % 4]
    if what == "nothing":
        return None
    lines.append(
        {
            "question": "How many tools are there?|2|1, 1, 9, 9",
            "box": "What is the state of suction?|Idle|500, 300, 400, 200",
            "quarter": "Where is suction located?|middle|500, 300, 600, 400",
        }[what]
    )
    code = Code.BAD_BOX if what == "box" else Code.UNKNOWN_LABEL
    return len(lines), code


def _line(question: str, answer: str, corners: tuple[int, int, int, int], boxes: bool) -> str:
    x1, y1, x2, y2 = corners
    return f"{question}|{answer}" + (f"|{x1}, {y1}, {x2}, {y2}" if boxes else "")


def _share(corners: tuple[int, int, int, int]) -> Box:
    x1, y1, x2, y2 = corners
    return (x1 - 1) / 1280, (y1 - 1) / 1024, (x2 - 1) / 1280, (y2 - 1) / 1024


def tables(
    frames: list[int], files: list[Written]
) -> tuple[InstrumentTable, dict[str, InstrumentTable]]:
    """Instruments and regions of the frames (in seconds) that are fully known."""
    times = [frame * 1_000_000 for frame in frames]
    pointer = "label file of frame {frame}, line {row}"
    instruments = true_table(times, frames, [file.tools for file in files], VOCABULARY, pointer)
    organs = true_table(times, frames, [file.organs for file in files], ("kidney",), pointer)
    return instruments, {"structure": organs}


def actions(frames: list[int], files: list[Written], folder: str) -> tuple[Span, ...]:
    """What each kind of tool does, over frames in a row."""
    on: dict[tuple[str, str], list[int]] = {}
    for frame, file in zip(frames, files, strict=True):
        for tool in file.tools:
            done = on.setdefault((tool.label, str(tool.attributes["action"])), [])
            if frame not in done:
                done.append(frame)
    out = []
    for (tool_id, action), when in on.items():
        first = when[0]
        for frame in when:
            if frame + 1 not in when:
                where = f"frames {first} to {frame}"
                times = first * 1_000_000, (frame + 1) * 1_000_000
                out.append(Span("action", action, *times, folder, where, subject=tool_id))
                first = min((later for later in when if later > frame), default=0)
    return tuple(sorted(out, key=lambda s: (s.start_us, s.end_us, s.label, s.subject)))
