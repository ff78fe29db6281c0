"""Values of options, converted to settings, and the errors about values that cannot be used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from surgqa.ontology.errors import UnknownName, UserError, ValueInvalid
from surgqa.ontology.names import closest
from surgqa.pipeline.cli.console import talk

if TYPE_CHECKING:
    from surgqa.transforms.places import Place
    from surgqa.transforms.store import OutputFolder

_MANY = 12


def unknown(kind: str, name: str, known: Iterable[str], more: str) -> UserError:
    """Return the error for an unknown name; it suggests the closest known name.

    Args:
        kind: what the name should be, such as ``benchmark``.
        name: the name that the user typed.
        known: existing names; listed if there are few.
        more: the command that lists the known names.
    """
    names = sorted(known)
    close = closest(name, names)
    shown = ", ".join(names) if len(names) <= _MANY else f"one of {len(names)} names, see '{more}'"
    return UnknownName(f"no {kind} is called {name!r}", expected=shown, found=name,
                       fix=f"did you mean {close}?" if close else f"see '{more}'")  # fmt: skip


def pairs_of(
    given: Sequence[str] | None, option: str, what: str, expected: str
) -> Mapping[str, str]:
    """Return the values of a repeated option of the form ``KEY=VALUE`` by key.

    Args:
        what: what one value of the option is, such as ``a dataset's folder``.
        expected: the form, with an example.

    Raises:
        UserError: a value has another form, or two values have the same key.
    """
    out: dict[str, str] = {}
    for text in given or ():
        key, sign, value = text.partition("=")
        if not (key and sign and value) or key in out:
            raise ValueInvalid(f"{option} names {key} twice" if key in out else f"not {what}",
                               expected=expected, found=text, where=option,
                               fix=f"write {option} {expected.partition(',')[0]}")  # fmt: skip
        out[key] = value
    return out


def roots_of(given: Sequence[str] | None, folder: OutputFolder | None = None) -> dict[str, Place]:
    """Return the folder of each dataset, from the values ``DATASET=DIR`` of ``--root``.

    Args:
        folder: the output that the datasets belong to, if they belong to one.

    Raises:
        UserError: a value has another form, a dataset is given twice or is not in the output, or
            its folder does not exist.
    """
    from surgqa.transforms.places import place

    form = "DATASET=DIR, such as cholect50=/data/cholect50, each dataset once"
    found = pairs_of(given, "--root", "a dataset's folder", form)
    roots = {name: place(where) for name, where in found.items()}
    if folder:
        folder.require_roots(roots)
    return roots


def rate_of(text: str | None, option: str = "--rate") -> Fraction | None:
    """Return a frame rate that the user typed, exactly; None without one.

    Raises:
        UserError: the rate is not a number above 0.
    """
    try:
        rate = None if text is None else Fraction(text)
    except (ValueError, ZeroDivisionError):
        rate = Fraction(0)
    if rate is not None and rate <= 0:
        raise ValueInvalid("not a frame rate", found=str(text), where=option,
                           expected="a number above 0, such as 25 or 30000/1001")  # fmt: skip
    return rate


def held_of(texts: Sequence[str] | None) -> dict[str, list[str]] | None:
    """Return the run's ``hold_out`` setting, or None without one.

    Raises:
        UserError: a text does not have the required form.
    """
    from surgqa.ontology.splits import HOLD_OUT

    out: dict[str, list[str]] = {}
    for text in texts or ():
        key, _, value = text.partition("=")
        if key not in HOLD_OUT or not value:
            raise ValueInvalid(
                "not a criterion for holding out videos", found=text, where="--hold-out",
                expected=" or ".join(f"{one}=VALUE" for one in HOLD_OUT),
            )  # fmt: skip
        out.setdefault(key, []).append(value)
    return out or None


def allowed_failures(text: str) -> float:
    """Return how many videos may fail: 3.0 for ``3``, or as a share of all, 0.01 for ``1%``.

    Raises:
        UserError: the text is neither.
    """
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = -1.0
    share = number / 100 if text.endswith("%") else number
    whole = text.endswith("%") or share.is_integer() or share < 1
    if not 0 <= share < float("inf") or not whole or (text.endswith("%") and share >= 1):
        raise ValueInvalid(
            "not a number of videos",
            expected="a whole number such as 3, or a share such as 1%",
            found=text,
            where="--max-failed",
        )
    return share


def balance_of(name: str | None, modal_cap: float | None) -> dict[str, Any] | None:
    """Return the run's ``balance`` setting, or None if neither option is given."""
    given = {"by": name, "modal_cap": modal_cap}
    return {key: value for key, value in given.items() if value is not None} or None


def hidden_of(roots: Iterable[str], blur: bool | None) -> tuple[tuple[str, str], ...]:
    """Return datasets whose faces and on-screen texts are hidden, each with the method.

    Args:
        roots: names of the datasets whose media are cut.
        blur: True hides faces and texts in all videos, False in none; None: only in user-supplied
            videos.

    Raises:
        PackageMissing: the package that finds faces and texts is not installed.
    """
    from surgqa.transforms.evidence.privacy.clean import hiding
    from surgqa.transforms.evidence.privacy.settings import PrivacySettings
    from surgqa.transforms.registry import card, datasets

    known = set(datasets())
    chosen = [name for name in sorted(roots)
              if (name in known and card(name).private if blur is None else blur)]  # fmt: skip
    if not chosen:
        return ()
    how = hiding(PrivacySettings())
    return tuple((name, how) for name in chosen)


def tell_hidden(datasets: Collection[str]) -> None:
    """Print the datasets in whose frames faces and texts are hidden, if there are any."""
    if datasets:
        talk.say(f"faces and texts are hidden in {', '.join(datasets)}: check the files, because "
                 "detectors miss some")  # fmt: skip
