"""Select the facts that match a pattern, in SQL, and the gaps that may hide further ones."""

from __future__ import annotations

from dataclasses import dataclass

from surgqa.transforms.algebra.sql import relations
from surgqa.transforms.algebra.sql.references import reference, timed
from surgqa.transforms.algebra.sql.scope import SqlScope, element_of
from surgqa.transforms.algebra.sql.tables import base_facts, base_holes
from surgqa.transforms.algebra.sql.truths import holds
from surgqa.transforms.algebra.sql.values import (
    FACT,
    FACT_COLUMNS,
    FACTS,
    HOLE_COLUMNS,
    INFINITE,
    SqlValue,
    names,
    text,
)
from surgqa.transforms.algebra.tree import Const, FieldTest, Pattern

ACT = "nullif(concat_ws(',', {0}verb, {0}target), '')"
EVERYWHERE = (
    f"{-INFINITE} as u0, {INFINITE} as u1, {INFINITE} as floor, null as label, null as subject"
)


@dataclass(frozen=True, slots=True)
class Test:
    """A test of one field of a fact, such as ``label: hook``, as SQL.

    Attributes:
        joins: SQL that joins the values with which the field is compared to the row ``c``.
        sure, may: conditions that a fact ``f`` certainly, or possibly, passes the test.
        ok: conditions under which the test is defined.
        holes: the condition under which a gap ``f`` may hide a match; '' if it always may.
        ids: SQL of the wanted ids, if the test compares ids.
    """

    joins: str
    sure: str
    may: str
    ok: tuple[str, ...]
    holes: str
    ids: tuple[str, ...]


def select(pattern: Pattern, scope: SqlScope) -> SqlValue:
    """Return, for each q, the facts that match a pattern and the gaps that may hide others."""
    tests = [_test(one, f"t{k}", scope) for k, one in enumerate(pattern.tests)]
    ref = timed(pattern.reference, scope)
    rows = _related(pattern, _cut(pattern, _near(pattern, ref, tests, scope), scope), scope)
    head = _head(pattern, ref, tests, scope)
    holes = _holes(pattern, ref, tests, scope)
    own = (
        base_facts(pattern, scope) if pattern.source is None else scope.value(pattern.source).table
    )
    found = SqlValue(FACTS, head, rows, holes, table=own)
    return _where(found, pattern, scope) if pattern.where is not None else found


def field(name: str, alias: str = "") -> str:
    """Return SQL of a field of a fact; an act is its verb and target, joined by a comma."""
    dot = f"{alias}." if alias else ""
    return ACT.format(dot) if name == "act" else f"{dot}{name}"


# -- tests ---------------------------------------------------------------------------------------


def _test(test: FieldTest, alias: str, scope: SqlScope) -> Test:
    joins, sure, may, ok, ids = "", [], [], [], []
    for k, node in enumerate(test.values):
        name = f"{alias}_{k}"
        if isinstance(node, Const):
            wanted = text(node.value)
        else:
            value = scope.value(node)
            joins += f" join {value.cte} {name} on {name}.q = c.q"
            if value.shape == FACT:
                both = _same_instance(name)
                sure.append(both[0])
                may.append(both[1])
                ok.append(f"{name}.ok and not {name}.none")
                continue
            wanted = f"case when {name}.none then null else {name}.value end"
            ok.append(f"({name}.ok or {name}.none)")
        equal = f"({field(test.name, 'f')} is not distinct from {wanted})"
        sure.append(equal)
        may.append(equal)
        ids.append(wanted)
    held, possible = " or ".join(sure), " or ".join(may)
    if test.negated:
        held, possible = f"not ({possible})", f"not ({held})"
    of_hole = (
        test.name in ("label", "subject") and not test.negated and len(ids) == len(test.values)
    )
    holes = " or ".join([f"f.{test.name} is null", *(f"f.{test.name} = {one}" for one in ids)])
    return Test(joins, f"({held})", f"({possible})", tuple(ok), f"({holes})" if of_hole else "",
                tuple(ids) if of_hole else ())  # fmt: skip


