"""Items as dialogues: turns of a question, with images or clips, and its answer.

One dialogue contains all questions about a clip, or the stages of a chain in the order in which
they are asked, or the rounds of a stream, each of which shows the video since the round before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

PartKind = Literal["text", "image", "video"]
Part = tuple[PartKind, str]
"""(kind, text), or (kind, path of an image or clip in the export's folder)."""

LABELS = ("benchmark", "unit", "dataset", "video_id", "split", "split_group", "licence")


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with its images or clips, and its answer.

    Attributes:
        round_index: index of a stream's round; None if there are no rounds.
        parts: what is shown, in order: captions and images or clips, and the question last.
    """

    item_id: str
    round_index: int | None
    parts: tuple[Part, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One conversation.

    Attributes:
        id: id of the item or chain, or a digest of the clip.
        labels: what its items have in common, such as their dataset; keys are :data:`LABELS`.
        system: the system text, which comes first; may be empty.
    """

    id: str
    labels: Mapping[str, Any]
    system: str
    turns: tuple[Turn, ...]

    def media(self, kind: PartKind) -> list[str]:
        """Return the paths of all images, or of all clips, in the order in which they are shown."""
        return [text for turn in self.turns for name, text in turn.parts if name == kind]

    @property
    def split(self) -> str:
        """The split of the dialogue's items; ``train`` if the items have no split."""
        return str(self.labels["split"] or "train")


Message = dict[str, Any]
Content = Callable[[Sequence[Part]], Any]


def messages(dialogue: Dialogue, content: Content, system: bool = True) -> list[Message]:
    """Return the dialogue as messages with the roles system, user and assistant.

    Args:
        content: function that converts the parts of a turn to a message's content.
        system: True for a separate system message; False to put it before the first question.
    """
    out: list[Message] = []
    if system and dialogue.system:
        out.append({"role": "system", "content": content([("text", dialogue.system)])})
    for number, turn in enumerate(dialogue.turns):
        parts: Sequence[Part] = turn.parts
        if not number and not system and dialogue.system:
            parts = [*parts[:-1], ("text", f"{dialogue.system}\n\n{parts[-1][1]}")]
        out.append({"role": "user", "content": content(parts)})
        out.append({"role": "assistant", "content": content([("text", turn.answer)])})
    return out


def tagged(video: str = "<video>") -> Content:
    """Return a function that joins parts to one text, with a tag for each image or clip."""
    tags = {"image": "<image>", "video": video}

    def content(parts: Iterable[Part]) -> str:
        return "\n".join(tags.get(kind, text) for kind, text in parts)

    return content


def renamed(
    found: Iterable[Message], role: str, text: str, names: Mapping[str, str]
) -> list[Message]:
    """Return messages with other keys for role and text, and with other names of the roles."""
    return [{role: names[one["role"]], text: one["content"]} for one in found]
