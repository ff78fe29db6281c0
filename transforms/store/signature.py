"""A detached signature of an output: Ed25519 over the bytes of its manifest.

The manifest contains the digest of every other file, so its signature covers all of them.  Keys are
PEM files as written by OpenSSL, and ``openssl pkeyutl`` can also verify the signature.
"""

from __future__ import annotations

from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from surgqa.ontology.errors import FileMissing, ValueInvalid
from surgqa.transforms.places import Place
from surgqa.transforms.store.folder import MANIFEST

SIGNATURE = "manifest.sig"


def private_key(file: Place) -> Ed25519PrivateKey:
    """Return the private key in a file.

    Raises:
        UserError: there is no such file, or it contains no Ed25519 key without a password.
    """
    return _key(file, "private", lambda data: load_pem_private_key(data, None), Ed25519PrivateKey)


def public_key(file: Place) -> Ed25519PublicKey:
    """Return the public key in a file.

    Raises:
        UserError: there is no such file, or it contains no Ed25519 key.
    """
    return _key(file, "public", load_pem_public_key, Ed25519PublicKey)


def _key(file: Place, which: str, load: Any, wanted: type) -> Any:
    if not file.is_file():
        raise FileMissing(f"the {which} key is missing", expected="a PEM file", found=str(file),
                          where=str(file), fix="check the path")  # fmt: skip
    try:
        key = load(file.read_bytes())
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        key, reason = None, str(error).splitlines()[0]
    else:
        reason = type(key).__name__
    if not isinstance(key, wanted):
        raise ValueInvalid(
            f"the {which} key cannot be used", expected=f"an Ed25519 {which} key in PEM, "
            "without a password", found=reason, where=str(file),
            fix="create one with: openssl genpkey -algorithm ed25519 -out key.pem; "
            "openssl pkey -in key.pem -pubout -out key.pub",
        )  # fmt: skip
    return key


def sign(out: Place, key: Ed25519PrivateKey) -> Place:
    """Write the signature of a finished output next to its manifest; return its path."""
    (out / SIGNATURE).write_bytes(key.sign((out / MANIFEST).read_bytes()))
    return out / SIGNATURE


def is_signed(out: Place, key: Ed25519PublicKey) -> bool:
    """Return whether the manifest was signed with this key; False without a signature."""
    if not (out / SIGNATURE).is_file():
        return False
    try:
        key.verify((out / SIGNATURE).read_bytes(), (out / MANIFEST).read_bytes())
    except InvalidSignature:
        return False
    return True
