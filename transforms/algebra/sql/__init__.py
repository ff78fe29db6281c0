"""The algebra in SQL: the second implementation, which proves every answer.

This implementation shares the tree, the types and the ontology's data with the form over columns,
but no code. The column ``q`` is the number of a case: one filling of an item. A list of names in a
docstring, such as ``q, ok``, names the columns that the SQL returns. :func:`compiled` makes one
query of a program, over the tables that :mod:`transforms.algebra.sql.tables` describes and
:func:`load` creates. :func:`complete` adds what ``evidence/`` does not contain. :func:`typed` reads
a query's columns. :func:`options_query` tests whether each distractor is certainly wrong.
"""

from surgqa.transforms.algebra.sql.load import complete, load, put_cases, put_options
from surgqa.transforms.algebra.sql.options import options_query
from surgqa.transforms.algebra.sql.program import compiled
from surgqa.transforms.algebra.sql.query import Query, QueryColumn, evaluate_nodes
from surgqa.transforms.algebra.sql.typed import known, typed

__all__ = [
    "QueryColumn",
    "Query",
    "complete",
    "compiled",
    "evaluate_nodes",
    "known",
    "load",
    "options_query",
    "put_cases",
    "put_options",
    "typed",
]
