"""The algebra in SQL: the second implementation, by which every answer is proved.

It shares the tree, the types and the ontology's data with the form over columns, and no line of
code.  :func:`compiled` makes one query of a program, over the tables that
:mod:`transforms.algebra.sql.tables` describes and :func:`load` makes; :func:`complete` adds what
``evidence/`` does not hold.  :func:`typed` reads a query's columns; :func:`options_query` asks of
wrong options whether each is certainly none.
"""

from transforms.algebra.sql.load import complete, load, put_cases, put_options
from transforms.algebra.sql.options import options_query
from transforms.algebra.sql.program import compiled
from transforms.algebra.sql.query import Column, Query, evaluate_nodes
from transforms.algebra.sql.typed import known, typed

__all__ = [
    "Column",
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
