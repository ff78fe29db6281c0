"""Facts of one instance as one: when the instance is certainly there."""

from __future__ import annotations

import duckdb
import pytest

from surgqa.transforms.algebra.sql.merging import _joined
from surgqa.transforms.algebra.sql.scope import SqlScope, SqlScript
from surgqa.transforms.algebra.sql.values import TEXTS


@pytest.mark.parametrize(("keys", "there"), [(("label", "track"), (5, 40)), (("label",), (0, -1))])
def test_the_time_of_an_instance_reaches_from_its_first_fact_to_its_last(keys, there):
    script = SqlScript()
    texts = ", ".join(f"'x' as {name}" for name in TEXTS)
    rows = [(10, 20, 7, 30), (15, 25, 5, 25), (18, 30, 9, 40)]
    island = " union all ".join(
        f"select 'v' as video, {texts}, {s} as s0, {s} as s, {s} as s1, {e} as e0, {e} as e, "
        f"{e} as e1, 1 as s_mark, 1 as e_mark, 1 as s_gap, 1 as e_gap, {t0} as t0, {t1} as t1, "
        f"0.0 as value_lo, 0.0 as value_hi, 1 as proof, true as sure, 1 as part, {k} as place"
        for k, (s, e, t0, t1) in enumerate(rows)
    )
    scope = SqlScope(script, "", {})
    joined = _joined(scope, scope.share(island, "island"), keys)
    query = script.query(f"select s, e, t0, t1, label, verb from {joined}")
    with duckdb.connect() as connection:
        found = connection.execute(query).fetchall()
    assert found == [(10, 30, *there, "x", None)]
