"""Write the sample of a dataset from its ``sample.yaml``: made-up files in the release's layout.

``files`` maps each path to a text, or to a mapping with one of the keys below. A path that ends
with ``/`` is a folder, and its value is a mapping of the files in it.

- ``same``: the path of another file with the same content.
- ``json``: a value; ``indent`` or ``compact`` set its layout, ``break`` is a text that begins a new
  line, and ``lines`` puts each mapping of a list on a line. ``{keys: [...], rows: ...}`` is a
  table: each row becomes a mapping with these keys. ``rows`` is a list of rows, a mapping to such
  lists, or a text of numbers such as ``1 2; 3 4``, where the last key gets a list of all remaining
  numbers.  With ``each`` it is a mapping to rows. An item ``{count: 3, of: [...]}`` of a list
  stands for three copies of its items; a number ``{from: 2, step: 5}`` in them becomes 2, 7 and 12.
  ``{digest_of: PATH}`` is the SHA-256 of a file that stands above.
- ``runs``: a text table whose first column counts.  ``3 a b`` is three lines with these cells,
  and a cell ``0*20`` is twenty cells.  A run ``+6`` skips six numbers.  ``head`` is the first
  line, ``first`` and ``step`` set the numbers, ``gap`` separates cells, and ``rate`` shows a number
  as a time at this rate.
- ``sheet``: the rows of a workbook.
- ``parquet``: the values of each column of a Parquet file, or a table of keys and rows.
- ``picture``: a number that an image of 64 x 48 pixels shows, with ``boxes`` of (colour, left,
  top, right, bottom), in fractions of its width and height.
- ``paint``: rectangles of (value, left, top, right, bottom) in pixels on a mask; ``size`` is
  (width, height), and ``ground`` the value elsewhere.  A colour mask has lists as values.
- ``hex``: bytes.
- ``film``: the number of frames of a film, and ``rate``.

``forms`` names contents that several files share: ``{form: NAME, x: 1}`` is the content NAME, in
which each text ``$x`` is replaced by 1.

``holds`` states what a reader must find in each video, see :func:`summary`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.errors import FieldInvalid
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import InstrumentTable, Span, VideoEvidence
from surgqa.transforms.samples.pictures import HEIGHT, WIDTH, film, jpeg, picture, png
from surgqa.transforms.samples.workbook import workbook

Form = Mapping[str, Any]
KEYS = frozenset({"files", "forms", "holds"})


def write(script: Mapping[str, Any], root: Path) -> Mapping[str, Mapping[str, Any]]:
    """Write the files that ``sample.yaml`` describes; return what a reader must find in each video.

    Args:
        script: the contents of ``sample.yaml``.

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
    return script["holds"]


def write_files(
    root: Path, files: Mapping[str, Any], forms: Mapping[str, Form] | None = None
) -> None:
    """Write the files of a sample into an existing folder."""
    for path, content in files.items():
        if path.endswith("/"):
            write_files(root, {f"{path}{name}": one for name, one in content.items()}, forms)
            continue
        if isinstance(content, dict) and "form" in content:
            content = _filled(_form_of(path, content["form"], forms or {}), content)
        if isinstance(content, dict) and "same" in content:
            data = (root / content["same"]).read_bytes()
        else:
            data = content.encode() if isinstance(content, str) else _made(root, path, content)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def _form_of(path: str, name: str, forms: Mapping[str, Form]) -> Form:
    if name not in forms:
        raise FieldInvalid(
            f"{path} uses a form that is not defined", found=name,
            expected=", ".join(forms) or "none is defined",
            where="sample.yaml", fix="define it under 'forms' in this file",
        )  # fmt: skip
    return forms[name]


