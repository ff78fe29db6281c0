"""What models and rules find in a video: one folder each, every model in an optional extra.

Nothing here imports Beam, templates or datasets. A heavy library is imported inside the function
that needs it, so a process that runs no model never loads one.

Terms of this room:

- Extractor: a model or a rule that computes rows from frames or sound.
- Observer: a rule that computes one kind of fact from other facts.
- Identity: everything of an extractor that its rows depend on. It is part of the cache key.
- Track: the boxes of one object, linked over time.
- Anchor: a phase, action, instrument or tissue that is mentioned in speech, with its time.
- Medium, sample, trusted frame: see :mod:`surgqa.transforms.media`.
"""
