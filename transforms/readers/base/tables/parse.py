"""Parse and check the language that describes tables, before any table is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surgqa.ontology.errors import FieldInvalid
from surgqa.ontology.ratings import rating
from surgqa.ontology.sections import Section, read_mapping
from surgqa.ontology.yaml import YamlText
from surgqa.transforms.readers.base.moments import scale_of
from surgqa.transforms.readers.base.patterns import pattern_of, places_of
from surgqa.transforms.readers.base.tables import sorts
from surgqa.transforms.readers.base.tables.coloured import coloured_of
from surgqa.transforms.readers.base.tables.plan import MappingPlan, TablePlan, VideosPlan
from surgqa.transforms.readers.base.tables.values import parts_of, values_of
from surgqa.transforms.readers.base.words import KindWords, Mapped, words_of


def read_plan(data: bytes, name: str) -> MappingPlan:
    """Parse and check a mapping.

    Raises:
        UserError: the mapping is invalid; the error states file, line and what was expected.
    """
    top = read_mapping(data, name).closed(sorts.TOP_KEYS, ("tables",))
    return MappingPlan(
        {".*": top.word("procedure", "not stated")},
        top.word("specialty", "not stated"),
        top.word("licence", "not stated"),
        **_shared(top, words_of(top)),
    )


def dataset_plan(
    text: YamlText, name: str, words: Mapping[str, Mapped], procedure: str, specialty: str,
    licence: str,
) -> MappingPlan:  # fmt: skip
    """Return the plan of a dataset's ``files.yaml``.

    Args:
        name: the file's path, used in messages.
        words: words of the dataset's label map, by kind.

    Raises:
        UserError: the mapping is invalid; the error states file, line and what was expected.
    """
    top = Section(text, name, (), text.data).closed(
        (*sorts.REGISTRY_KEYS, *sorts.DATASET_KEYS), ("tables",)
    )
    procedures, spelled, rates = map(top.section, ("procedure", "spelled", "usual_rate"))
    groups = top.section("group")
    names = {kind: _videos(one, ("code", "name")) for kind, one in top.section("names").sections()}
    return MappingPlan(
        _rules(procedures) or {".*": procedure},
        specialty,
        licence,
        **_shared(top, words),
        unit=top.word("unit", "label rows"),
        group=_rules(groups),
        probe=top.flag("probe", False),
        names={kind: one for kind, one in names.items() if one},
        spelled=_rules(spelled),
        usual_rate={
            rates.expression(ids, str(ids)): rate for ids in rates.data if (rate := rates.rate(ids))
        },
    )


def _rules(section: Section) -> dict[str, str]:
    """Return the text of each regular expression (or range of numbers)."""
    return {section.expression(ids, str(ids)): section.word(ids) for ids in section.data}


def _shared(top: Section, words: Mapping[str, KindWords] | Mapping[str, Mapped]) -> dict[str, Any]:
    """Return the fields of a plan that ``surgqa.yaml`` and ``files.yaml`` have in common."""
    tables = tuple(_table(one, key, words) for key, one in top.section("tables").sections())
    if not tables:
        top.wrong("tables", "at least one table")
    videos = _videos(top.section("videos"), sorts.VIDEO_ROLES, ("video",))
    sections = dict(top.section("tables").sections())
    return {
        "rate": top.rate("rate"),
        "media": places_of(top, "media", ("video",)),
        "videos": videos,
        "tables": tables,
        "lines": ({videos.file: top.section("videos").where("file")} if videos else {})
        | {
            path.text: sections[table.name].where("file")
            for table in tables
            for _, paths in table.places.rules
            for path in paths
        },
        "words": words,
        "file": top.file,
        "needs": top.choice("needs", (sorts.ANY, sorts.ALL), sorts.ANY),
    }


def _videos(
    section: Section, roles: Sequence[str], needed: Sequence[str] | None = None
) -> VideosPlan | None:
    if not section.data:
        return None
    section.closed(sorts._VIDEOS, ("file", "columns"))
    file = pattern_of(section, "file", ())
    assert file is not None  # closed() raises an error if it is missing
    columns = _columns(section, roles, roles if needed is None else needed)
    picture = pattern_of(section, "picture", ("video",))
    return VideosPlan(file.text, section.flag("header", True), columns,
                      picture.text if picture else "", section.flag("optional", False))  # fmt: skip


def _table(
    section: Section, name: str, words: Mapping[str, KindWords] | Mapping[str, Mapped]
) -> TablePlan:
    section.closed(sorts.TABLE_KEYS, ("holds", "file"))
    holds = section.choice("holds", sorts.HOLDS, "")
    known = {sorts.LABELS: sorts.LABEL_KINDS, sorts.MASKS: ("instrument", *sorts.AREA_KINDS)}
    kinds = known.get(holds, ())
    frame = ("frame",) if holds in sorts.PICTURED else ()
    places = places_of(section, "file", ("video", *frame, *kinds))
    assert places is not None  # closed() raises an error if it is missing
    file = places.rules[0][1][0]
    folders = holds == sorts.LABELS and any(kind in file.names for kind in kinds)
    named = "video" in file.names or "picture" in section.section("columns").data
    needed = () if named or holds in (*sorts.PICTURED, sorts.COCO) else ("video",)
    columns = {} if folders else _columns(section, sorts.ROLES.get(holds, ()), needed)
    flags = _flags(section, holds)
    box = section.section("box").closed(("unit", "size"))
    plan = TablePlan(
        name, holds, file, bool(_names(section)) or section.flag("header", True), columns, flags,
        scale_of(section, "frames" if "picture" in columns or frame else "seconds"),
        section.rate("every"), pattern_of(section, "picture", ("video", "frame", "patient")),
        box.choice("unit", sorts.BOX_UNITS, "pixels"), box.pair("size"), section.pair("scale"),
        section.word("separator"), section.where(), places, _names(section),
        section.choice("cells", ("", "blanks"), "") == "blanks", section.word("list"),
        section.form("pointer", _placed(holds, bool(flags))), _total(section),
        section.flag("line_end", False),
        section.word("agrees"), section.word("unless"), section.flag("one_row", False),
        next(((str(kind), str(one)) for kind, one in section.section("during").data.items()), None),
        values_of(section.section("values"), words), pattern_of(section, "beside", ("video",)),
        section.whole("apart", range(1, 10**6), 0), parts_of(section),
        coloured_of(section),
        section.expression("first_line", section.word("first_line")), section.word("unsure"),
        section.whole("count", range(1, 10**6), 0),
    )  # fmt: skip
    if holds not in (sorts.FRAMES, sorts.END):
        _check(section, plan)
    if holds != sorts.END:
        _check_words(section, plan, words)
    _check_scale(section, plan, words)
    return plan


def _placed(holds: str, flags: bool) -> tuple[str, ...]:
    """Return the placeholders that ``pointer`` may contain, given what a table ``holds``."""
    if holds in sorts.PICTURED:
        return ("video", "above", "folder", "file", "frame", "row")
    if holds == sorts.FRAMES:
        return ("file", "frame", "row") if flags else ("first", "last")
    return ("line", "list", "column")


def _columns(section: Section, roles: Sequence[str], needed: Sequence[str]) -> dict[str, str]:
    columns = section.section("columns").closed(roles, needed)
    out = {role: columns.word(role) for role in columns.data}
    if section.data.get("header", True) is False:
        for role, number in out.items():
            if not number.isdigit() or int(number) < 1:
                columns.wrong(role, "the column's number, from 1, since the table has no header")
    return out


def _names(section: Section) -> tuple[str, ...]:
    """Return the column names that ``header`` lists; () if it is true, false or missing."""
    if isinstance(section.data.get("header"), Mapping):
        header = section.section("header").closed(("labels", "named"), ("labels",))
        count = header.whole("labels", range(1, 10**4), 1)
        name = header.word("named", "{n}")
        return ("frame", *(name.replace("{n}", str(n)) for n in range(count)))
    return section.texts("header") if isinstance(section.data.get("header"), list) else ()


def _total(section: Section) -> dict[str, tuple[str, ...]]:
    total = section.section("total")
    return {str(flag): total.texts(flag) for flag in total.data}


def _flags(section: Section, holds: str) -> dict[str, tuple[str, ...]]:
    kinds = {
        sorts.RATINGS: ("rating",),
        sorts.EVENTS: sorts.INSTANT_KINDS,
        sorts.LABELS: sorts.LABEL_KINDS,
        sorts.FRAMES: ("instrument", "action"),
    }
    flags = section.section("flags").closed(kinds.get(holds, ()))
    for kind in flags.data:
        if not flags.texts(kind):
            flags.wrong(kind, "a list of columns")
    return {kind: flags.texts(kind) for kind in flags.data}


def _check(section: Section, plan: TablePlan) -> None:
    """Check that the keys of a table fit together; for example, ``end`` needs ``start``."""
    if plan.pictured:
        _check_pictures(section, plan)
    roles = {*plan.columns}
    columns = section.section("columns")
    if bool(plan.picture) != ("picture" in roles):
        (columns if "picture" in roles else section).wrong(
            "picture", "both columns.picture and picture: '{video}-{frame}.jpg'"
        )
    if "picture" in roles and not plan.time.frames:
        section.section("time").wrong("unit", "frames, as image names contain frame numbers")
    if plan.timed and plan.holds not in (*sorts.PICTURED, sorts.COCO):
        starts = [role for role in ("at", "picture", "start") if role in roles]
        wanted = (
            "at or picture" if plan.holds != sorts.SEGMENTS else "at, picture or start (with end)"
        )
        if len(starts) != 1 or "end" in roles and "start" not in roles:
            section.wrong("columns", f"one column with the time: {wanted}")
    if plan.holds == sorts.BOXES and not any(roles.issuperset(one) for one in sorts.CORNERS):
        section.wrong("columns", "x1 y1 x2 y2, or x y w h, or cx cy w h")
    if plan.holds == sorts.RATINGS and not ({"rating", "value"} <= roles or plan.flags):
        section.wrong("columns", "rating and value, or flags: {rating: [columns]}")
    kinds = plan.kinds()
    if not kinds:
        section.wrong("columns", f"a column with labels: {', '.join(sorts.ROLES[plan.holds])}")
    if ("verb" in roles) != ("target" in roles) or "verb" in roles and "instrument" not in roles:
        columns.wrong("verb" if "verb" in roles else "target", "instrument, verb and target",
                      fix="name the column 'action' if the table has no targets")  # fmt: skip


def _check_words(section: Section, plan: TablePlan, words: Mapping[str, Any]) -> None:
    """Check that ``labels`` explains the words of every kind of label in the table."""
    roles, kinds = {*plan.columns}, plan.kinds()
    for kind in (*kinds, *(role for role in ("verb", "target") if role in roles)):
        if kind not in words:
            raise FieldInvalid(
                f"labels has no entry for {kind}",
                expected=f"labels: {{{kind}: …}}",
                where=section.where("columns" if kind in roles else "flags"),
                fix=f"add '{kind}: same' below labels, or what each word means",
            )


def _check_pictures(section: Section, plan: TablePlan) -> None:
    """Check that a table of files by image has {video} in its path, and one form of masks."""
    if plan.shared:
        section.wrong("file", "a path with {video}, since each picture has its own file")
    if plan.holds != sorts.MASKS:
        return
    ways = (plan.values, plan.parts, plan.coloured)
    if sum(bool(way) for way in ways) != 1:
        section.wrong("values", "one of values, parts and colours", found=", ".join(section.data))
    named = [name for name in plan.file.names if name not in ("video", "frame")]
    if len(named) != bool(plan.parts):
        section.wrong("file", "a kind such as {instrument} in it, together with parts")


def _check_scale(section: Section, plan: TablePlan, words: Mapping[str, Any]) -> None:
    """Check that ``scale`` is the scale that the ontology gives to the rating."""
    if plan.scale is None:
        return
    for concept in words["rating"].concepts or () if "rating" in words else ():
        known = rating(concept)
        if (known.low, known.high) != plan.scale:
            section.wrong(
                "scale", f"[{known.low:g}, {known.high:g}], the scale of {concept}",
                fix="choose a rating of the ontology with your scale",
            )  # fmt: skip
