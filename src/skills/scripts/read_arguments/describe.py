"""A parser as JSON, in the words of python-report.ts."""

import ast
import re

from computing import CONSTANTS
from source import clip, first_paragraph, one_line
from values import CHARACTERS_MAX, PLAIN_SCALARS, Class, EnumMember, Function, Reference, Unknown, items_of, shown

CHOICES_MAX = 500
COMMAND_DEPTH_MAX = 3
SAFE_INTEGER_MAX = 2**53 - 1

SUPPRESS = CONSTANTS["argparse.SUPPRESS"]
TYPES = {"int": int, "float": float, "bool": bool}
VALUELESS_ACTIONS = frozenset(("store_true", "store_false", "store_const", "append_const", "count", "boolean_optional"))


def parser_json(parser, prog, unknown, depth=0):
    """What a parser takes; what of it could not be told is added to `unknown`."""
    arguments = [argument_json(argument, prog) for argument in parser.arguments]
    for argument in parser.arguments:
        unknown += argument.unknown
    place = {argument: index for index, argument in enumerate(parser.arguments)}
    exclusive = [
        {"members": [place[member] for member in group.members if member in place], "required": group.required}
        for group in parser.exclusive
    ]
    commands = None
    if parser.commands is not None and depth < COMMAND_DEPTH_MAX:
        commands = [
            {
                "name": command.name,
                "aliases": command.aliases,
                "hidden": command.help == SUPPRESS,
                "help": help_text(command.help, {"prog": prog}),
                "parser": parser_json(command, prog, unknown, depth + 1),
            }
            for command in parser.commands.parsers
        ]
    return {
        "description": first_paragraph(expanded(parser.values["description"], {"prog": prog}) or ""),
        "arguments": arguments,
        "exclusive": exclusive,
        "commands": commands,
    }


def argument_json(argument, prog):
    settings = argument.settings
    action = settings.get("action", "store")
    if isinstance(action, Unknown):
        argument.unknown.append("action of " + argument.dest + ": " + action.text)
    kind = type_name(settings.get("type"))
    nargs = setting(argument, "nargs", (int, str), own_nargs(argument))
    required = setting(argument, "required", (bool, int), False)
    default = settings["default"]
    if action in ("store_true", "store_false") and settings.get("default_implied") and default is None:
        default = action == "store_false"
    takes_value = action not in VALUELESS_ACTIONS
    choices = items_of(settings.get("choices"))
    listed = {} if choices is None else {"choices": ", ".join(shown(choice) for choice in choices[:CHOICES_MAX])}
    fields = dict(settings, dest=argument.dest, default=default, prog=prog, **listed)
    metavar = settings.get("metavar")
    return {
        "dest": argument.dest,
        "dest_given": argument.dest_given,
        "flags": argument.flags,
        "action": action if isinstance(action, str) else "custom",
        "nargs": nargs,
        "required": bool(required) if argument.flags else nargs not in ("?", "*", "..."),
        "type": kind,
        "choices": choices_of(argument, kind) if takes_value else None,
        "default": converted_default(default, kind if takes_value else None),
        "help": help_text(settings.get("help"), fields),
        "metavar": metavar if isinstance(metavar, str) else None,
        "hidden": settings.get("help") == SUPPRESS,
    }


def own_nargs(argument):
    """The `nargs` that an action class of the script's own hands on: `super().__init__(…, nargs=0)`."""
    action = argument.settings.get("action")
    first = action.member("__init__") if isinstance(action, Class) else None
    for inner in ast.walk(first.node) if isinstance(first, Function) else ():
        if isinstance(inner, ast.keyword) and inner.arg == "nargs" and isinstance(inner.value, ast.Constant):
            return inner.value.value
    return None


def setting(argument, name, kinds, fallback):
    value = argument.settings.get(name, fallback)
    if value is None or isinstance(value, kinds):
        return value
    argument.unknown.append(name + " of " + argument.dest + ": " + shown(value))
    return fallback


def type_name(value):
    if value is None:
        return "str"
    return value.name if isinstance(value, Reference) and value.name in ("int", "float", "bool", "str") else "other"


def scalar(value):
    """The JSON scalar for a value, or None where there is none that survives the way to JavaScript."""
    value = value.values["value"] if isinstance(value, EnumMember) else value
    if isinstance(value, int) and abs(value) > SAFE_INTEGER_MAX:
        return None
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value if isinstance(value, PLAIN_SCALARS) else None


def as_typed(value, kind):
    """A number may also be given to an argument that keeps texts."""
    return str(value) if kind in ("str", "other") else value


def converted_default(value, kind):
    """A default as argparse would hand it on: texts go through the type, and what is typed as text is shown as text."""
    value = scalar(value)
    if value is None or value == SUPPRESS:
        return None
    try:
        return scalar(TYPES[kind](value)) if isinstance(value, str) and kind in TYPES else as_typed(value, kind)
    except (ValueError, OverflowError):
        return None


def choices_of(argument, kind):
    """A list of words or numbers, {"from", "to"} for a range of whole numbers, or None."""
    value = argument.settings.get("choices")
    if value is None:
        return None
    if isinstance(value, range) and value.step == 1 and len(value) > 0 and kind == "int":
        return {"from": value.start, "to": value.stop - 1}
    items = items_of(value)
    words = None if items is None else [scalar(item) for item in items]
    if items is None or any(word is None and item is not None for word, item in zip(words, items)):
        text = shown(value) if items is None else "not all of them are known"
        argument.unknown.append("choices of " + argument.dest + ": " + text)
        return None
    return None if len(words) > CHOICES_MAX else [as_typed(word, kind) for word in words if word is not None]


def help_text(value, fields):
    text = None if value == SUPPRESS else expanded(value, fields)
    return clip(one_line(text)) if text else None


def expanded(value, fields):
    """A help or description text with its fields filled in; of one that is computed, the part that is known."""
    text = value.partial if isinstance(value, Unknown) else value
    if not isinstance(text, str) or not text.strip(" …"):
        return None

    def expand(match):
        name, layout = match.groups()
        if name is None:
            return "%"
        field = fields.get(name)
        try:
            return ("%" + layout) % (field if isinstance(field, (int, float)) else shown(field))
        except (TypeError, ValueError):
            return shown(field)

    return re.sub(r"%(?:%|\((\w+)\)([-+ #0]{0,3}\d{0,3}(?:\.\d{0,2})?[a-zA-Z]))", expand, text[:CHARACTERS_MAX])
