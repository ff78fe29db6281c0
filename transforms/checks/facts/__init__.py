"""Derives facts a second time, in SQL, from the rows that readers wrote.

The tables ``facts``, ``holes``, ``looked``, ``samples`` and ``instants`` of ``evidence/``, on which
every proof depends, are computed again from ``videos``, ``events``, ``segments``, ``regions``,
``labels`` and ``moments`` and compared with the stored tables.  This package shares only the data
files of ``ontology/`` with the generator.
"""

from surgqa.transforms.checks.facts.held import hold_facts

__all__ = ["hold_facts"]
