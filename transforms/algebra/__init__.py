"""The expressions of templates (language ``question/v1``): typed trees, and their operators.

A parsed template is a tree (:mod:`transforms.algebra.tree`). Each operator has a folder in
:mod:`transforms.algebra.operators` with its signature and three implementations: on one exact
timeline, with arrays, and in SQL. No module here depends on a benchmark, a dataset or a file.

Terms of this package:

- Fact: something that holds for a stretch of time, such as a phase or an instrument in view.
- Gap: a stretch in which a kind of fact was not annotated. A gap may hide unlisted facts.
- Possible world: one exact timeline that the labels allow.
- Filling: one assignment of values to the names of a template.
- Certain: the same in every possible world. A value is defined if it exists in every world.
- None: a value that certainly does not exist, such as the target of an act without one.
- Pattern: an expression that selects facts by kind, fields and time.
- Reference: the stretch or instant with which a pattern compares the times of facts.
- Node: one expression in the tree.
- n, m: in array shapes, the number of fillings and of elements (such as facts).
"""
