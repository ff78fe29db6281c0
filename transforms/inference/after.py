"""Jobs that wait for others: the replies that a job quotes, and where they are put in.

A job that waits has marks in its text, one for each reply that it quotes.  A mark gives way to
the option that was chosen, never to the reply itself, so that a model's words cannot become
part of what it is asked.  Of a question without options the reply's first line is quoted, cut
short and in quotation marks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transforms.inference.jobs import Job

MOST = 200
"""Characters of a reply that are quoted where there are no options."""

Choose = Callable[[str, Sequence[tuple[str, str]]], str | None]
"""(response, options as (key, text)) -> key of the option that is chosen, None for none."""


@dataclass(frozen=True, slots=True)
class After:
    """A reply that a job quotes.

    Attributes:
        job_id: of the job that is answered by it.
        options: (key, text) of each option of that job's question.
        otherwise: said where the reply chooses none of them.
    """

    job_id: str
    options: tuple[tuple[str, str], ...]
    otherwise: str

    @property
    def mark(self) -> str:
        """What stands for the reply in the text of the job that waits."""
        return f"{{reply {self.job_id}}}"

    def told(self, response: str, choose: Choose) -> str:
        """``B) clipping``, or ``otherwise``; without options the reply's first line in quotes."""
        if not self.options:
            first = next(filter(None, map(str.strip, response.splitlines())), "")
            return '"{}"'.format(first[:MOST].replace('"', "'"))
        key = choose(response, self.options)
        return f"{key}) {dict(self.options)[key]}" if key else self.otherwise


def filled(job: Job, replies: Mapping[str, str], choose: Choose) -> Job:
    """The job with what was chosen before in the places of its marks.

    Args:
        replies: response by job id; holds those that the job waits for.
        choose: reads a reply the way in which it is scored.
    """
    user = job.user
    for one in job.after:
        user = user.replace(one.mark, one.told(replies[one.job_id], choose))
    return replace(job, user=user)
