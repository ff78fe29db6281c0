"""Checks one row against its template, without any query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.checks.proof.gates import gate_problems
from surgqa.transforms.checks.proof.head import head_problems
from surgqa.transforms.checks.proof.knowledge import knowledge_problems
from surgqa.transforms.checks.proof.margins import margin_problems
from surgqa.transforms.checks.proof.options import option_problems
from surgqa.transforms.checks.proof.rounds import round_problems
from surgqa.transforms.checks.proof.rows import Problem, ProofRow
from surgqa.transforms.checks.proof.rubrics import rubric_problems
from surgqa.transforms.checks.proof.windows import Clips, window_problems
from surgqa.transforms.checks.proof.words import word_problems


def row_problems(
    asked: ProofRow,
    duration_us: int,
    clips: Clips,
    *,
    instants: Sequence[int] = (),
    track_words: Mapping[str, str] | None = None,
    said: Mapping[str, str] | None = None,
    given: Mapping[Node, Any] | None = None,
) -> Iterator[Problem]:
    """Yield (code, detail) for every error in a row that can be seen without a query.

    Args:
        duration_us, clips, instants: data of the video; see
            :func:`~transforms.checks.proof.windows.window_problems`.
        track_words: for each track, the words that distinguish it from others of its class within
            the window.
        said: for each stage of a chain, the text of its answer.
        given: values that the texts print and that no column of the row contains.
    """
    yield from head_problems(asked, given)
    yield from option_problems(asked)
    yield from margin_problems(asked)
    yield from window_problems(asked, duration_us, clips, instants)
    yield from round_problems(asked, track_words)
    yield from word_problems(asked, track_words, said, given)
    yield from knowledge_problems(asked, given or {})
    yield from gate_problems(asked, given or {})
    yield from rubric_problems(asked, track_words, given or {})
