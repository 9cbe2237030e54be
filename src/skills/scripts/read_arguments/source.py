"""Texts and names in a script's source."""

import ast
import re
import textwrap

HELP_CHARACTERS_MAX = 1_000


def one_line(text):
    return " ".join(text.split())


def clip(text, length=HELP_CHARACTERS_MAX):
    return text if len(text) <= length else text[: length - 1] + "…"


def clean_documentation(text):
    first, _, rest = text.expandtabs().partition("\n")
    return (first.strip() + "\n" + textwrap.dedent(rest)).strip()


def first_paragraph(text):
    """The first paragraph on one line, clipped; None for a text without one."""
    return clip(one_line(re.split(r"\n[ \t]*\n", text.strip(), maxsplit=1)[0])) or None


def documentation_of(node):
    """The docstring of a module, class or function; None without one."""
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return clean_documentation(first.value.value) or None
    return None


def dotted(node):
    """"a.b.c" for such an expression; None for any other."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or len(names) > 20:
        return None
    return ".".join([node.id] + names[::-1])


def names_in(node):
    """All names and attributes inside."""
    return {
        inner.id if isinstance(inner, ast.Name) else inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, (ast.Name, ast.Attribute))
    }


CHANGING = frozenset(("append", "add", "extend", "insert", "update", "setdefault", "pop", "remove", "clear", "discard"))


def names_changed(node):
    """The names of containers that are filled or emptied inside."""
    found = set()
    for inner in ast.walk(node):
        is_item = isinstance(inner, ast.Subscript) and isinstance(inner.ctx, (ast.Store, ast.Del))
        if (is_item or isinstance(inner, ast.Attribute) and inner.attr in CHANGING) and isinstance(inner.value, ast.Name):
            found.add(inner.value.id)
    return found


def names_global(node):
    return {name for inner in ast.walk(node) if isinstance(inner, ast.Global) for name in inner.names}


def index_of(node):
    """The index of a subscript, which Python 3.8 wraps in a node of its own."""
    return node.slice.value if type(node.slice).__name__ == "Index" else node.slice
