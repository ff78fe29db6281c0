"""What the generator writes as an option, the check reads as the same value."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ontology.concepts import vocabulary
from ontology.knowledge import effect_of
from transforms.checks.chains.effects import read
from transforms.questions.chains.effects import told

TISSUES = sorted({*vocabulary("targets"), *vocabulary("structures")} - {"null_target"})


@pytest.mark.parametrize("tissue", TISSUES)
def test_every_effect_on_every_tissue(tissue: str) -> None:
    """Whatever the action of the chain is: wrong options tell the effects of other verbs."""
    chain = cast(Any, SimpleNamespace(text=lambda _: tissue))
    deed = cast(Any, SimpleNamespace(target=tissue))
    known = [found for verb in vocabulary("verbs") if (found := effect_of(verb, tissue))]
    assert known
    for effect in known:
        for right in {one.id for one in known}:
            truth = cast(Any, SimpleNamespace(what={"effect": right}))
            assert read(chain, truth, told(effect, deed)) == {"effect": effect.id}
