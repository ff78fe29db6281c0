"""Write a small sample of Colonoscopic-web in its layout; all its data are made up.

The videos are AVI files, because these are easy to write; those of the release are MP4 files.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.keys import bytes_digest, digest
from surgqa.ontology.records import (
    Books,
    Clock,
    Code,
    Media,
    MediaKind,
    Rejected,
    Source,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH
from surgqa.transforms.readers.base.sample import put, true_video
from surgqa.transforms.readers.base.sample_film import film

# Folder, its number in lists, concept, first lesion.
CLASSES = (
    ("Adenoma", 0, "adenoma", 40),
    ("Hyperplasic", 1, "hyperplastic_lesion", 0),
    ("Serrated", 2, "serrated_lesion", 30),
)
LIGHTS = {"WL": "white_light", "NBI": "narrow_band_imaging"}


def write(root: Path, *, procedures: int = 2, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of lesions, 1 to 3, each in two lights.
        variant: odd ones have no lists; others differ in length, and every third one lists a
            video twice, once with the number of another class.
    """
    root = Path(root)
    with_lists = variant % 2 == 0
    films = {}
    for place, (folder, number, concept, lesion) in enumerate(CLASSES[:procedures]):
        for light in LIGHTS:
            stem = f"{light}({lesion})" if lesion else light
            video_id = f"lesion{lesion:02d}-{digest('alias', f'{folder}/{stem}')[:8]}"
            films[video_id] = (folder, stem, number, concept, lesion, light, place)
    present = sorted(films)[1:] if with_lists else sorted(films)
    for number, video_id in enumerate(present):
        folder, stem = films[video_id][:2]
        (root / folder).mkdir(exist_ok=True)
        data = film(5 + (variant + number) % 7, 25)
        (root / folder / f"{stem}.avi").write_bytes(data)
    lists, rows = _write_lists(root, films, variant) if with_lists else ([], {})
    return Truth(
        tuple(
            _truth(root, video_id, films[video_id], lists, rows.get(video_id, []),
                   None if video_id not in present else
                   5 + (variant + present.index(video_id)) % 7)
            for video_id in sorted(films)
        )
    )  # fmt: skip


def _write_lists(
    root: Path, films: dict, variant: int
) -> tuple[list[Source], dict[str, list[tuple[str, bool]]]]:
    """Write three lists; the first video is in the first list."""
    lines: dict[str, list[str]] = {f"splits/{part}.csv": [] for part in ("train", "val", "test")}
    rows: dict[str, list[tuple[str, bool]]] = {}
    for place, video_id in enumerate(sorted(films)):
        folder, stem, number = films[video_id][:3]
        name = list(lines)[place % 3]
        path = f"__DATA_ROOT__/Colonoscopic-web/{folder}/{stem}.mp4"
        lines[name].append(f"{path} {number}")
        rows[video_id] = [(f"{name}:{len(lines[name])}", True)]
        if variant % 3 == 2 and not place:
            lines[name].append(f"{path} {(number + 1) % 3}")
            rows[video_id].append((f"{name}:{len(lines[name])}", False))
    sources = []
    for name, own in lines.items():
        data = ("\n".join(own) + "\n").encode() if own else b""
        if own:
            sources.append(put(root, name, data))
    return sources, rows


def _truth(
    root: Path, video_id: str, about: tuple, lists: list[Source], rows: list[tuple[str, bool]],
    frames: int | None,
) -> VideoEvidence:  # fmt: skip
    folder, stem, _, concept, lesion, light, _ = about
    path = f"{folder}/{stem}.avi"
    where, source = (rows[0][0], rows[0][0].split(":")[0]) if rows else (path, path)
    own = [] if rows else [Source(path, bytes_digest((root / path).read_bytes()))]
    media = Media(MediaKind.VIDEO, path, WIDTH, HEIGHT) if frames else Media(MediaKind.ABSENT)
    video = true_video(
        "colonoscopic_web", video_id, "colonoscopy", "gastroenterology", "CC BY 4.0",
        (*lists, *own), fps=Fraction(25 if frames else 1),
        period_us=40_000 if frames else 1_000_000,
        duration_us=40_000 * frames if frames else 1_000_000, media=media,
        split_group=f"colonoscopic_web/lesion{lesion:02d}",
        clock=Clock.TIME if frames else Clock.WHOLE,
    )  # fmt: skip
    labels = (
        VideoLabel("condition", LIGHTS[light], None, "", source, where),
        VideoLabel("finding", concept, None, "", source, where),
    )
    bad = [place for place, good in rows if not good]
    rejected = tuple(Rejected("read", video.key, Code.CONTRADICTION, "", place) for place in bad)
    read = len(rows) or 1
    books = Books("read", "label rows" if rows else "films", read, read - len(bad), len(bad))
    return VideoEvidence(video, None, (), rejected, (books,), labels)
