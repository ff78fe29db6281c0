"""Write the sample of a dataset from its ``sample.yaml``: made-up files in the release's layout.

``files`` maps each path to a text, or to a mapping with one of these keys.  A key that ends with
``/`` is a folder and holds such a mapping of its files.

- ``same``: the path of another file with the same content.
- ``json``: a value; ``indent`` or ``compact`` set its layout, and ``break`` is a text that begins
  a new line.  ``{keys: [...], rows: ...}`` is a table: each row becomes a mapping with these keys.
  ``rows`` is a list of rows or a mapping to such lists; with ``each`` it is a mapping to rows.
- ``runs``: a text table whose first column counts.  ``3 a b`` is three lines with these cells,
  and a cell ``0*20`` is twenty cells.  ``head`` is the first line, ``first`` and ``step`` set the
  numbers, ``gap`` separates cells, and ``rate`` shows a number as a time at this rate.
- ``sheet``: the rows of a workbook.
- ``parquet``: the values of each column of a Parquet file.
- ``picture``: a number that a picture of 64 x 48 pixels shows, with ``boxes`` of (colour, left,
  top, right, bottom), which are shares of the picture.
- ``paint``: rectangles of (value, left, top, right, bottom) in pixels on a mask; ``size`` is
  (width, height), and ``ground`` the value elsewhere.  A colour mask has lists as values.
- ``hex``: bytes.
- ``film``: the number of frames of a film, and ``rate``.

``forms`` names contents that several files share: ``{form: NAME, x: 1}`` is the content NAME with
1 instead of each text ``$x``.

``holds`` states what a reader must find in each video, see :func:`summary`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.errors import FieldInvalid
from surgqa.ontology.records import InstrumentTable, Span, VideoEvidence
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, jpeg, picture, png
from surgqa.transforms.readers.base.sample import SampleTruth, put
from surgqa.transforms.readers.base.sample_film import film
from surgqa.transforms.readers.base.workbook import workbook

Form = Mapping[str, Any]
KEYS = frozenset({"files", "forms", "holds"})


def write(script: Mapping[str, Any], root: Path) -> SampleTruth:
    """Write the files of a script, and return what a reader must find in them.

    Raises:
        UserError: the script has missing or unknown keys, or a file has a form that does not exist.
    """
    lacking = {"files", "holds"} - {*script}
    if lacking or not {*script} <= KEYS:
        raise FieldInvalid(
            "a sample has missing or unknown keys", expected="files, holds and optionally forms",
            found=", ".join(map(str, script)), where="sample.yaml",
            fix=f"add {', '.join(sorted(lacking))}" if lacking else "remove the other keys",
        )  # fmt: skip
    write_files(Path(root), script["files"], script.get("forms", {}))
    return SampleTruth(holds=script["holds"])


def write_files(
    root: Path, files: Mapping[str, Any], forms: Mapping[str, Form] | None = None
) -> None:
    """Write the files of a script below an existing folder."""
    for path, content in files.items():
        if path.endswith("/"):
            write_files(root, {f"{path}{name}": one for name, one in content.items()}, forms)
            continue
        if isinstance(content, dict) and "form" in content:
            content = _filled(_form_of(path, content["form"], forms or {}), content)
        if isinstance(content, dict) and "same" in content:
            put(root, path, (root / content["same"]).read_bytes())
        else:
            put(root, path, content if isinstance(content, str) else _made(path, content))


def _form_of(path: str, name: str, forms: Mapping[str, Form]) -> Form:
    if name not in forms:
        raise FieldInvalid(
            f"{path} has a form that does not exist", expected=", ".join(forms) or "no form",
            found=name, where="sample.yaml", fix="add it to forms",
        )  # fmt: skip
    return forms[name]


def _filled(value: Any, given: Form) -> Any:
    """Return the value, with given values in place of texts such as ``$name``."""
    if isinstance(value, dict):
        return {key: _filled(one, given) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, given) for one in value]
    return given[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def summary(evidence: VideoEvidence) -> dict[str, Any]:
    """Return the contents of a video in a form that people can compare with the files.

    The result has the length, the times of spans and moments in seconds, labels with their values,
    the number of instants and of instances of each kind, and the number of rows that were read and
    left out.
    """
    out: dict[str, Any] = {"seconds": evidence.video.duration_us / 1e6}
    for span in evidence.spans:
        out.setdefault(_name(span), []).append(_times(span))
    for moment in evidence.moments:
        acts = (moment.kind, moment.label, moment.tool, moment.verb, moment.target)
        times = [moment.start_us / 1e6, moment.end_us / 1e6]
        out.setdefault(" ".join(filter(None, acts)), []).append(times)
    for label in evidence.labels:
        words = (label.kind, label.label, *([f"by {label.rater}"] if label.rater else []))
        out[" ".join(words)] = True if label.value is None else label.value
    for kind, table in sorted(evidence.regions.items()):
        out |= _counts(kind, table)
    if evidence.instruments is not None:
        out |= _counts("instrument", evidence.instruments)
    for one in evidence.rejected:
        name = f"{one.outcome} {one.code}"
        out[name] = out.get(name, 0) + one.count
    for books in evidence.books:
        out[books.unit] = books.read
    return out


def _name(span: Span) -> str:
    return " ".join(word for word in (span.kind, span.label, span.subject) if word)


def _times(span: Span) -> list[float]:
    """Return start and end in seconds, and the value if there is one."""
    value = [] if span.value is None else [span.value]
    return [span.start_us / 1e6, span.end_us / 1e6, *value]


def _counts(kind: str, table: InstrumentTable) -> dict[str, int]:
    """Instants, boxes, masks, and instances of each label that occurs."""
    out = {
        f"{kind} instants": int(table.instants_us.size),
        f"{kind} boxes": int(np.isfinite(table.box_xyxy).all(axis=1).sum()),
        f"{kind} masks": sum(map(bool, table.masks)),
    }
    for code, label in enumerate(table.labels):
        out[f"{kind} {label}"] = int((table.label == code).sum())
    return {name: count for name, count in out.items() if count}


def _made(path: str, form: Form) -> bytes:
    """Return the content of a file.

    Raises:
        UserError: the form is unknown.
    """
    made: dict[str, Callable[[Form], bytes]] = {
        "json": _json, "runs": _runs, "film": lambda one: film(one["film"], one["rate"]),
        "sheet": lambda one: workbook(one["sheet"]), "hex": lambda one: bytes.fromhex(one["hex"]),
        "parquet": _parquet,
    }  # fmt: skip
    for key, make in made.items():
        if key in form:
            return make(form)
    if form.keys().isdisjoint({"paint", "picture"}):
        raise FieldInvalid(
            f"the sample does not say what {path} contains",
            expected=", ".join(["a text", "form", "same", *made, "paint", "picture"]),
            found=", ".join(form), where="sample.yaml", fix="see readers/base/scripted.py",
        )  # fmt: skip
    image = _painted(form) if "paint" in form else _picture(form)
    return jpeg(image) if path.endswith(".jpg") else png(image)


def _json(form: Form) -> bytes:
    tight = (",", ":") if form.get("compact") else None
    text = json.dumps(_unfolded(form["json"]), indent=form.get("indent"), separators=tight)
    start = form.get("break", "\n")
    return (text.replace(start, f"\n{start}") if "break" in form else text).encode() + form.get(
        "end", ""
    ).encode()


def _parquet(form: Form) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(form["parquet"]), sink)
    return sink.getvalue().to_pybytes()


def _unfolded(value: Any) -> Any:
    """Return the value, with every table of keys and rows as lists of mappings."""
    if isinstance(value, list):
        return [_unfolded(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"keys", "rows"}:
        return _with_keys(value["keys"], value["rows"])
    if value.keys() == {"keys", "each"}:
        rows = _with_keys(value["keys"], list(value["each"].values()))
        return dict(zip(value["each"], rows, strict=True))
    return {key: _unfolded(one) for key, one in value.items()}


def _with_keys(keys: Sequence[str], rows: Any) -> Any:
    if isinstance(rows, dict):
        return {key: _with_keys(keys, one) for key, one in rows.items()}
    return [dict(zip(keys, map(_unfolded, row), strict=True)) for row in rows]


def _runs(form: Form) -> bytes:
    number, step, gap = form.get("first", 0), form.get("step", 1), form.get("gap", "\t")
    lines = [form["head"]] if "head" in form else []
    for run in form["runs"]:
        count, *cells = run.split(" ")
        shown = gap.join(cell for one in cells for cell in _repeated(one))
        for _ in range(int(count)):
            first = _clock(number, form["rate"]) if "rate" in form else str(number)
            lines.append(f"{first}{gap}{shown}")
            number += step
    return "".join(f"{line}\n" for line in lines).encode()


def _repeated(cell: str) -> Iterator[str]:
    text, star, count = cell.partition("*")
    yield from [text] * int(count if star else 1)


def _clock(frame: int, rate: int) -> str:
    """Return a frame as hours, minutes, seconds and hundredths."""
    minutes, hundredths = divmod(frame * 100 // rate, 6000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{hundredths // 100:02d}.{hundredths % 100:02d}"


def _picture(form: Form) -> np.ndarray:
    boxes = form.get("boxes", [])
    return picture(form["picture"], [box[1:] for box in boxes], [box[0] for box in boxes])


def _painted(form: Form) -> np.ndarray:
    """Return uint8 (height, width), or with a third axis for a colour mask."""
    width, height = form.get("size", (WIDTH, HEIGHT))
    ground = np.array(form.get("ground", 0), dtype=np.uint8)
    image = np.full((height, width, *ground.shape), ground, dtype=np.uint8)
    for value, left, top, right, bottom in form["paint"]:
        image[top:bottom, left:right] = value
    return image
