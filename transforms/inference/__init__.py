"""Run a model on items: make jobs, cut their frames, call the model, and record every response.

This package knows items and media, but no reader and no template. :mod:`jobs` makes the public part
of an item, :mod:`engine` calls an endpoint, :mod:`command` a local program, and :mod:`journal`
stores every response before it counts. A job is the content of one call: a text and the instants of
its frames. The journal is the file of all responses of a run.
"""
