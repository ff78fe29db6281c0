"""The template language in SQL: a second, independent computation that checks every answer.

It shares the syntax tree, the types and the ontology's data with the array implementation, but no
code. In all queries, ``q`` is the number of a case: one item, with the values that were drawn for
it. A list of names in a docstring, such as ``q, ok``, names the columns that the SQL returns.
:func:`compiled` makes one query of a template over the tables that
:mod:`transforms.algebra.sql.tables` describes. :func:`complete` adds what ``evidence/`` does not
contain. :func:`typed` reads a query's columns. :func:`options_query` tests whether each distractor
is certainly wrong.
"""

from surgqa.transforms.algebra.sql.load import complete
from surgqa.transforms.algebra.sql.options import options_query
from surgqa.transforms.algebra.sql.program import compiled
from surgqa.transforms.algebra.sql.query import Query, QueryColumn
from surgqa.transforms.algebra.sql.typed import known, typed

__all__ = [
    "QueryColumn",
    "Query",
    "complete",
    "compiled",
    "known",
    "options_query",
    "typed",
]
