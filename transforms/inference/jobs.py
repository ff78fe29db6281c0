"""One job for every window or round: the text, the instants of its frames, and the jobs on which it
depends.

The text of a job that depends on others has one placeholder for each response that it quotes.  The
placeholder is replaced by the chosen option, never by the response itself, so that the model's
words do not become part of a later prompt.  For a question without options, the first line of the
response is quoted, shortened and in quotation marks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, NotRequired

import orjson
from typing_extensions import TypedDict

from surgqa.ontology.errors import RowInvalid
from surgqa.ontology.guarded import ErrorOf, read_as
from surgqa.ontology.keys import digest
from surgqa.ontology.units import asked_us
from surgqa.transforms.inference import windows
from surgqa.transforms.inference.frames import (
    IN_ORDER,
    MIXED,
    Habits,
    fine_step_us,
    frame_times,
    mixed_frames,
    named_us,
    shown_us,
)
from surgqa.transforms.inference.prompts import PromptSections, Wording

MOST = 200
"""Maximum number of quoted characters of a response to a question without options."""

Choose = Callable[[str, Sequence[tuple[str, str]]], str | None]
"""(response, options as (key, text)) -> key of the chosen option, None without one."""


@dataclass(frozen=True, slots=True)
class After:
    """A response that a job quotes.

    Attributes:
        job_id: id of the earlier job whose response is quoted.
        options: (key, text) of each option of that job's question.
        otherwise: text to use if the response chooses none of the options.
    """

    job_id: str
    options: tuple[tuple[str, str], ...]
    otherwise: str

    @property
    def mark(self) -> str:
        """The placeholder of the response in the text of the dependent job."""
        return f"{{reply {self.job_id}}}"

    def choice_text(self, response: str, choose: Choose) -> str:
        """Return the chosen option, such as ``B) clipping``, or ``otherwise``.

        Without options, the first line of the response is returned, in quotes.
        """
        if not self.options:
            first = next(filter(None, map(str.strip, response.splitlines())), "")
            return '"{}"'.format(first[:MOST].replace('"', "'"))
        key = choose(response, self.options)
        return f"{key}) {dict(self.options)[key]}" if key else self.otherwise


def filled(job: Job, replies: Mapping[str, str], choose: Choose) -> Job:
    """Return the job with its placeholders replaced by the earlier choices.

    Args:
        replies: response by job id; contains the jobs that this job depends on.
        choose: parses a response in the same way as scoring does.
    """
    user = job.user
    for one in job.after:
        user = user.replace(one.mark, one.choice_text(replies[one.job_id], choose))
    return replace(job, user=user)


NO_JOB = ErrorOf(
    "the line is not a job",
    "a line that 'surgqa jobs' wrote",
    "write the jobs again with 'surgqa jobs OUT --to JOBS'",
    RowInvalid,
)


class Medium(TypedDict):
    """The media from which a job's frames are cut."""

    path: str | None
    kind: str
    fps_num: int | None
    fps_den: int | None
    first: int
    sha256: NotRequired[str]


class JobFrame(TypedDict):
    """The time of a frame and the text before it; ``asked`` if the question names the time."""

    time_us: int
    caption: str | None
    asked: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class Job:
    """The content of one call.

    Attributes:
        job_id: digest of all other fields: a different text or window makes a different job.
        media: ``path`` relative to the dataset's root, ``kind``, and for a folder of frames
            ``fps_num``, ``fps_den`` and ``first``, the number of the frame at time 0; ``sha256``
            of the content if it is known.
        time_unit: ``sec``, ``frame`` or ``image``.
        frames: ``time_us`` and ``caption`` (or null) of each frame in display order, which is the
            order of time unless the question asks for that order.  ``asked`` is true if the
            question or an option names the instant, and absent otherwise.
        system, user: the texts of the messages.
        no_pictures: text that replaces the frames if none are sent.
        after: responses of other jobs that the text quotes; a line without any lacks the field.
        note: text about what the frames cannot show. A line without a note lacks the field.
    """

    job_id: str
    item_id: str
    round_index: int | None
    benchmark: str
    dataset: str
    video_id: str
    media: Medium
    time_unit: str
    start_us: int
    end_us: int
    frames: list[JobFrame]
    system: str
    user: str
    no_pictures: str
    after: tuple[After, ...] = ()
    note: str = ""

    def line(self) -> bytes:
        """Return the job as one line of JSON, including the line end."""
        entry = asdict(self)
        for name in OPTIONAL:
            if not entry[name]:
                del entry[name]
        return orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)

    @property
    def key(self) -> tuple[str, int | None]:
        """The item and round that a prediction refers to."""
        return self.item_id, self.round_index


OPTIONAL = ("after", "note")
NAMES = tuple(one.name for one in fields(Job) if one.name not in OPTIONAL)
"""Fields that every line of a file of jobs has."""

TOO_COARSE = "the answer may name an instant between two pictures: its labels are finer"


@dataclass(frozen=True, slots=True)
class JobTexts:
    """The texts that a prompt shows besides the question.

    Attributes:
        values: placeholders of the ``user`` section and their values.
        after: responses that the values quote.
    """

    values: dict[str, str | None] = field(default_factory=dict)
    after: tuple[After, ...] = ()


