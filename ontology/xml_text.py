"""Parse XML safely: document types and custom entities are refused; line numbers are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from surgqa.ontology.errors import SourceBroken, SyntaxBroken


@dataclass(slots=True)
class Node:
    """An XML element.

    Attributes:
        line: number of the line where it starts, from 1.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Node] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list[Node]:
        """Return all children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def every(self, tag: str) -> Iterator[Node]:
        """Yield all elements with this tag inside this one."""
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.every(tag)

    def find(self, *tags: str) -> Node | None:
        """Return the first element at a path of tags; None if there is none."""
        node: Node | None = self
        for tag in tags:
            node = next(iter(node.all(tag)), None) if node else None
        return node

    def text_at(self, *tags: str) -> str:
        """Return the text at a path of tags; '' if there is no such element."""
        node = self.find(*tags)
        return node.text.strip() if node else ""


def read_xml(data: bytes, name: str) -> Node:
    """Return the outermost element of an XML file.

    Raises:
        SourceBroken: the file is not XML, is truncated, or has a document type.  Entities of
            a document type can expand without limit or refer to local files.
    """
    outer = Node("", {}, 0)
    stack = [outer]
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(node)
        stack.append(node)

    def end(tag: str) -> None:
        stack.pop()

    def text(part: str) -> None:
        stack[-1].text += part

    def refuse(*given: Any) -> None:
        raise _with_document_type(name, parser.CurrentLineNumber, given[0])

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise SyntaxBroken(
            f"{name} is not XML",
            expected="a whole XML file",
            found=expat.ErrorString(error.code),
            where=f"{name}:{error.lineno}:{error.offset + 1}",
            fix="export the file again",
        ) from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise SyntaxBroken(
            f"{name} is not XML", expected="text in UTF-8", found=str(error), where=f"{name}:1",
            fix="export the file again",
        ) from None  # fmt: skip
    return outer.children[0]


def _with_document_type(name: str, line: int, what: str) -> SourceBroken:
    return SourceBroken(
        f"{name} declares a document type, which annotation tools never do",
        expected="XML without <!DOCTYPE>",
        found=f"<!DOCTYPE {what}",
        where=f"{name}:{line}",
        fix="export the file again; this one may have been made to cause harm",
    )
