"""Parse ``label_mapping.txt`` (CholecT50) and ``dict/maps.txt`` (CholecT45): same format."""

from __future__ import annotations

from surgqa.ontology.errors import SourceBroken


def triplet_ids(text: str, name: str) -> dict[int, tuple[int, ...]]:
    """Return, for each triplet id, (instrument, verb, target) ids, from rows ``IVT, I, V, T, IV,
    IT``.

    Comment lines begin with #.

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
                f"{name} has a row that is not understood",
                expected="triplet, instrument, verb and target id, every triplet once",
                found=repr(line[:60]),
                where=f"{name}:{number}",
            )
        out[int(ids[0])] = tuple(map(int, ids[1:]))
    return out
