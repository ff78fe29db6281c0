"""Questions that are put at a time: a smaller language beside that of clips.

A query template names a *finder*, which goes through a video's facts and gives the times
at which its question can be put; the template gives the words.
"""

from transforms.language.queries.lint import lint_queries
from transforms.language.queries.load import is_query, load_queries
from transforms.language.queries.query import Query, Rubric
from transforms.language.queries.schema import json_schema

__all__ = ["Query", "Rubric", "is_query", "json_schema", "lint_queries", "load_queries"]
