"""Make items from templates and the evidence of videos, or state why there is none.

Terms of this package:

- Template: one YAML file that describes a question. A program is the parsed template.
- Unit: the clip, stretch of time or event that gets at most one item of a template.
- Filling: values for all names of the template's ``let``, that is, one possible question. A unit
  can have many fillings; at most one of them becomes an item.
- Certain: the same in every course of the operation that the annotations allow.
- Draw: order the fillings of each unit by hash keys, which depend on the seed and on the unit.
- Stage: one question of a filling. A chain has several stages; any other template has one.
- Try: a filling with its windows at certain positions. A filling of a chain has several tries.
- Distractor: a wrong option. A pool is a source of distractors, listed in the template's ``wrong``.
- Exchange: use the correct answers of other questions about the same video as distractors.
- Block: questions that share their correct answers as options.
- Round: a time at which a streaming question is asked again.
"""
