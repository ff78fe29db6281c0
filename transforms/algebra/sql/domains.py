"""The labels that annotators could have used in one video, such as all phases of its dataset."""

from __future__ import annotations

from collections.abc import Iterable

from surgqa.ontology.concepts import LABEL_KINDS, load_data, vocabulary_files
from surgqa.ontology.kinds import kind as described
from surgqa.ontology.kinds import kind_names, terms_of
from surgqa.ontology.records import IDLE
from surgqa.transforms.algebra.sql.scales import NINTHS, rated, steps_of
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.tables import members
from surgqa.transforms.algebra.sql.values import text
from surgqa.transforms.algebra.tree import Const, Node

FIELD_OF = {"verb": ("interaction", "verb"), "target": ("interaction", "target")}
"""Domain -> (kind of fact, field); the annotations of that field state the possible labels."""


def labels_of(what: Node, scope: SqlScope) -> str:
    """Return SQL with q, value (possible labels, sorted; words of a scale in order) and ok."""
    if not isinstance(what, Const):
        return _words_of_rating(what, scope)
    name = str(what.value)
    if what.type.name == "word":
        words = NINTHS if name == "ninths" else [word for word, _ in steps_of(name)]
        return scope.add(
            f"select q, {_list(words)} as value, true as ok from {scope.rows}", "group"
        )
    kind, field = (name, "label") if name in kind_names() else FIELD_OF.get(name, (name, "label"))
    kinds = ", ".join(map(text, members((kind,))))
    seen = scope.add(
        f"select distinct video, {field} as id from facts where {field} is not null and "
        f"(kind in ({kinds}) or kind = 'whole_label' and subject = {text(kind)})", "seen"
    )  # fmt: skip
    could = scope.add(
        f"select video, list(distinct id) as ids from (from {seen} union all "
        f"{_beside(name, seen)}) group by video", "could"
    )  # fmt: skip
    spare = [] if name in kind_names() else terms_of(name)
    return scope.add(
        f"""select q, list_sort(list_filter(case when len(ids) = 0 then {_list(spare)} else ids end,
          lambda one: one not in ({", ".join(map(text, IDLE))}))) as value,
          true as ok
        from (select c.q, coalesce(k.ids, m.ids, []::varchar[]) as ids from {scope.rows} c
          left join looked k on k.video = c.video and k.kind = {text(kind)}
            and k.field = {text(field)}
          left join {could} m on m.video = c.video)""", "group"
    )  # fmt: skip


def _beside(name: str, seen: str) -> str:
    """Return SQL (video, id) of all labels in the vocabulary files with annotated labels."""
    domain = f"{described(name).fields.get('label', name)}s"
    files = vocabulary_files(domain) if domain in LABEL_KINDS else []
    entries = [f"({text(id_)}, {n})" for n, file in enumerate(files)
               for id_ in load_data("vocab", file)]  # fmt: skip
    if not entries:
        return f"from {seen} where false"
    listed = f"(values {', '.join(entries)})"
    return (f"select s.video, b.id from {seen} s join {listed} a(id, file) on a.id = s.id "
            f"join {listed} b(id, file) on b.file = a.file")  # fmt: skip


def _words_of_rating(what: Node, scope: SqlScope) -> str:
    """Return SQL of the words, in order, for the rating whose id ``what`` has in each row."""
    label = scope.value(what)
    when = " ".join(
        f"when {text(concept)} then {_list(word for word, _ in steps)}"
        for concept, steps in rated().items()
    )
    return scope.add(
        f"""select c.q, coalesce(case v.value {when} end, []::varchar[]) as value,
          v.ok and not v.none as ok
        from {scope.rows} c join {label.cte} v on v.q = c.q""", "group"
    )  # fmt: skip


def _list(words: Iterable[str]) -> str:
    return f"[{', '.join(map(text, words))}]::varchar[]"
