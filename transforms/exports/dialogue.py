"""An item as a dialogue: pictures or clips, and turns of question and answer.

Questions about one clip are one dialogue, and so are the stages of a chain, asked in order, and the
rounds of a stream, which are turns in time: each shows what came since the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

PartKind = Literal["text", "image", "video"]
Part = tuple[PartKind, str]
"""A text, or the path of a picture or clip below the export's folder."""

LABELS = ("benchmark", "unit", "dataset", "video_id", "split", "split_group", "licence")


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with what is shown for it, and its answer.

    Attributes:
        round_index: of a stream's round; else None.
        parts: what is shown, captions and pictures in order, and the question last.
    """

    item_id: str
    round_index: int | None
    parts: tuple[Part, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One conversation.

    Attributes:
        id: the item's, the chain's, or a digest of the clip.
        labels: :data:`LABELS` of its items.
        system: what is said first; may be empty.
    """

    id: str
    labels: Mapping[str, Any]
    system: str
    turns: tuple[Turn, ...]

    def media(self, kind: PartKind) -> list[str]:
        """Paths of all pictures or clips, in the order in which they are shown."""
        return [text for turn in self.turns for name, text in turn.parts if name == kind]

    @property
    def split(self) -> str:
        """The split of its items."""
        return str(self.labels["split"] or "train")


Message = dict[str, Any]
Content = Callable[[Sequence[Part]], Any]


def messages(dialogue: Dialogue, content: Content, system: bool = True) -> list[Message]:
    """The dialogue as messages of the roles system, user and assistant.

    Args:
        content: how parts are put; all of a file in one way, so that it has one schema.
        system: whether the first text is a message of its own; else it stands before the first
            question.
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


def tagged(image: str = "<image>", video: str = "<video>") -> Content:
    """Parts as one text, with a tag where a picture or clip is shown."""
    tags = {"image": image, "video": video}

    def content(parts: Iterable[Part]) -> str:
        return "\n".join(tags.get(kind, text) for kind, text in parts)

    return content


def renamed(
    found: Iterable[Message], role: str, text: str, names: Mapping[str, str]
) -> list[Message]:
    """Messages with other keys and other names of the roles."""
    return [{role: names[one["role"]], text: one["content"]} for one in found]
