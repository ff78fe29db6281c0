"""Folders and files on this machine or, by URL, in remote storage.

A local path stays a :class:`pathlib.Path`. A URL becomes a :class:`RemotePath`, which has the
methods of a path that are used in this project, so readers handle both alike. Beam and a store's
own packages are imported at the first access to a remote file or folder, never for local work.
"""

from surgqa.transforms.places.inside import below, check_links, inside
from surgqa.transforms.places.remote import Place, RemotePath, place
from surgqa.transforms.places.stores import configure
from surgqa.transforms.places.trees import absolute, copy_tree, remove_tree, write_whole

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