def _same_instance(name: str) -> tuple[str, str]:
    """Return two SQL conditions: two facts certainly, or possibly, belong to the same instance.

    Two facts certainly belong to one instance only within one unbroken track. Another track of the
    same class may be the same instrument that came back, unless both are in view at once.
    """
    known = f"(f.track is not null and {name}.track is not null)"
    same = f"({known} and f.track = {name}.track)"
    apart = f"(f.t0 < {name}.t1 and {name}.t0 < f.t1)"
    alike = f"f.subject is not distinct from {name}.subject"
    may = f"coalesce({same} or ({alike} and not ({apart} and {known})), false)"
    return f"coalesce({same}, false)", may


# -- candidates ----------------------------------------------------------------------------------


def _near(pattern: Pattern, ref: str, tests: list[Test], scope: SqlScope) -> str:
    """Return SQL of facts that may match, with the reference and ``held``: passes all tests."""
    joins = "".join(test.joins for test in tests)
    held = " and ".join(["f.sure", *(test.sure for test in tests)])
    may = [test.may for test in tests]
    if pattern.source is not None:
        on, table = "f.q = c.q", _reaching(scope.value(pattern.source), scope)
    else:
        table = base_facts(pattern, scope)
        bounds = relations.near(pattern.relation, pattern.within, "f.s0", "f.e1", -1)
        on = f"f.video = c.video and {bounds}"
    where = f"where {' and '.join(may)}" if may else ""
    return scope.add(
        f"select c.*, {names(FACT_COLUMNS, 'f')}, coalesce({held}, false) as held "
        f"from {ref} c {joins} join {table} f on {on} {where}", "near"
    )  # fmt: skip


def _reaching(named: SqlValue, scope: SqlScope) -> str:
    """Return the facts of a named collection.

    A fact that may be part of a longer fact outside the collection gets the longer fact's bounds.
    """
    table = named.table or f"(select null::varchar as video, 0 as grp from {named.rows})"
    return scope.add(
        f"""select n.* exclude (parts) replace (
          case when n.parts = w.parts then n.s0 else least(n.s0, n.x0) end as s0,
          case when n.parts = w.parts then n.e1 else greatest(n.e1, n.x1) end as e1)
        from (select *, count(*) over (partition by q, grp) as parts from {named.rows}) n
        join {scope.rows} c on c.q = n.q left join (select video, grp, count(*) as parts
          from {table} group by all) w on w.video = c.video and w.grp = n.grp""", "named"
    )  # fmt: skip


def _cut(pattern: Pattern, near: str, scope: SqlScope) -> str:
    """Return facts shortened to the stretch ``cut``; a cut border is exactly that of ``cut``."""
    if pattern.cut is None:
        return near
    to = reference(pattern.cut, scope)
    moved = ", ".join(
        [f"greatest(n.{name}, k.{bound}) as {name}"
         for name, bound in (("s0", "a0"), ("s", "a"), ("s1", "a1"), ("x0", "a0"))]
        + [f"least(n.{name}, k.{bound}) as {name}"
           for name, bound in (("e0", "b0"), ("e", "b"), ("e1", "b1"), ("x1", "b1"))]
        + ["case when n.s <= k.a then k.a_mark else n.s_mark end as s_mark",
           "case when n.e >= k.b then k.b_mark else n.e_mark end as e_mark",
           "n.held and greatest(n.s1, k.a1) < least(n.e0, k.b0) as held"]
    )  # fmt: skip
    return scope.add(
        f"select n.* replace ({moved}) from {near} n join {to.cte} k on k.q = n.q "
        "where greatest(n.s0, k.a0) < least(n.e1, k.b1)", "cut"
    )  # fmt: skip


def _related(pattern: Pattern, near: str, scope: SqlScope) -> str:
    """Return the facts that may have the wanted length and the wanted time relation."""
    short, long = "greatest(e0 - s1, 1)", "(x1 - x0)"
    held, may = f"held and {short} >= {pattern.at_least}", f"{long} >= {pattern.at_least}"
    if pattern.at_most is not None:
        held += f" and {long} <= {pattern.at_most}"
        may += f" and {short} <= {pattern.at_most}"
    sure, possible = relations.readings(pattern.relation, pattern.within)
    return scope.add(
        f"select q, {names(FACT_COLUMNS)}, {held} as held, {held} and {sure} as sure from {near} "
        f"where {may} and {possible}", "fit"
    )  # fmt: skip


# -- where a pattern is defined, and its gaps ------------------------------------------------------


