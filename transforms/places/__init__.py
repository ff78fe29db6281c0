"""Folders and files wherever they lie: on this machine, or in remote storage by its URL.

A local path stays a :class:`pathlib.Path`.  A URL becomes a :class:`RemotePath`, which
answers to the part of a path's methods that is used here, so that readers need not know
which of the two they hold.  Beam and a store's own packages are imported when a remote
place is first asked something, never for local work.
"""

from transforms.places.inside import below, check_links, inside
from transforms.places.remote import Place, RemotePath, place
from transforms.places.stores import configure
from transforms.places.trees import absolute, copy_tree, remove_tree, write_whole

__all__ = [
    "Place",
    "RemotePath",
    "absolute",
    "below",
    "check_links",
    "configure",
    "copy_tree",
    "inside",
    "place",
    "remove_tree",
    "write_whole",
]
