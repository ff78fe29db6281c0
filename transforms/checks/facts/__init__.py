"""Facts made a second time, in SQL, from the rows that readers gave.

The tables ``facts``, ``holes``, ``looked``, ``samples`` and ``instants`` of ``evidence/``, on which
every proof stands, are worked out again from ``videos``, ``events``, ``segments``, ``regions``,
``labels`` and ``moments`` and held against those that were written.  With the generator this room
shares the data files of ``ontology/`` and nothing else.
"""

from transforms.checks.facts.held import hold_facts

__all__ = ["hold_facts"]
