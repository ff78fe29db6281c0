"""Asking a model: jobs made of items, pictures cut for them, replies paid for only once.

It knows items and media, no reader and no template.  :mod:`jobs` makes what may be shown of
an item, :mod:`engine` asks an endpoint, :mod:`command` a local program, and :mod:`journal`
keeps every reply before it counts.
"""