def _filled(value: Any, given: Form) -> Any:
    """Return the value with texts such as ``$name`` replaced by the values of the form."""
    if isinstance(value, dict):
        return {key: _filled(one, given) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, given) for one in value]
    return given[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def summary(evidence: VideoEvidence) -> dict[str, Any]:
    """Return the contents of a video in a form that people can compare with the files.

    These are the length, the times of spans and moments in seconds, labels with their values, the
    numbers of instants and instances of each kind, and the numbers of rows read and left out.
    """
    out: dict[str, Any] = {"seconds": evidence.video.duration_us / 1e6}
    for span in evidence.spans:
        out.setdefault(" ".join(filter(None, (span.kind, span.label, span.subject))), []).append(
            _times(span)
        )
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


def _times(span: Span) -> list[float]:
    """Return start and end in seconds, and the value if there is one."""
    value = [] if span.value is None else [span.value]
    return [span.start_us / 1e6, span.end_us / 1e6, *value]


def _counts(kind: str, table: InstrumentTable) -> dict[str, int]:
    """Return the numbers of instants, boxes, masks, and instances of each label."""
    out = {
        f"{kind} instants": int(table.instants_us.size),
        f"{kind} boxes": int(np.isfinite(table.box_xyxy).all(axis=1).sum()),
        f"{kind} masks": sum(map(bool, table.masks)),
    }
    for code, label in enumerate(table.labels):
        out[f"{kind} {label}"] = int((table.label == code).sum())
    return {name: count for name, count in out.items() if count}


def _made(root: Path, path: str, form: Form) -> bytes:
    """Return the content of a file.

    Raises:
        UserError: the form is unknown.
    """
    made: dict[str, Callable[[Form], bytes]] = {
        "json": partial(_json, root), "runs": _runs, "parquet": partial(_parquet, root),
        "sheet": lambda one: workbook(one["sheet"]), "hex": lambda one: bytes.fromhex(one["hex"]),
        "film": lambda one: film(one["film"], one["rate"]),
    }  # fmt: skip
    for key, make in made.items():
        if key in form:
            return make(form)
    if form.keys().isdisjoint({"paint", "picture"}):
        raise FieldInvalid(
            f"the sample does not say what {path} contains",
            expected=", ".join(["a text", "form", "same", *made, "paint", "picture"]),
            found=", ".join(form), where="sample.yaml", fix="see transforms/samples/scripted.py",
        )  # fmt: skip
    image = _painted(form) if "paint" in form else _picture(form)
    return jpeg(image) if path.endswith(".jpg") else png(image)


def _json(root: Path, form: Form) -> bytes:
    tight, value = (",", ":") if form.get("compact") else None, _unfolded(form["json"], root)
    if form.get("lines"):
        return _in_lines(value).encode()
    text = json.dumps(value, indent=form.get("indent"), separators=tight)
    start = form.get("break", "\n")
    return (text.replace(start, f"\n{start}") if "break" in form else text).encode() + form.get(
        "end", ""
    ).encode()


def _in_lines(value: Any) -> str:
    """Return JSON with a line for each mapping in a list, and for each key above such a list."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(map(_in_lines, value)) + "]"
    parts = [*value.values()] if isinstance(value, dict) else []
    if not any(isinstance(one[0] if isinstance(one, list) and one else one, dict) for one in parts):
        return json.dumps(value)
    return "{" + ",\n".join(f"{json.dumps(k)}: {_in_lines(one)}" for k, one in value.items()) + "}"


def _parquet(root: Path, form: Form) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = _unfolded(form["parquet"], root)
    if isinstance(columns, list):
        columns = {key: [row[key] for row in columns] for key in columns[0]}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


def _unfolded(value: Any, root: Path) -> Any:
    """Return the value with its tables and repetitions written out and its digests computed."""
    if isinstance(value, list):
        return [one for item in value for one in _items(item, root)]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"keys", "rows"}:
        return _with_keys(value["keys"], _unfolded(value["rows"], root))
    if value.keys() == {"keys", "each"}:
        rows = _with_keys(value["keys"], _unfolded([*value["each"].values()], root))
        return dict(zip(value["each"], rows, strict=True))
    if value.keys() == {"digest_of"}:
        return bytes_digest((root / value["digest_of"]).read_bytes())
    return {key: _unfolded(one, root) for key, one in value.items()}


def _items(item: Any, root: Path) -> list[Any]:
    """Return the items that a repetition ``{count, of}`` stands for; any other item by itself."""
    if not isinstance(item, dict) or item.keys() != {"count", "of"}:
        return [_unfolded(item, root)]
    times = range(item["count"])
    return [one for time in times for one in _unfolded(_moved(item["of"], time), root)]


def _moved(value: Any, time: int) -> Any:
    """Return a value for copy number ``time`` (from 0), with its ``{from, step}`` computed."""
    if isinstance(value, list):
        return [_moved(one, time) for one in value]
    if not isinstance(value, dict) or value.keys() != {"from", "step"}:
        return value
    number = Decimal(str(value["from"])) + time * Decimal(str(value["step"]))
    return float(number) if number.as_tuple().exponent else int(number)


def _with_keys(keys: Sequence[str], rows: Any) -> Any:
    if isinstance(rows, dict):
        return {key: _with_keys(keys, one) for key, one in rows.items()}
    if isinstance(rows, str):
        numbers = [[int(one) for one in row.split()] for row in rows.split(";")]
        rows = [[*row[: len(keys) - 1], row[len(keys) - 1 :]] for row in numbers]
    return [dict(zip(keys, row, strict=True)) for row in rows]


def _runs(form: Form) -> bytes:
    number, step, gap = form.get("first", 0), form.get("step", 1), form.get("gap", "\t")
    lines = [form["head"]] if "head" in form else []
    for run in form["runs"]:
        count, *cells = run.split(" ")
        if count.startswith("+"):
            number += int(count)
            continue
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
    """Return the time of a frame as hours, minutes, seconds and hundredths."""
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
