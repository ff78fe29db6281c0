"""Which questions this evidence allows: binding slots, truth, wrong options."""

from transforms.questions.ask import Asked, ask

__all__ = ["Asked", "ask"]