def _head(pattern: Pattern, ref: str, tests: list[Test], scope: SqlScope) -> str:
    """Return SQL with q and ok: whether the pattern is defined in the row q."""
    joins = "".join(test.joins for test in tests)
    ok = ["c.ok", *(one for test in tests for one in test.ok)]
    if pattern.cut is not None:
        joins += f" join {reference(pattern.cut, scope).cte} k on k.q = c.q"
        ok.append("k.ok")
    if pattern.source is not None:
        joins += f" join {scope.value(pattern.source).cte} m on m.q = c.q"
        ok.append("m.ok")
    return scope.add(
        f"select c.q, coalesce({' and '.join(ok)}, false) as ok from {ref} c {joins}", "head"
    )


def _holes(pattern: Pattern, ref: str, tests: list[Test], scope: SqlScope) -> str:
    """Return SQL (q, HOLE_COLUMNS) of the unannotated gaps that may hide a matching fact."""
    kept = [f"f.floor > {pattern.at_least}", *(test.holes for test in tests if test.holes)]
    joins = "".join(test.joins for test in tests)
    low, high = "f.u0", "f.u1"
    if pattern.cut is not None:
        to = f"(select q, a0 as cut_from, b1 as cut_to from {reference(pattern.cut, scope).cte})"
        joins += f" join {to} k on k.q = c.q"
        low, high = f"greatest({low}, k.cut_from)", f"least({high}, k.cut_to)"
    if pattern.source is None:
        kept.append(f"{high} - {low} >= {pattern.at_least}")
    bounds = relations.near(pattern.relation, pattern.within, "f.u0", "f.u1", 1)
    if pattern.source is not None:
        on, table = f"f.q = c.q and {bounds}", scope.value(pattern.source).holes
    else:
        on, table = f"f.video = c.video and {bounds}", base_holes(pattern, scope)
    if pattern.relation == "throughout":
        kept.append("f.u0 <= c.a1 and f.u1 >= c.b0")
    sql = (f"select c.q, {names(HOLE_COLUMNS, 'f')} from {ref} c {joins} join {table} f on {on} "
           f"where {' and '.join(kept)}")  # fmt: skip
    return scope.add(" union all ".join([sql, *_unsought(pattern, ref, tests)]), "hole")


def _unsought(pattern: Pattern, ref: str, tests: list[Test]) -> list[str]:
    """Return SQL of an endless gap for each video whose annotators could not use a wanted label."""
    kinds = ", ".join(map(text, pattern.kinds))
    out = []
    for one, test in zip(pattern.tests, tests, strict=True):
        for wanted in test.ids if kinds else ():
            out.append(
                f"select distinct c.q, {EVERYWHERE} from {ref} c {test.joins} join looked k on "
                f"k.video = c.video and k.kind in ({kinds}) and k.field = {text(one.name)} "
                f"where not list_contains(k.ids, {wanted})"
            )
    return out


# -- conditions on the fact -----------------------------------------------------------------------


def _where(found: SqlValue, pattern: Pattern, scope: SqlScope) -> SqlValue:
    """Return the facts for which the pattern's condition ``where`` is certainly or possibly true.

    If the condition is undefined for one fact, the pattern is undefined in the fact's row.
    """
    assert pattern.where is not None
    kept = f"{names(FACT_COLUMNS, 'm')}, m.held, m.sure"
    inner, cte = scope.elements(found.rows, kept, names(FACT_COLUMNS, "m"))
    inner.bound[pattern.alias] = element_of(cte, scope, FACT)
    truth = holds(pattern.where, inner)
    rows = scope.add(
        f"select i.up as q, {names(FACT_COLUMNS, 'i')}, i.held and coalesce(t.value, false) as "
        f"held, i.sure and coalesce(t.value, false) as sure from {cte} i join {truth.cte} t "
        "on t.q = i.q where t.value is distinct from false", "fit"
    )  # fmt: skip
    head = scope.add(
        f"select h.q, h.ok and not exists (select 1 from {cte} i join {truth.cte} t on t.q = i.q "
        f"where i.up = h.q and not t.ok) as ok from {found.cte} h", "head"
    )  # fmt: skip
    return SqlValue(FACTS, head, rows, found.holes, table=found.table)