def jobs_of(
    row: Mapping[str, Any],
    prompt: PromptSections,
    every_us: int,
    clock: str,
    period_us: int,
    added: JobTexts | None = None,
    wording: Wording | None = None,
    habits: Habits | None = None,
) -> Iterator[Job]:
    """Yield the jobs of an item, in order of its rounds.

    Args:
        row: a row of ``data/``; only :data:`windows.COLUMNS`, :data:`frames.COLUMNS` and the
            columns of the wording are read.
        every_us: maximum distance between frames; if the frames of the video have an order but no
            clock, one frame counts as one second.
        clock: clock of the row's video, a :class:`Clock`.
        period_us: of the row's video.
        added: texts besides the question; none by default.
        wording: the texts of the row's benchmark, if it has its own.
        habits: properties of the templates, from :func:`frames.habits_of`.
    """
    added, wording, habits = added or JobTexts(), wording or Wording(), habits or Habits()
    texts, timed = wording.texts(row), row.get("template_id") in habits.timed
    alerts = row.get("template_id") in habits.alerts
    protocol = windows.protocol_of(row["temporal_mode"], alerts) if wording.protocol else None
    scale = windows.scale_of(row, clock, period_us)
    media = {key: row["media"][key] for key in ("path", "kind", "fps_num", "fps_den")}
    media["first"] = row["media"].get("first") or 0
    if content := row["media"].get("sha256"):
        media["sha256"] = content
    mixed = shown_us(row)
    named = named_us(row, scale.origin_us)
    for sight in windows.sights(row):
        values = _values(row, sight, scale, prompt, protocol) | added.values
        values["picture_order"] = MIXED if mixed else IN_ORDER
        step, note = _step(row, sight, scale.step_us(every_us), timed)
        content = {
            "item_id": row["item_id"],
            "round_index": sight.round_index,
            "benchmark": row["benchmark"],
            "dataset": row["dataset"],
            "video_id": row["video_id"],
            "media": media,
            "time_unit": scale.unit,
            "start_us": sight.start_us,
            "end_us": sight.end_us,
            "frames": mixed_frames(mixed, prompt) if mixed else _frames(
                sight, scale, None if texts else prompt, step, named),
            "system": texts.system if texts else prompt.render("system", values),
            "user": texts.user if texts else prompt.render("user", values),
            "no_pictures": prompt.render("no pictures", {}),
        }  # fmt: skip
        more: dict[str, Any] = {"after": added.after, "note": note}
        known = content | {name: one for name, one in more.items() if one}
        text = orjson.dumps(known, option=orjson.OPT_SORT_KEYS).decode()
        yield Job(job_id=digest("job", text), **more, **content)


def _step(
    row: Mapping[str, Any], sight: windows.ShownInterval, every_us: int, timed: bool
) -> tuple[int, str]:
    """Return the distance between frames, and the note about what the frames cannot show."""
    step_us = windows.step_of(row, sight, every_us)
    if not timed:
        return step_us, ""
    fine_us = fine_step_us(row, sight.end_us - sight.start_us)
    return (step_us, TOO_COARSE) if fine_us is None else (min(step_us, fine_us), "")


def _frames(
    sight: windows.ShownInterval,
    scale: windows.TimeScale,
    prompt: PromptSections | None,
    step_us: int,
    named: frozenset[int],
) -> list[dict[str, Any]]:
    """Return time and caption of each frame; without a prompt there are no captions."""
    if scale.unit == "image":
        return [{"time_us": sight.start_us, "caption": None}]
    times = frame_times(sight.start_us, sight.end_us, step_us, named)
    captions = [
        (prompt.render("frame", {"time": scale.text(time)}) if prompt else None) or None
        for time in times
    ]
    return [
        {"time_us": time, "caption": caption} | ({"asked": True} if time in named else {})
        for time, caption in zip(times, captions, strict=True)
    ]


def _values(
    row: Mapping[str, Any],
    sight: windows.ShownInterval,
    scale: windows.TimeScale,
    prompt: PromptSections,
    protocol: str | None,
) -> dict[str, str | None]:
    options = [(option["key"], option["text"]) for option in row["options"] or ()]
    letters = {"letters": _either([key for key, _ in options])}
    query_us = asked_us(row)
    # An alert is never a letter, whatever the form of the item.
    form = "choice" if options else row["form"]
    form = None if protocol == windows.protocol_of(None, alerts=True) else form
    return letters | {
        "task_mode": (row["task_mode"] or "").replace("_", " ") or None,
        "temporal_mode": row["temporal_mode"],
        "query_time": None if query_us is None else scale.text(query_us),
        "start": scale.text(sight.start_us),
        "end": scale.text(sight.end_us),
        "question": row["question"],
        "options": "\n".join(f"{key}) {text}" for key, text in options),
        "protocol": protocol,
        "protocol_rule": prompt.render(f"rule: {protocol}", {}),
        "answer_rule": prompt.render(f"answer: {form}", letters),
    }


def _either(keys: list[str]) -> str:
    return f"{', '.join(keys[:-1])} or {keys[-1]}" if len(keys) > 1 else "".join(keys)


def job_of(line: bytes, where: str) -> Job:
    """Return a job from its line.

    Raises:
        UserError: the line is not a job.
    """
    return read_as(Job, line, where, NO_JOB)
