"""The settings BL, KE and FC, which select the texts of a chain, and whose answers they restate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ontology.errors import UserError
from transforms.inference.prompts import Prompt


class Setting(StrEnum):
    """Baseline, knowledge-enhanced, full context."""

    BL = "BL"
    KE = "KE"
    FC = "FC"


class Context(StrEnum):
    """Whose answers to earlier stages are restated: the reference's or the model's own."""

    GOLD = "gold"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Telling:
    """A setting and its context.

    Attributes:
        context: None for the baseline, which restates nothing.
    """

    setting: Setting = Setting.BL
    context: Context | None = None

    @property
    def parts(self) -> Sequence[str]:
        """The texts besides the question, as placeholders of the prompt."""
        return {
            Setting.BL: (),
            Setting.KE: ("knowledge", "context"),
            Setting.FC: ("knowledge", "clue", "context"),
        }[self.setting]

    def check(self, prompt: Prompt) -> None:
        """Check that the prompt has a placeholder for every text of the setting.

        Raises:
            UserError: one is missing, so the setting would have no effect.
        """
        lacking = [("user", name) for name in self.parts if not prompt.uses("user", name)]
        inside = {Context.GOLD: "answers", Context.OWN: "reply"}
        if self.context and not prompt.uses(f"context: {self.context}", inside[self.context]):
            lacking.append((f"context: {self.context}", inside[self.context]))
        if lacking:
            section, name = lacking[0]
            raise UserError(
                f"the prompt lacks a placeholder that --setting {self.setting} needs",
                expected=f"{{{name}}} in section [{section}]",
                found=", ".join(f"no {{{name}}} in [{section}]" for section, name in lacking),
                where="--prompt",
                fix="copy its line from 'surgqa jobs --default-prompt'",
            )


def telling(setting: Setting | None, context: Context | None) -> Telling | None:
    """The setting from ``--setting`` and ``--context``; None without either.

    Raises:
        UserError: a context for a setting that restates no answers.
    """
    if setting is None and context is None:
        return None
    if setting in (None, Setting.BL):
        if context is not None:
            raise UserError(
                "no answers are restated in this setting",
                expected="--setting KE or --setting FC",
                found=f"--context {context}" + (f" with --setting {setting}" if setting else ""),
                where="--context",
            )
        return Telling()
    return Telling(setting, context or Context.GOLD)
