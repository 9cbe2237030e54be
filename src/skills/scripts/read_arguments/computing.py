"""What of Python and its library is computed: constants, operators, functions and methods, each within bounds."""

import ast
import builtins
import itertools
import json
import logging
import operator
import os
import re
import string
import sys
import textwrap

from source import clean_documentation
from values import BITS_MAX, CHARACTERS_MAX, ITEMS_MAX, NotKnown, PathText, Reference, Unknown
from values import is_plain, is_small, items_of, weight

JSON_CONTAINERS_MAX = 200
RESULT_MAX = 100 * CHARACTERS_MAX

CONSTANTS = {
    "argparse.SUPPRESS": "==SUPPRESS==",
    "argparse.REMAINDER": "...",
    "argparse.OPTIONAL": "?",
    "argparse.ZERO_OR_MORE": "*",
    "argparse.ONE_OR_MORE": "+",
    "argparse.PARSER": "A...",
    "argparse.BooleanOptionalAction": "boolean_optional",
    "argparse.ArgumentParser": Reference("argparse.ArgumentParser"),
    # The script will run on this interpreter and this machine.
    "sys.version_info": tuple(sys.version_info),
    "sys.platform": sys.platform,
    "os.name": os.name,
    "os.sep": os.sep,
    "os.path.sep": os.sep,
    "sys.maxsize": sys.maxsize,
}
for name in "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation".split():
    CONSTANTS["string." + name] = getattr(string, name)
for name in "DEBUG INFO WARNING WARN ERROR CRITICAL NOTSET".split():
    CONSTANTS["logging." + name] = getattr(logging, name)
NAMES_OF_OPERATORS = (
    "Add:add Sub:sub Mult:mul Div:truediv FloorDiv:floordiv Mod:mod Pow:pow LShift:lshift BitOr:or_ BitAnd:and_ "
    "USub:neg UAdd:pos Invert:invert Eq:eq NotEq:ne Lt:lt LtE:le Gt:gt GtE:ge Is:is_ IsNot:is_not"
)
OPERATORS = {
    getattr(ast, node): getattr(operator, function)
    for node, function in (pair.split(":") for pair in NAMES_OF_OPERATORS.split())
}
OPERATORS[ast.In] = lambda item, container: item in container
OPERATORS[ast.NotIn] = lambda item, container: item not in container
METHODS_OF = (str, list, dict, set, tuple)


def is_method(value, name):
    return type(value) in METHODS_OF and name[:1] != "_" and hasattr(value, name)


def listed(items=()):
    return list(items_of(items))  # None raises: it is not known


def product(*columns):
    lists = [listed(column) for column in columns]
    return list(itertools.islice(itertools.product(*lists), ITEMS_MAX + 1))  # one more: it is refused as too large


def json_value(text):
    if text.count("[") + text.count("{") > JSON_CONTAINERS_MAX:  # it could be nested too deeply to be read
        raise NotKnown
    return json.loads(text)


# Functions that may be given parsers and values that are not known.
ANY_CALLS = {
    "list": listed,
    "tuple": lambda items=(): tuple(listed(items)),
    "dict": dict,
    "collections.OrderedDict": dict,
    "enumerate": lambda items, start=0: list(enumerate(listed(items), start)),
    "zip": lambda *columns: list(zip(*map(listed, columns))),
    "itertools.chain": lambda *columns: [item for column in columns for item in listed(column)],
    "itertools.product": product,
    "reversed": lambda items: listed(items)[::-1],
    "len": lambda items: len(listed(items)),
    "sorted": lambda items, reverse=False: sorted(listed(items), reverse=reverse),
    "iter": listed,
    "next": lambda items, *default: (listed(items) + list(default))[0],  # of an iterator that is new
    # Scripts run with an environment that holds almost nothing: the fallback is what they will see.
    "os.environ.get": lambda name, default=None: default,
    "os.getenv": lambda name, default=None: default,
}
PLAIN_CALLS = {
    "typing.get_args": tuple,
    "json.loads": json_value,
    "textwrap.dedent": textwrap.dedent,
    "inspect.cleandoc": clean_documentation,
    "os.path.join": os.path.join,
    "os.path.basename": os.path.basename,
}
PLAIN_CALLS["type"] = lambda value: Reference(type(value).__name__)
for name in ("Path", "PurePath", "PosixPath", "PurePosixPath"):
    PLAIN_CALLS["pathlib." + name] = lambda *parts: PathText(os.path.join(*parts))
for name in "str int float bool repr set frozenset min max sum abs round any all range".split():
    PLAIN_CALLS[name] = getattr(builtins, name)


def has_wide_field(text):
    """Whether a format text could blow up: a width of four digits or more, or one that is computed."""
    return re.search(r"\d{4}|\*|\{[^{}]*\{", text) is not None


def check_growth(text, values, is_format):
    """Refuses to fill a text with values that are not plain, or so that it could become huge."""
    weights = [abs(value) if isinstance(value, int) else weight(value) for value in values]
    if None in weights or (len(text) + 1) * (1 + sum(weights)) > RESULT_MAX or (is_format and has_wide_field(text)):
        raise NotKnown(text if is_format else None)


def operate(operation, left, right):
    """The result of an operator."""
    if operation is ast.Div and (isinstance(left, PathText) or isinstance(right, PathText)):
        return PathText(os.path.join(left, right))
    if not (is_small(left) and is_small(right)):
        raise NotKnown
    if operation is ast.Mod and isinstance(left, str):
        check_growth(left, [right], is_format=True)
    if operation is ast.Mult and (hasattr(left, "__len__") or hasattr(right, "__len__")):
        sizes = [len(side) if hasattr(side, "__len__") else side for side in (left, right)]
        if sizes[0] * sizes[1] > CHARACTERS_MAX:
            raise NotKnown
    if operation in (ast.Pow, ast.LShift) and abs(right) > BITS_MAX:
        raise NotKnown
    return OPERATORS[operation](left, right)


def compute(name, call):
    """What a function of Python's or of its library returns."""
    if name == "sorted":  # the order by a key is not worth computing: it only orders a list of choices
        call.named.pop("key", None)
    if name.startswith("str."):
        return call_method(call.positional.pop(0), name[4:], call, Unknown(name))
    function = ANY_CALLS.get(name) or PLAIN_CALLS.get(name)
    values = call.values()
    if function is None or not all(map(is_small, values)) or (name in PLAIN_CALLS and not is_plain(values)):
        raise NotKnown
    return function(*call.positional, **call.named)


def call_method(receiver, name, call, unknown):
    """What a method of a text or a container returns; `unknown` is added for items that are not known."""
    if name in ("extend", "update"):
        return enlarge(receiver, call.positional + [call.named] * isinstance(receiver, dict), unknown)
    if isinstance(receiver, str):
        check_growth(receiver, call.values(), name.startswith("format"))
    if not all(map(is_small, call.values())):
        raise NotKnown
    result = getattr(receiver, name)(*call.positional, **call.named)
    enlarge(receiver, [], unknown)
    return list(result) if name in ("keys", "values", "items") else result


def enlarge(receiver, values, unknown):
    """Adds the items of all values to a container; one that became too large is not known any more."""
    for value in values:
        if isinstance(receiver, dict):
            receiver.update(value if isinstance(value, dict) else {unknown: None})
        else:
            items = items_of(value)
            (receiver.extend if isinstance(receiver, list) else receiver.update)([unknown] if items is None else items)
    if not is_small(receiver):
        receiver.clear()
        enlarge(receiver, [None], Unknown("more than can be read"))
