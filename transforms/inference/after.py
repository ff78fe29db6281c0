"""Jobs that depend on other jobs: the responses that a job quotes, and their placeholders.

The text of such a job has one placeholder for each quoted response.  The placeholder is replaced by
the chosen option, never by the response itself, so that the model's words do not become part of a
later prompt.  For a question without options, the first line of the response is quoted, shortened
and in quotation marks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transforms.inference.jobs import Job

MOST = 200
"""Maximum number of quoted characters of a response to a question without options."""

Choose = Callable[[str, Sequence[tuple[str, str]]], str | None]
"""(response, options as (key, text)) -> key of the chosen option, None without one."""


@dataclass(frozen=True, slots=True)
class After:
    """A response that a job quotes.

    Attributes:
        job_id: id of the job that it answers.
        options: (key, text) of each option of that job's question.
        otherwise: text to use if the response chooses none of them.
    """

    job_id: str
    options: tuple[tuple[str, str], ...]
    otherwise: str

    @property
    def mark(self) -> str:
        """The placeholder of the response in the text of the dependent job."""
        return f"{{reply {self.job_id}}}"

    def told(self, response: str, choose: Choose) -> str:
        """``B) clipping``, or ``otherwise``; without options the first line in quotes."""
        if not self.options:
            first = next(filter(None, map(str.strip, response.splitlines())), "")
            return '"{}"'.format(first[:MOST].replace('"', "'"))
        key = choose(response, self.options)
        return f"{key}) {dict(self.options)[key]}" if key else self.otherwise


def filled(job: Job, replies: Mapping[str, str], choose: Choose) -> Job:
    """The job with its placeholders replaced by the earlier choices.

    Args:
        replies: response by job id; contains the jobs that this job depends on.
        choose: parses a response in the same way as scoring does.
    """
    user = job.user
    for one in job.after:
        user = user.replace(one.mark, one.told(replies[one.job_id], choose))
    return replace(job, user=user)
