"""Measure how fast the readers read whole datasets: artificial full-size labels, new processes.

    python -m benchmarks.read_labels [--rounds 3]

Cholec80: 80 videos, a phase row for each of 4.6 million frames, 184,498 tool rows.  CholecT50:
50 videos of 2,000 annotated seconds, see ``generate_labels``.  Printed are medians over whole
processes, including imports, and the largest peak of memory.  ``one`` is the longest video alone,
whose memory is the bound to aim for.  The measuring process imports nothing large, because a
child's peak starts at its parent's (see ``measure``).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import REPOSITORY
from benchmarks.measure import measure

if TYPE_CHECKING:
    import numpy as np

VIDEOS, TOOL_ROWS, FPS = 80, 184_498, 25
SHORTEST_S, LONGEST_S = 739, 5993
"""Real videos of this kind last from 12 to 100 minutes."""
CHANCES = (0.56, 0.05, 0.55, 0.02, 0.03, 0.05, 0.06)
"""Share of the seconds that show each tool, similar to real videos."""


def lengths(rng: np.random.Generator) -> np.ndarray:
    """Return each video's length in seconds: long-tailed, within fixed limits, with a fixed sum."""
    import numpy as np

    spread = rng.random(VIDEOS) ** 1.8
    spread[:2] = 0.0, 1.0
    # Search the exponent that gives the required sum; a larger one gives shorter videos.
    low, high = 0.05, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        total = (SHORTEST_S + (LONGEST_S - SHORTEST_S) * spread**middle).sum()
        low, high = (middle, high) if total > TOOL_ROWS else (low, middle)
    out = np.rint(SHORTEST_S + (LONGEST_S - SHORTEST_S) * spread**low).astype(np.int64)
    out[2] += TOOL_ROWS - out.sum()
    return out


def write_cholec80(root: Path) -> None:
    """Write the label files of a full-size Cholec80."""
    import numpy as np

    from benchmarks.generate_labels import phase_of
    from surgqa.ontology.concepts import label_map
    from surgqa.ontology.keys import h64

    labels = label_map("cholec80")
    phases, tools = tuple(labels["phase"]), tuple(labels["instrument"])
    (root / "phase_annotations").mkdir(parents=True)
    (root / "tool_annotations").mkdir()
    seconds = lengths(np.random.Generator(np.random.Philox(key=h64("read-labels", "lengths"))))
    for number, length in enumerate(seconds.tolist(), 1):
        rng = np.random.Generator(np.random.Philox(key=h64("read-labels", number)))
        frames = length * FPS - int(rng.random() * FPS)
        phase = phase_of(rng, frames).tolist()
        names = [f"\t{name}\n" for name in phases]
        text = "Frame\tPhase\n" + "".join(f"{n}{names[p]}" for n, p in enumerate(phase))
        name = f"video{number:02d}"
        (root / "phase_annotations" / f"{name}-phase.txt").write_text(text)
        on = (rng.random((length, len(tools))) < CHANCES).astype(int).tolist()
        lines = ["\t".join(["Frame", *tools])]
        lines += ["\t".join(map(str, [FPS * n, *row])) for n, row in enumerate(on)]
        text = "\n".join(lines) + "\n"
        (root / "tool_annotations" / f"{name}-tool.txt").write_text(text)


def read(name: str, root: Path, only: str | None) -> dict[str, int]:
    """Read a dataset video by video and return the counts of its rows."""
    from surgqa.transforms.registry import load_reader

    reader = load_reader(name)(root)
    counts = {"videos": 0, "read": 0, "kept": 0, "instances": 0, "spans": 0}
    for video_id in [only] if only else reader.videos():
        evidence = reader.read(video_id)
        counts["videos"] += 1
        counts["read"] += evidence.books[0].read
        counts["kept"] += evidence.books[0].kept
        counts["instances"] += int(evidence.instruments.sample.size)
        counts["spans"] += len(evidence.spans)
    return counts


def largest(root: Path) -> str:
    """Return the id of the video with the largest label file."""
    files = [path for path in root.rglob("*") if path.suffix in (".txt", ".json")]
    return max(files, key=lambda path: (path.stat().st_size, path.name)).stem.split("-")[0]


def compare(name: str, root: Path, rounds: int) -> None:
    """Measure reading a dataset and its largest video, and print both results."""
    command = [sys.executable, "-m", "benchmarks.read_labels", "--read", name, str(root)]
    for what, argv in (("all", command), ("one", [*command, "--only", largest(root)])):
        log = root / "log.txt"
        runs = [measure(argv, REPOSITORY, log) for _ in range(rounds)]
        if any(run.exit_status for run in runs):
            sys.exit(log.read_text())
        counts = json.loads(log.read_text().splitlines()[-1])
        wall = statistics.median(run.wall_s for run in runs)
        cpu = statistics.median(run.cpu_s for run in runs)
        peak = max(run.peak_mb for run in runs)
        told = ", ".join(f"{value:,} {key}" for key, value in counts.items())
        print(f"{name:<10} {what:<4} {wall:7.2f} s {cpu:7.2f} s CPU {peak:7.1f} MB   {told}")


def write(folder: Path) -> None:
    """Write the label files of both datasets."""
    from benchmarks.generate_labels import generate

    write_cholec80(folder / "cholec80")
    generate(folder / "cholect50", 50, 2000)


def main() -> None:
    """Generate, measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--read", nargs=2, metavar=("NAME", "ROOT"), help=argparse.SUPPRESS)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.write:
        write(asked.write)
    elif asked.read:
        print(json.dumps(read(asked.read[0], Path(asked.read[1]), asked.only)))
    else:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "benchmarks.read_labels", "--write", folder]
            subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
            for name in ("cholec80", "cholect50"):
                compare(name, Path(folder) / name, asked.rounds)


if __name__ == "__main__":
    main()
