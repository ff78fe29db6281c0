"""One stage of a template: from a filling to a finished item."""

from __future__ import annotations

from ontology.keys import Key, digest
from ontology.records import Check, Item
from transforms.language.template import Stage, Template
from transforms.questions.answers import RULES
from transforms.questions.answers_window import WINDOW_RULES
from transforms.questions.bound import Filling
from transforms.questions.options import MAKERS
from transforms.questions.render import fill, prepare

ALL_RULES = {**RULES, **WINDOW_RULES}


class StageAsker:
    """A stage with everything looked up that does not depend on the filling.

    Args:
        chained: the template has several stages, so its items form a chain.
    """

    def __init__(self, template: Template, stage: Stage, number: int, chained: bool) -> None:
        self.template_id = template.id
        self.name = stage.name or ""
        self.number = number
        self.chained = chained
        self.rule = ALL_RULES[stage.answer.op]
        self.rule_args = dict(stage.answer.args)
        self.maker = MAKERS[stage.options.op] if stage.options else None
        self.maker_args = dict(stage.options.args) if stage.options else {}
        self.ask = [prepare(w) for w in stage.ask]
        self.wording_names = [f"ask[{i}]" for i in range(len(stage.ask))]
        self.answer = prepare(stage.answer_text)
        self.reasoning = [prepare(w) for w in stage.reasoning]
        texts = {"knowledge": stage.knowledge, "clue": stage.clue, "context": stage.context}
        self.extra = {name: prepare(w) for name, w in texts.items() if w is not None}

    def item(
        self, filling: Filling, slots: dict, identity: tuple, checks: tuple[Check, ...], key: Key
    ) -> Item | None:
        """The item, or None where there are too few certain wrong options."""
        key = key.extended(self.name)
        truth = self.rule(filling, self.rule_args)
        answer = fill(self.answer, filling.slots, truth.fields)
        options: tuple = ()
        if self.maker is not None:
            made = self.maker(filling, truth, self.maker_args, key)
            if made is None:
                return None
            options = made
            letter = next(o.key for o in options if o.is_answer)
            answer = f"{letter}) {answer}"
        wording = self.ask[key.extended("wording").choose(self.wording_names)]
        extra = {
            name: fill(pieces, filling.slots, truth.fields) for name, pieces in self.extra.items()
        }
        return Item(
            item_id=digest(*identity, self.name) if self.chained else digest(*identity),
            template_id=self.template_id,
            window=filling.window,
            question=fill(wording, filling.slots, {}),
            answer=answer,
            options=options,
            answer_value=truth.value,
            slots=slots,
            evidence=truth.evidence,
            checks=checks,
            reasoning=tuple(fill(w, filling.slots, truth.fields) for w in self.reasoning),
            chain_id=digest(*identity) if self.chained else None,
            stage=self.number + 1 if self.chained else None,
            **extra,
        )
