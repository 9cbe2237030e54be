"""Reads from their syntax trees what Python scripts take on the command line. No script is imported or run.

stdin: a JSON list of paths. stdout: one JSON object a line for each, in order (`describe_file` says what is in it).
Started as `python -I -S -X utf8 read_arguments.py`. Standard library only, Python 3.8 or newer.

A small interpreter walks the statements that build an argparse parser. It knows plain values, functions and classes of
the same file, and parsers; everything else becomes `Unknown`, and an Unknown where it matters is reported by name.
Both arms of a branch are taken when its condition is not known.

Covered: loops over literals, helper functions and methods, parents, groups, sub-parsers, computed constants.
Not covered: values from other modules, files, or functions with branches; which of two parsers is picked at run time.
"""

import ast
import builtins
import json
import operator
import os
import re
import stat
import sys
import textwrap
import time
import warnings

FILE_BYTES_MAX = 1024 * 1024
STEPS_MAX = 400_000  # the largest real script needs about 20,000
SECONDS_MAX = 5.0  # a net below the step count, for a slow machine
CALL_DEPTH_MAX = 8
EXPRESSION_DEPTH_MAX = 80
ITEMS_MAX = 5_000
CHARACTERS_MAX = 100_000
BITS_MAX = 256
LOOP_ITEMS_MAX = 2_000  # over all loops that touch no parser
CHOICES_MAX = 500
ARGUMENTS_MAX = 500
COMMANDS_MAX = 200
EXCERPT_BYTES_MAX = 400
HELP_CHARACTERS_MAX = 1_000
SAFE_INTEGER_MAX = 2**53 - 1

SUPPRESS = "==SUPPRESS=="
CONSTANTS = {
    "argparse.SUPPRESS": SUPPRESS,
    "argparse.REMAINDER": "...",
    "argparse.OPTIONAL": "?",
    "argparse.ZERO_OR_MORE": "*",
    "argparse.ONE_OR_MORE": "+",
    "argparse.PARSER": "A...",
    # The script will run on this interpreter and this machine.
    "sys.version_info": tuple(sys.version_info),
    "sys.platform": sys.platform,
    "os.name": os.name,
    "os.sep": os.sep,
    "sys.maxsize": sys.maxsize,
}
PARSER_CLASS = "argparse.ArgumentParser"
PARSING = ("parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args")
PARSER_WORDS = frozenset(
    ("ArgumentParser", "add_argument", "add_argument_group", "add_mutually_exclusive_group", "add_subparsers")
    + ("add_parser", "set_defaults")
    + PARSING
)
# Frameworks that read the command line themselves in ways that are not read here.
OTHER_PARSERS = frozenset(
    ("absl", "argparse", "click", "docopt", "fire", "getopt", "hydra", "jsonargparse", "optparse", "plac", "tap")
    + ("typer", "tyro")
)
# Calls that modules make at import without being programs.
PREPARING_CALLS = frozenset(
    ("sys.path.insert", "sys.path.append", "logging.basicConfig", "warnings.filterwarnings", "warnings.simplefilter")
    + ("load_dotenv", "dotenv.load_dotenv")
)


class TooMuch(Exception):
    """The script takes more steps to read than any real one."""


# --- the values the interpreter knows, besides Python's own plain ones -------------------------------------------


class Unknown:
    def __init__(self, text, partial=None):
        self.text = text
        self.partial = partial  # for texts: what is known of it, "…" for the rest


class Reference:
    """Something of another module or of the builtins, by its full name."""

    def __init__(self, name):
        self.name = name


class Bound:
    def __init__(self, receiver, name):
        self.receiver = receiver
        self.name = name


class Function:
    def __init__(self, node, scope, receiver=None):
        self.node = node
        self.scope = scope
        self.receiver = receiver


class Class:
    def __init__(self, name, bases, scope):
        self.name = name
        self.bases = bases
        self.scope = scope

    def ancestors(self, depth=0):
        yield self
        for base in self.bases if depth < CALL_DEPTH_MAX else ():
            if isinstance(base, Class):
                yield from base.ancestors(depth + 1)

    def has_base(self, *names):
        return any(isinstance(b, Reference) and b.name in names for c in self.ancestors() for b in c.bases)

    def is_enumeration(self):
        return self.has_base("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag")

    def member(self, name):
        for cls in self.ancestors():
            if name in cls.scope.values:
                value = cls.scope.values[name]
                if cls.is_enumeration() and not isinstance(value, Function):
                    return EnumMember(name, value)
                return value
        return None

    def members(self):
        named = [name for name in self.scope.values if not name.startswith("_")]
        return [m for m in (self.member(name) for name in named) if isinstance(m, EnumMember)]


class EnumMember:
    def __init__(self, name, value):
        self.name = name
        self.value = value


class Instance:
    def __init__(self, cls):
        self.cls = cls
        self.values = {}


class Super:
    def __init__(self, receiver):
        self.receiver = receiver


class PathText:
    def __init__(self, text):
        self.text = text


class Argument:
    def __init__(self, flags, dest, dest_given, settings):
        self.flags = flags
        self.dest = dest
        self.dest_given = dest_given
        self.settings = settings
        self.unknown = []


class Parser:
    def __init__(self, cls=None):
        self.cls = cls
        self.values = {}
        self.arguments = []
        self.exclusive = []
        self.commands = None
        self.description = None
        self.documentation = None
        self.prog = None
        self.defaults = {}
        self.argument_default = None
        self.prefixes = "-"
        self.resolves_conflicts = False

    def accept(self, argument):
        """Adds the argument. A flag that is already there is another arm of a branch, unless conflicts are resolved."""
        if self.resolves_conflicts:
            for earlier in self.arguments:
                earlier_flags = [flag for flag in earlier.flags if flag not in argument.flags]
                if earlier.flags and not earlier_flags:
                    self.arguments = [kept for kept in self.arguments if kept is not earlier]
                earlier.flags = earlier_flags
        if len(self.arguments) >= ARGUMENTS_MAX:
            raise TooMuch
        taken = {flag for earlier in self.arguments for flag in earlier.flags}
        names = {earlier.dest for earlier in self.arguments if not earlier.flags}
        if any(flag in taken for flag in argument.flags) or (not argument.flags and argument.dest in names):
            return False
        self.arguments.append(argument)
        return True

    def inherit(self, parent):
        for argument in parent.arguments:
            self.accept(argument)
        self.exclusive = (self.exclusive + parent.exclusive)[:ARGUMENTS_MAX]
        self.defaults.update(parent.defaults)


class Group:
    def __init__(self, parser, exclusive=None):
        self.parser = parser
        self.exclusive = exclusive


class Exclusive:
    def __init__(self, required):
        self.required = required
        self.members = []


class Commands:
    def __init__(self, parser):
        self.parser = parser
        self.entries = []


class Scope:
    """Names and their values. A branch writes into a scope of its own, which is merged afterwards."""

    def __init__(self, parent=None, branch=False):
        self.values = {}
        self.parent = parent
        self.globals = parent.globals if branch else set()
        self.module = parent.module if parent else self

    def get(self, name):
        scope = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        return None

    def has(self, name):
        scope = self
        while scope is not None:
            if name in scope.values:
                return True
            scope = scope.parent
        return False

    def set(self, name, value):
        (self.module if name in self.globals else self).values[name] = value


PARSER_VALUES = (Parser, Group, Commands)
PLAIN_SCALARS = (str, int, float, bool, type(None))


# --- small pure helpers ------------------------------------------------------------------------------------------


def one_line(text):
    return " ".join(text.split())


def clip(text, length):
    return text if len(text) <= length else text[: length - 1] + "…"


def clean_documentation(text):
    first, _, rest = text.expandtabs().partition("\n")
    return (first.strip() + "\n" + textwrap.dedent(rest)).strip()


def first_paragraph(text):
    for paragraph in re.split(r"\n[ \t]*\n", text.strip()):
        if paragraph.strip():
            return clip(one_line(paragraph), HELP_CHARACTERS_MAX)
    return None


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


def index_of(node):
    """The index of a subscript, which Python 3.8 wraps in a node of its own."""
    return node.slice.value if type(node.slice).__name__ == "Index" else node.slice


def is_plain(value, depth=0):
    """Whether the value holds nothing but texts, numbers and containers of them."""
    if isinstance(value, PLAIN_SCALARS + (bytes, range)):
        return True
    if depth > 8:
        return False
    if isinstance(value, dict):
        return all(is_plain(k, depth + 1) and is_plain(v, depth + 1) for k, v in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(is_plain(item, depth + 1) for item in value)
    return False


def named(value):
    """How a value that is not known is called in a diagnostic."""
    return value.text if isinstance(value, Unknown) else getattr(value, "name", None) or type(value).__name__


def is_equal(one, other):
    return type(one) is type(other) and is_plain(one) and is_plain(other) and one == other


def is_small(value):
    if isinstance(value, (str, bytes)):
        return len(value) <= CHARACTERS_MAX
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        return len(value) <= ITEMS_MAX
    if isinstance(value, range):
        return abs(value.start) < 2**62 and abs(value.stop) < 2**62 and len(value) <= ITEMS_MAX
    if isinstance(value, int):
        return value.bit_length() <= BITS_MAX
    return True


def has_wide_field(text):
    """Whether a format text could blow up: a width of four digits or more, or one that is computed."""
    return re.search(r"\d{4}|\*|\{[^{}]*\{", text) is not None


def truth(value):
    """True, False, or None where it cannot be told."""
    if isinstance(value, PARSER_VALUES):
        return True
    if isinstance(value, PLAIN_SCALARS + (list, tuple, dict, set, frozenset, range)):
        return bool(value)
    return None


def items_of(value):
    """The items a loop over the value would see, or None where that is not known."""
    if isinstance(value, Class) and value.is_enumeration():
        return value.members()
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, (list, tuple, dict, str, range)) and is_small(value):
        return list(value)
    return None


def is_method(value, name):
    return any(isinstance(value, kind) and name in allowed for kind, allowed in METHODS.items())


def sorted_items(items, key=None, reverse=False):
    # The order by a key is not worth computing: it only orders a list of choices.
    return sorted(items, reverse=bool(reverse))


def multiplied(left, right):
    for text, count in ((left, right), (right, left)):
        if isinstance(text, (str, list, tuple)) and (not isinstance(count, int) or len(text) * count > CHARACTERS_MAX):
            raise ValueError("too long")
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > BITS_MAX:
        raise ValueError("too large")
    return left * right


def raised(left, right):
    if not isinstance(right, int) or abs(right) > BITS_MAX or (isinstance(left, int) and left.bit_length() > 32):
        raise ValueError("too large")
    return left**right


def shifted(left, right):
    if right > BITS_MAX:
        raise ValueError("too large")
    return left << right


def remainder(left, right):
    if isinstance(left, str) and has_wide_field(left):
        raise ValueError("too wide")
    return left % right


OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: multiplied,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: remainder,
    ast.Pow: raised,
    ast.LShift: shifted,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}
# Functions that may hold parsers and unknown values among their items.
CONTAINER_CALLS = {
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "collections.OrderedDict": dict,
    "enumerate": lambda items, start=0: list(enumerate(items, start)),
    "zip": lambda *items: list(zip(*items)),
    "reversed": lambda items: list(items)[::-1],
    "len": len,
}
PURE_CALLS = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "repr": repr,
    "set": set,
    "frozenset": frozenset,
    "sorted": sorted_items,
    "min": min,
    "max": max,
    "sum": sum,
    "abs": abs,
    "round": round,
    "any": any,
    "all": all,
    "range": range,
    "textwrap.dedent": textwrap.dedent,
    "inspect.cleandoc": clean_documentation,
    "os.path.join": os.path.join,
    "os.path.basename": os.path.basename,
    # Scripts run with an environment that holds almost nothing: the fallback is what they will see.
    "os.environ.get": lambda name, default=None: default,
    "os.getenv": lambda name, default=None: default,
}
VALUELESS_ACTIONS = frozenset(("store_true", "store_false", "store_const", "append_const", "count", "boolean_optional"))
PATH_CALLS = frozenset(("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath"))
EXITS = frozenset(("sys.exit", "exit", "quit", "os._exit"))
METHODS = {
    str: frozenset(
        ("format", "join", "upper", "lower", "title", "capitalize", "strip", "lstrip", "rstrip", "replace", "split")
        + ("splitlines", "startswith", "endswith")
    ),
    list: frozenset(("append", "extend", "insert", "pop", "copy", "index", "remove", "sort", "reverse")),
    dict: frozenset(("keys", "values", "items", "get", "update", "copy", "setdefault", "pop")),
    set: frozenset(("add", "update", "union", "copy", "discard")),
    tuple: frozenset(("index", "count")),
}


# --- the interpreter ---------------------------------------------------------------------------------------------


class Call:
    """The evaluated arguments of one call; `open_list` and `open_names` are a `*x` or `**x` that is not known."""

    def __init__(self):
        self.positional = []
        self.named = {}
        self.open_list = None
        self.open_names = None

    def argument(self, index, name, default=None):
        if name in self.named:
            return self.named[name]
        return self.positional[index] if index is not None and len(self.positional) > index else default

    def is_open(self):
        return self.open_list is not None or self.open_names is not None


class Evaluator:
    """Expressions to values. Never raises but for TooMuch."""

    def __init__(self, tree, source):
        self.tree = tree
        self.lines = source.split(b"\n")
        self.documentation = documentation_of(tree)
        self.module = Scope()
        self.unknown = []
        self.steps = 0
        self.depth = 0
        self.deadline = None

    def spend(self):
        self.steps += 1
        if self.deadline is None:
            self.deadline = time.monotonic() + SECONDS_MAX
        if self.steps > STEPS_MAX or (self.steps % 1024 == 0 and time.monotonic() > self.deadline):
            raise TooMuch

    def text_of(self, node):
        """The source of an expression, on one line and clipped, to name it in a diagnostic."""
        line = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else b""
        end = node.end_col_offset if node.end_lineno == node.lineno else len(line)
        end = min(end, node.col_offset + EXCERPT_BYTES_MAX)
        text = one_line(line[node.col_offset : end].decode("utf-8", "replace"))
        return clip(text if node.end_lineno == node.lineno else text + " …", 80)

    def evaluate(self, node, scope):
        self.spend()
        read = getattr(self, "value_of_" + type(node).__name__, None)
        if read is None or self.depth >= EXPRESSION_DEPTH_MAX:
            return Unknown(self.text_of(node))
        self.depth += 1
        try:
            value = read(node, scope)
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError):
            value = Unknown(self.text_of(node))
        finally:
            self.depth -= 1
        # A range is never unrolled here, so that a large one may pass on to become a minimum and a maximum.
        return value if isinstance(value, range) or is_small(value) else Unknown(self.text_of(node))

    def value_of_Constant(self, node, scope):
        return node.value

    def value_of_Name(self, node, scope):
        if scope.has(node.id):
            return scope.get(node.id)
        if node.id == "__name__":
            return "__main__"
        if node.id == "__doc__":
            return self.documentation
        return Reference(node.id) if hasattr(builtins, node.id) else Unknown(node.id)

    def value_of_NamedExpr(self, node, scope):
        value = self.evaluate(node.value, scope)
        scope.set(node.target.id, value)
        return value

    def value_of_Await(self, node, scope):
        return self.evaluate(node.value, scope)

    def value_of_List(self, node, scope):
        items = []
        for element in node.elts:
            if not isinstance(element, ast.Starred):
                items.append(self.evaluate(element, scope))
                continue
            inner = items_of(self.evaluate(element.value, scope))
            items += [Unknown(self.text_of(element))] if inner is None else inner
        return items

    def value_of_Tuple(self, node, scope):
        return tuple(self.value_of_List(node, scope))

    def value_of_Set(self, node, scope):
        return set(self.value_of_List(node, scope))

    def value_of_Dict(self, node, scope):
        result = {}
        for key, value in zip(node.keys, node.values):
            item = self.evaluate(value, scope)
            if key is not None:
                result[self.evaluate(key, scope)] = item
            elif isinstance(item, dict):
                result.update(item)
            else:
                result[Unknown(self.text_of(value))] = item
        return result

    def value_of_UnaryOp(self, node, scope):
        value = self.evaluate(node.operand, scope)
        if isinstance(node.op, ast.Not):
            known = truth(value)
            return Unknown(self.text_of(node)) if known is None else not known
        return -value if isinstance(node.op, ast.USub) else +value

    def value_of_BinOp(self, node, scope):
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        if isinstance(left, PathText) or isinstance(right, PathText):
            parts = [side.text if isinstance(side, PathText) else side for side in (left, right)]
            return PathText(os.path.join(*parts)) if isinstance(node.op, ast.Div) else Unknown(self.text_of(node))
        if isinstance(node.op, ast.Add) and (isinstance(left, Unknown) or isinstance(right, Unknown)):
            parts = [side.partial if isinstance(side, Unknown) else side for side in (left, right)]
            known = [part if isinstance(part, str) else "…" for part in parts]
            return Unknown(self.text_of(node), clip("".join(known), CHARACTERS_MAX))
        if not (is_small(left) and is_small(right)):
            raise ValueError("too large")
        return OPERATORS[type(node.op)](left, right)

    def value_of_BoolOp(self, node, scope):
        stops_at = isinstance(node.op, ast.Or)
        result = None
        for operand in node.values:
            result = self.evaluate(operand, scope)
            known = truth(result)
            if known is None:
                return Unknown(self.text_of(node))
            if known is stops_at:
                return result
        return result

    def value_of_Compare(self, node, scope):
        left = self.evaluate(node.left, scope)
        for sign, comparator in zip(node.ops, node.comparators):
            right = self.evaluate(comparator, scope)
            if not (is_plain(left) and is_plain(right)):
                return Unknown(self.text_of(node))
            if not COMPARISONS[type(sign)](left, right):
                return False
            left = right
        return True

    def value_of_IfExp(self, node, scope):
        known = truth(self.evaluate(node.test, scope))
        if known is None:
            return Unknown(self.text_of(node))
        return self.evaluate(node.body if known else node.orelse, scope)

    def value_of_JoinedStr(self, node, scope):
        parts, whole = [], True
        for piece in node.values:
            value = self.evaluate(piece.value if isinstance(piece, ast.FormattedValue) else piece, scope)
            if isinstance(piece, ast.FormattedValue):
                value = self.formatted(piece, value, scope)
            whole = whole and not isinstance(value, Unknown)
            parts.append("…" if isinstance(value, Unknown) else str(value))
        text = clip("".join(parts), CHARACTERS_MAX)
        return text if whole else Unknown(self.text_of(node), text)

    def formatted(self, piece, value, scope):
        if isinstance(value, PathText):
            value = value.text
        layout = self.evaluate(piece.format_spec, scope) if piece.format_spec else ""
        if not is_plain(value) or not isinstance(layout, str) or has_wide_field(layout):
            return Unknown(self.text_of(piece.value))
        return format(repr(value) if piece.conversion == ord("r") else value, layout)

    def value_of_Attribute(self, node, scope):
        base = self.evaluate(node.value, scope)
        if isinstance(base, Reference):
            name = base.name + "." + node.attr
            return CONSTANTS.get(name, Reference(name))
        found = self.attribute(base, node.attr)
        return Unknown(self.text_of(node)) if found is None else found

    def attribute(self, base, name):
        if name == "__doc__":
            return documentation_of(base.node) if isinstance(base, Function) else self.documentation
        if isinstance(base, (Instance, Parser)) and name in base.values:
            return base.values[name]
        if isinstance(base, (Instance, Parser)) and base.cls:
            member = base.cls.member(name)
            if isinstance(member, Function):
                return Function(member.node, member.scope, base)
            if member is not None:
                return member
        if isinstance(base, Class):
            return base.member(name)
        if isinstance(base, EnumMember):
            return {"name": base.name, "value": base.value}.get(name)
        if isinstance(base, Parser) and name == "_action_groups":
            return [Group(base), Group(base)]
        if isinstance(base, Parser) and name in ("_optionals", "_positionals"):
            return Group(base)
        if isinstance(base, Parser) and name == "description":
            return base.description
        if isinstance(base, PARSER_VALUES + (Super,)) or is_method(base, name):
            return Bound(base, name)
        return None

    def value_of_Subscript(self, node, scope):
        base = self.evaluate(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            limits = (node.slice.lower, node.slice.upper, node.slice.step)
            return base[slice(*[part and self.evaluate(part, scope) for part in limits])]
        key = self.evaluate(index_of(node), scope)
        if isinstance(base, Class):
            return base.member(key)
        return base[key] if isinstance(base, (str, list, tuple, dict, range)) else Unknown(self.text_of(node))

    def value_of_ListComp(self, node, scope):
        return self.comprehension(node, scope, lambda inner: self.evaluate(node.elt, inner))

    value_of_GeneratorExp = value_of_ListComp

    def value_of_SetComp(self, node, scope):
        found = self.value_of_ListComp(node, scope)
        return found if isinstance(found, Unknown) else set(found)

    def value_of_DictComp(self, node, scope):
        def pair(inner):
            return self.evaluate(node.key, inner), self.evaluate(node.value, inner)

        found = self.comprehension(node, scope, pair)
        return found if isinstance(found, Unknown) else dict(found)

    def comprehension(self, node, scope, read):
        scopes = [Scope(scope)]
        for generator in node.generators:
            following = []
            for outer in scopes:
                items = items_of(self.evaluate(generator.iter, outer))
                if items is None:
                    return Unknown(self.text_of(node))
                for item in items:
                    self.spend()
                    inner = Scope(outer)
                    self.assign(generator.target, item, inner)
                    kept = [truth(self.evaluate(condition, inner)) for condition in generator.ifs]
                    if None in kept:
                        return Unknown(self.text_of(node))
                    if all(kept):
                        following.append(inner)
                    if len(following) > ITEMS_MAX:
                        return Unknown(self.text_of(node))
            scopes = following
        return [read(inner) for inner in scopes]

    def value_of_Lambda(self, node, scope):
        return Reference("lambda")

    def assign(self, target, value, scope):
        if isinstance(target, ast.Name):
            scope.set(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = items_of(value)
            fits = items is not None and len(items) == len(target.elts)
            for index, element in enumerate(target.elts):
                self.assign(element, items[index] if fits else Unknown(self.text_of(target)), scope)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, Unknown(self.text_of(target)), scope)
        elif isinstance(target, ast.Attribute):
            self.assign_attribute(self.evaluate(target.value, scope), target.attr, value)
        elif isinstance(target, ast.Subscript):
            base = self.evaluate(target.value, scope)
            if isinstance(base, (dict, list)):
                self.put(base, self.evaluate(index_of(target), scope), value)

    def put(self, base, index, value):
        try:
            base[index] = value
        except (LookupError, TypeError):  # a key that cannot be one
            pass

    def assign_attribute(self, base, name, value):
        if isinstance(base, Parser) and name == "description":
            base.description = value
        elif isinstance(base, Argument):
            base.settings[name] = value
        elif isinstance(base, (Instance, Parser)):
            base.values[name] = value
        elif isinstance(base, Class):
            base.scope.values[name] = value

    # calls

    def value_of_Call(self, node, scope):
        function = self.evaluate(node.func, scope)
        if isinstance(function, Reference) and function.name == "super":
            return Super(scope.get("self"))
        call = self.arguments_of(node, scope)
        if isinstance(function, Reference):
            return self.call_reference(function.name, call, node)
        if isinstance(function, Function):
            return self.call_function(function, call, node)
        if isinstance(function, Class):
            return self.instantiate(function, call, node)
        if isinstance(function, Bound):
            return self.call_method(function, call, node)
        if isinstance(function, Unknown) and isinstance(node.func, ast.Attribute):
            return self.call_method(Bound(function, node.func.attr), call, node)
        return Unknown(self.text_of(node))

    def arguments_of(self, node, scope):
        call = Call()
        for argument in node.args:
            if not isinstance(argument, ast.Starred):
                call.positional.append(self.evaluate(argument, scope))
                continue
            value = self.evaluate(argument.value, scope)
            items = items_of(value)
            if items is None:
                call.open_list = Unknown(self.text_of(argument.value))
            else:
                call.positional += items
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, scope)
            if keyword.arg is not None:
                call.named[keyword.arg] = value
            elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
                call.named.update(value)
            else:
                call.open_names = Unknown(self.text_of(keyword.value))
        return call

    def call_reference(self, name, call, node):
        if name == PARSER_CLASS:
            return self.new_parser(Parser(), call, node)
        values = call.positional + list(call.named.values())
        if name in PATH_CALLS and values and not call.is_open():
            parts = [value.text if isinstance(value, PathText) else value for value in values]
            return PathText(os.path.join(*parts))
        if name == "str" and len(values) == 1 and isinstance(values[0], PathText):
            return values[0].text
        if name in ("list", "tuple", "sorted") and len(values) == 1 and isinstance(values[0], Class):
            return items_of(values[0])
        known = not call.is_open() and all(is_small(value) for value in values)
        if known and name in CONTAINER_CALLS and not any(isinstance(value, Unknown) for value in call.positional):
            return CONTAINER_CALLS[name](*call.positional, **call.named)
        if known and name in PURE_CALLS:
            if name in ("os.environ.get", "os.getenv"):
                return call.argument(1, "default")
            if all(is_plain(value) for value in values if not isinstance(value, Reference)):
                named = {key: value for key, value in call.named.items() if not isinstance(value, Reference)}
                return PURE_CALLS[name](*call.positional, **named)
        if name == "range" and not call.is_open() and all(isinstance(value, int) for value in values):
            return range(*values)
        return Unknown(self.text_of(node))

    def call_method(self, bound, call, node):
        receiver, name = bound.receiver, bound.name
        if isinstance(receiver, PARSER_VALUES):
            try:
                return self.call_parser(receiver, name, call, node)
            except (AttributeError, LookupError, TypeError, ValueError):
                self.unknown.append("parser: " + self.text_of(node))
        if isinstance(receiver, Super):
            return self.call_super(receiver.receiver, name, call, node)
        if isinstance(receiver, Unknown) and name in ("add_argument", "add_parser", "add_subparsers"):
            self.unknown.append("parser: " + receiver.text)
        if not is_method(receiver, name):
            return Unknown(self.text_of(node))
        if isinstance(receiver, str):
            return self.call_text(receiver, name, call, node)
        if name in ("extend", "update"):
            return self.enlarge(receiver, call, node)
        if call.is_open():
            return Unknown(self.text_of(node))
        result = getattr(receiver, name)(*call.positional, **call.named)
        self.bound_size(receiver)
        return list(result) if name in ("keys", "values", "items") else result

    def call_text(self, receiver, name, call, node):
        values = call.positional + list(call.named.values())
        if call.is_open() or not all(is_plain(value) and is_small(value) for value in values):
            return Unknown(self.text_of(node), receiver if name == "format" else None)
        if name == "format" and (has_wide_field(receiver) or re.search(r"\{[^{}:!]*[.\[]", receiver)):
            return Unknown(self.text_of(node))
        if name == "replace" and len(receiver) * (1 + len(str(values[1]))) > 10 * CHARACTERS_MAX:
            return Unknown(self.text_of(node))
        if name == "join" and sum(len(item) + len(receiver) for item in values[0]) > CHARACTERS_MAX:
            return Unknown(self.text_of(node))
        return getattr(receiver, name)(*call.positional, **call.named)

    def enlarge(self, receiver, call, node):
        """`extend` and `update`; what is added but not known leaves an Unknown among the items."""
        for value in call.positional:
            items = items_of(value)
            if isinstance(receiver, dict) and isinstance(value, dict):
                receiver.update(value)
            elif isinstance(receiver, dict):
                receiver[Unknown(self.text_of(node))] = None
            else:
                added = [Unknown(self.text_of(node))] if items is None else items
                receiver.extend(added) if isinstance(receiver, list) else receiver.update(added)
        if isinstance(receiver, dict):
            receiver.update(call.named)
        self.bound_size(receiver)

    def bound_size(self, receiver):
        if not is_small(receiver):
            receiver.clear()
            unknown = Unknown("more than can be read")
            if isinstance(receiver, list):
                receiver.append(unknown)
            else:
                receiver.update({unknown: None})


class Runner(Evaluator):
    """Statements. A block says how it certainly ends: "return", "break", "continue", or None when it goes on."""

    def __init__(self, tree, source):
        super().__init__(tree, source)
        self.stack = []
        self.returns = []
        self.entered = set()
        self.straight = {}
        self.touching = {}
        self.loop_items = 0
        self.relevant = self.relevant_names()

    def relevant_names(self):
        """Names of functions that build or use a parser, or that call one that does."""
        mentions = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                mentions.setdefault(node.name, set()).update(names_in(node))
        found = {name for name, words in mentions.items() if words & PARSER_WORDS}
        found |= {name for name in mentions if name in PARSER_WORDS}
        callers = {}
        for name, words in mentions.items():
            for word in words & mentions.keys():
                callers.setdefault(word, set()).add(name)
        waiting = list(found)
        while waiting:
            for caller in callers.get(waiting.pop(), ()):
                if caller not in found:
                    found.add(caller)
                    waiting.append(caller)
        return found

    def touches_parser(self, loop):
        if loop not in self.touching:
            words = names_in(loop)
            self.touching[loop] = bool(words & PARSER_WORDS or words & self.relevant)
        return self.touching[loop]

    def is_straight(self, node):
        """Whether the function has no branches, so that what it returns does not depend on what is not known."""
        if node not in self.straight:
            forks = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Raise, ast.AsyncFor, ast.AsyncWith)
            short = len(node.body) <= 10
            self.straight[node] = short and not any(isinstance(inner, forks) for inner in ast.walk(node))
        return self.straight[node]

    def run(self, statements, scope):
        for statement in statements:
            self.spend()
            execute = getattr(self, "run_" + type(statement).__name__, None)
            try:
                ended = execute(statement, scope) if execute else None
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                ended = None
                self.unknown.append("statement: " + self.text_of(statement))
            if ended:
                return ended
        return None

    def run_FunctionDef(self, node, scope):
        scope.set(node.name, Function(node, scope))

    run_AsyncFunctionDef = run_FunctionDef

    def run_ClassDef(self, node, scope):
        inner = Scope(scope)
        self.run(node.body, inner)
        scope.set(node.name, Class(node.name, [self.evaluate(base, scope) for base in node.bases], inner))

    def run_Import(self, node, scope):
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            scope.set(alias.asname or name, Reference(name))

    def run_ImportFrom(self, node, scope):
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            full = module + "." + alias.name
            if alias.name != "*":
                scope.set(alias.asname or alias.name, CONSTANTS.get(full, Reference(full)))
            elif module == "argparse":
                for name, value in CONSTANTS.items():
                    if name.startswith("argparse."):
                        scope.set(name[len("argparse.") :], value)
                for name in ("ArgumentParser", "BooleanOptionalAction", "FileType"):
                    scope.set(name, Reference("argparse." + name))

    def run_Assign(self, node, scope):
        value = self.evaluate(node.value, scope)
        for target in node.targets:
            self.assign(target, value, scope)

    def run_AnnAssign(self, node, scope):
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value, scope), scope)

    def run_AugAssign(self, node, scope):
        loaded = ast.BinOp(left=node.target, op=node.op, right=node.value)
        self.assign(node.target, self.evaluate(ast.copy_location(loaded, node), scope), scope)

    def run_Expr(self, node, scope):
        self.evaluate(node.value, scope)
        if isinstance(node.value, ast.Call) and dotted(node.value.func) in EXITS:
            return "return"
        return None

    def run_Return(self, node, scope):
        value = None if node.value is None else self.evaluate(node.value, scope)
        if self.returns:
            self.returns[-1].append(value)
        return "return"

    def run_Raise(self, node, scope):
        if node.exc is not None:
            self.evaluate(node.exc, scope)
        return "return"

    def run_Break(self, node, scope):
        return "break"

    def run_Continue(self, node, scope):
        return "continue"

    def run_Global(self, node, scope):
        scope.globals.update(node.names)

    def run_If(self, node, scope):
        arms = []
        while True:  # an `elif` is an If inside an If: a long chain must not nest
            known = truth(self.evaluate(node.test, scope))
            if known is not False:
                arms.append(node.body)
            chained = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            if known is True or not chained:
                break
            node = node.orelse[0]
        if known is not True:
            arms.append(node.orelse)
        return self.run(arms[0], scope) if len(arms) == 1 else self.run_arms(arms, scope)

    def run_arms(self, arms, scope):
        """Runs each arm on its own, then keeps what they agree on; parsers are kept in any case."""
        written, endings = [], []
        for statements in arms:
            branch = Scope(scope, branch=True)
            endings.append(self.run(statements, branch))
            if not endings[-1]:
                written.append(branch.values)
        if not written:
            return endings[0] if len(set(endings)) == 1 else "return"
        names = dict.fromkeys(name for values in written for name in values)
        for name in names:
            before = scope.get(name)
            scope.set(name, self.merged(name, [values.get(name, before) for values in written]))
        return None

    def merged(self, name, values):
        first = values[0]
        if all(value is first or is_equal(value, first) for value in values):
            return first
        parsers = [value for value in values if isinstance(value, PARSER_VALUES)]
        if len({id(parser) for parser in parsers}) > 1:
            self.unknown.append("parser: " + name + " is chosen at run time")
        return parsers[0] if parsers else Unknown(name)

    def run_Try(self, node, scope):
        ended = self.run_arms([node.body + node.orelse] + [handler.body for handler in node.handlers], scope)
        return self.run(node.finalbody, scope) or ended

    run_TryStar = run_Try

    def run_Match(self, node, scope):
        self.evaluate(node.subject, scope)
        self.run_arms([case.body for case in node.cases] + [[]], scope)

    def run_With(self, node, scope):
        for item in node.items:
            value = self.evaluate(item.context_expr, scope)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, scope)
        return self.run(node.body, scope)

    run_AsyncWith = run_With

    def run_While(self, node, scope):
        if truth(self.evaluate(node.test, scope)) is not False:
            self.run_arms([node.body, []], scope)

    def run_For(self, node, scope):
        items = items_of(self.evaluate(node.iter, scope))
        if items is None and self.touches_parser(node):
            self.unknown.append("loop: " + self.text_of(node.iter))
            return None
        if items is not None and not self.touches_parser(node):
            self.loop_items += len(items)
        if items is None or self.loop_items > LOOP_ITEMS_MAX and not self.touches_parser(node):
            # Once with an unknown item, so that a list it fills is known to be unknown.
            items = [Unknown(self.text_of(node.iter))]
        for item in items:
            self.assign(node.target, item, scope)
            ended = self.run(node.body, scope)
            if ended == "return":
                return ended
            if ended == "break":
                return None
        return self.run(node.orelse, scope)

    run_AsyncFor = run_For

    # calls of the script's own functions

    def call_function(self, function, call, node):
        values = call.positional + list(call.named.values())
        given = any(isinstance(value, PARSER_VALUES) for value in values) or isinstance(function.receiver, Parser)
        builds = given or function.node.name in self.relevant
        is_deep = len(self.stack) >= CALL_DEPTH_MAX
        if is_deep and builds:
            self.unknown.append("function: " + function.node.name)
        is_recursive = any(outer is function.node for outer in self.stack)
        if is_deep or is_recursive or not (builds or self.is_straight(function.node)):
            return Unknown(self.text_of(node))
        scope = Scope(function.scope)
        self.bind(function, call, scope)
        self.entered.add(function.node)
        self.stack.append(function.node)
        self.returns.append([])
        try:
            self.run(function.node.body, scope)
        finally:
            self.stack.pop()
            found = self.returns.pop()
        if len(found) == 1:
            return found[0]
        holds_parser = [value for value in found if isinstance(value, PARSER_VALUES + (tuple, Instance))]
        return (holds_parser[0] if holds_parser else Unknown(self.text_of(node))) if found else None

    def bind(self, function, call, scope):
        parameters = function.node.args
        names = [parameter.arg for parameter in getattr(parameters, "posonlyargs", []) + parameters.args]
        defaults = [self.evaluate(default, function.scope) for default in parameters.defaults]
        scope.values.update(zip(names[len(names) - len(defaults) :], defaults))
        for parameter, default in zip(parameters.kwonlyargs, parameters.kw_defaults):
            names.append(parameter.arg)
            if default is not None:
                scope.values[parameter.arg] = self.evaluate(default, function.scope)
        static = any(dotted(decorator) == "staticmethod" for decorator in function.node.decorator_list)
        own = [function.receiver] if function.receiver is not None and not static else []
        positional = own + call.positional
        scope.values.update(zip(names, positional))
        scope.values.update({name: value for name, value in call.named.items() if name in names})
        for name in names:
            scope.values.setdefault(name, call.open_names or call.open_list or Unknown(name))
        if parameters.vararg:
            rest = Unknown("*" + parameters.vararg.arg) if call.open_list else positional[len(names) :]
            scope.values[parameters.vararg.arg] = rest
        if parameters.kwarg:
            rest = {name: value for name, value in call.named.items() if name not in names}
            scope.values[parameters.kwarg.arg] = call.open_names or rest

    def instantiate(self, cls, call, node):
        is_parser = cls.has_base(PARSER_CLASS)
        made = Parser(cls) if is_parser else Instance(cls)
        first = cls.member("__init__")
        if is_parser and not isinstance(first, Function):
            return self.new_parser(made, call, node)
        if isinstance(first, Function):
            self.call_function(Function(first.node, first.scope, made), call, node)
        return made

    def call_super(self, receiver, name, call, node):
        if isinstance(receiver, Parser) and name == "__init__":
            return self.new_parser(receiver, call, node)
        if isinstance(receiver, Parser):
            return self.call_parser(receiver, name, call, node)
        for base in receiver.cls.bases if isinstance(receiver, Instance) else ():
            member = base.member(name) if isinstance(base, Class) else None
            if isinstance(member, Function):
                return self.call_function(Function(member.node, member.scope, receiver), call, node)
        return Unknown(self.text_of(node))


def names_in(node):
    return {
        inner.id if isinstance(inner, ast.Name) else inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, (ast.Name, ast.Attribute))
    }


class ScriptReader(Runner):
    """What argparse does when it is called, as data."""

    def __init__(self, tree, source):
        super().__init__(tree, source)
        self.roots = []
        self.parsed = []
        self.parsed_partly = []

    def new_parser(self, parser, call, node):
        self.describe_parser(parser, call)
        if self.stack:
            parser.documentation = documentation_of(self.stack[-1])
        self.roots.append(parser)
        return parser

    def describe_parser(self, parser, call):
        parser.prog = call.argument(0, "prog")
        parser.description = call.argument(2, "description")
        if call.open_names:
            self.unknown.append("parser: **" + call.open_names.text)
        parser.argument_default = call.named.get("argument_default")
        prefixes = call.named.get("prefix_chars", "-")
        parser.prefixes = prefixes if isinstance(prefixes, str) else "-"
        parser.resolves_conflicts = call.named.get("conflict_handler") == "resolve"
        parents = call.argument(4, "parents", [])
        for parent in [parents] if items_of(parents) is None else items_of(parents):
            if isinstance(parent, Parser):
                parser.inherit(parent)
            else:
                self.unknown.append("parents: " + named(parent))

    def call_parser(self, receiver, name, call, node):
        if isinstance(receiver, Commands):
            return self.add_command(receiver, call, node) if name == "add_parser" else Unknown(self.text_of(node))
        parser = receiver.parser if isinstance(receiver, Group) else receiver
        if name == "add_argument":
            return self.add_argument(receiver, parser, call, node)
        if name == "add_argument_group":
            return Group(parser)
        if name == "add_mutually_exclusive_group":
            group = Exclusive(call.argument(0, "required", False) is True)
            parser.exclusive.append(group)
            return Group(parser, group)
        if name == "add_subparsers":
            parser.commands = parser.commands or Commands(parser)
            return parser.commands
        if name == "set_defaults":
            self.set_defaults(parser, call)
        if name in PARSING:
            (self.parsed if name in ("parse_args", "parse_intermixed_args") else self.parsed_partly).append(parser)
        return Unknown(self.text_of(node))

    def set_defaults(self, parser, call):
        parser.defaults.update(call.named)
        for argument in parser.arguments:
            if argument.dest in call.named:
                argument.settings["default"] = call.named[argument.dest]

    def add_command(self, commands, call, node):
        name = call.argument(0, "name")
        if not isinstance(name, str):
            self.unknown.append("command: " + named(name))
            return Parser()
        if len(commands.entries) >= COMMANDS_MAX:
            raise TooMuch
        for entry in commands.entries:
            if entry["name"] == name:  # the other arm of a branch
                return entry["parser"]
        parser = Parser()
        call.positional = []
        self.describe_parser(parser, call)
        aliases = call.named.get("aliases")
        commands.entries.append(
            {
                "name": name,
                "aliases": [alias for alias in items_of(aliases) or [] if isinstance(alias, str)],
                "help": call.named.get("help"),
                "parser": parser,
            }
        )
        return parser

    def add_argument(self, receiver, parser, call, node):
        flags = [flag for flag in call.positional if isinstance(flag, str)]
        lost = [flag for flag in call.positional + [call.open_list] if not isinstance(flag, (str, type(None)))]
        if lost:
            self.unknown.append("flags: " + named(lost[0]))
        settings = dict(call.named)
        dest = settings.pop("dest", None)
        is_option = bool(flags) and flags[0][:1] in tuple(parser.prefixes)
        if not flags and (lost or not isinstance(dest, str)):
            if not lost:
                self.unknown.append("dest: " + (self.text_of(node) if dest is None else named(dest)))
            return None
        name = self.name_of(flags, dest, is_option, parser)
        if settings.get("action") in ("help", "version"):
            return None
        argument = Argument(flags if is_option else [], name, isinstance(dest, str), settings)
        if not isinstance(dest, (str, type(None))):
            argument.unknown.append("dest of " + name + ": " + named(dest))
        if call.open_names:
            argument.unknown.append("settings of " + name + ": **" + call.open_names.text)
        if "default" not in settings:
            settings["default"] = parser.defaults.get(name, parser.argument_default)
            argument.settings["default_implied"] = True
        if parser.accept(argument) and isinstance(receiver, Group) and receiver.exclusive:
            receiver.exclusive.members.append(argument)
        return argument

    def name_of(self, flags, dest, is_option, parser):
        if isinstance(dest, str):
            return dest
        if not is_option:
            return flags[0]
        long_flags = [flag for flag in flags if len(flag) > 1 and flag[1] in parser.prefixes]
        return (long_flags or flags)[0].lstrip(parser.prefixes).replace("-", "_")

    def read(self):
        """Runs the module, then functions that build a parser and were not reached; gives the parser that is parsed."""
        try:
            for node in self.tree.body:  # functions may be called above their definition's branch
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self.module.set(node.name, Function(node, self.module))
            self.run(self.tree.body, self.module)
            if not self.roots:
                self.run_unreached()
        except TooMuch:
            self.unknown.append("size: more than can be read")
        return self.root()

    def run_unreached(self):
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node not in self.entered:
                if "ArgumentParser" in names_in(node):
                    self.call_function(Function(node, self.module), Call(), node)
                    if self.roots:
                        return

    def root(self):
        for parsers in (self.parsed, self.parsed_partly):
            by_id = {id(parser): parser for parser in parsers if parser.arguments or parser.commands}
            parsers = list(by_id.values())[-20:]
            parsers = [one for one in parsers if not any(one is not other and covers(other, one) for other in parsers)]
            if len(parsers) > 1:
                self.unknown.append("parser: one of " + str(len(parsers)) + " is chosen at run time")
            if parsers:
                return parsers[-1]
        parsed = {id(parser) for parser in self.parsed}

        def rank(parser):
            return id(parser) in parsed, parser.commands is not None, len(parser.arguments)

        return max(self.roots, key=rank, default=None)


def covers(larger, smaller):
    held = {id(argument) for argument in larger.arguments}
    return bool(smaller.arguments) and all(id(argument) in held for argument in smaller.arguments)


# --- values to JSON ----------------------------------------------------------------------------------------------


def scalar(value):
    """The JSON scalar for a value, or None where there is none that survives the way to JavaScript."""
    if isinstance(value, EnumMember):
        value = value.value
    if isinstance(value, PathText):
        return value.text
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if isinstance(value, int) and abs(value) > SAFE_INTEGER_MAX:
        return None
    return value if isinstance(value, PLAIN_SCALARS) else None


def type_name(value):
    if value is None:
        return "str"
    name = value.name if isinstance(value, Reference) else None
    return name if name in ("int", "float", "bool", "str") else "other"


def action_name(value):
    if value is None:
        return "store"
    if isinstance(value, Reference) and value.name == "argparse.BooleanOptionalAction":
        return "boolean_optional"
    return value if isinstance(value, str) else "custom"


def converted_default(value, kind):
    """A default as argparse would hand it on: texts go through the type, and what is typed as text is shown as text."""
    value = scalar(value)
    if value is None or value == SUPPRESS:
        return None
    try:
        if isinstance(value, str) and kind in ("int", "float", "bool"):
            return scalar({"int": int, "float": float, "bool": bool}[kind](value))
    except (ValueError, OverflowError):
        return None
    return str(value) if kind in ("str", "other") else value


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
        text = named(value) if items is None else "not all of them are known"
        argument.unknown.append("choices of " + argument.dest + ": " + text)
        return None
    if len(words) > CHOICES_MAX:
        return None
    return [str(word) if kind in ("str", "other") else word for word in words if word is not None]


def known_setting(argument, name, kinds, fallback):
    value = argument.settings.get(name, fallback)
    if value is None or isinstance(value, kinds):
        return value
    argument.unknown.append(name + " of " + argument.dest + ": " + named(value))
    return fallback


def text_setting(value):
    """A help or description text; of one that is computed, the part that is known."""
    if isinstance(value, Unknown):
        value = value.partial
    return value if isinstance(value, str) and value.strip(" …") else None


def shown(value):
    if isinstance(value, Unknown):
        return value.text
    if isinstance(value, (PathText, EnumMember)):
        return str(scalar(value))
    if isinstance(value, (Function, Reference, Class)):
        return value.node.name if isinstance(value, Function) else value.name
    return clip(str(value), 200) if is_plain(value) else "…"


def expanded_help(argument, default, prog):
    text = text_setting(argument.settings.get("help"))
    if text is None:
        return None
    choices = items_of(argument.settings.get("choices"))
    fields = {name: shown(value) for name, value in argument.settings.items()}
    fields.update(dest=argument.dest, default=shown(default), prog=prog)
    if choices is not None:
        fields["choices"] = ", ".join(shown(choice) for choice in choices[:CHOICES_MAX])

    def expand(match):
        if match.group(1) is None:
            return "%"
        value = fields.get(match.group(1), "None")
        layout = match.group(2)
        raw = argument.settings.get(match.group(1))
        try:
            return ("%" + layout) % (raw if isinstance(raw, (int, float)) else value)
        except (TypeError, ValueError):
            return value

    found = re.sub(r"%(?:%|\((\w+)\)([-+ #0]{0,3}\d{0,3}(?:\.\d{0,2})?[a-zA-Z]))", expand, text[:CHARACTERS_MAX])
    return clip(one_line(found), HELP_CHARACTERS_MAX)


def argument_json(argument, prog):
    settings = argument.settings
    action = action_name(settings.get("action"))
    if isinstance(settings.get("action"), Unknown):
        argument.unknown.append("action of " + argument.dest + ": " + settings["action"].text)
    kind = type_name(settings.get("type"))
    nargs = known_setting(argument, "nargs", (int, str), None)
    is_option = bool(argument.flags)
    required = known_setting(argument, "required", (bool, int), False)
    default = settings.get("default")
    if action in ("store_true", "store_false") and settings.get("default_implied") and default is None:
        default = action == "store_false"
    takes_value = action not in VALUELESS_ACTIONS
    metavar = settings.get("metavar")
    return {
        "dest": argument.dest,
        "dest_given": argument.dest_given,
        "flags": argument.flags,
        "action": action,
        "nargs": nargs,
        "required": bool(required) if is_option else nargs not in ("?", "*", "..."),
        "type": kind,
        "choices": choices_of(argument, kind) if takes_value else None,
        "default": converted_default(default, kind if takes_value else None),
        "help": None if settings.get("help") == SUPPRESS else expanded_help(argument, default, prog),
        "metavar": metavar if isinstance(metavar, str) else None,
        "hidden": settings.get("help") == SUPPRESS,
    }


def parser_json(parser, prog, unknown, depth=0):
    arguments = [argument_json(argument, prog) for argument in parser.arguments]
    for argument in parser.arguments:
        unknown.extend(argument.unknown)
    place = {id(argument): index for index, argument in enumerate(parser.arguments)}
    exclusive = [
        {"members": [place[id(member)] for member in group.members if id(member) in place], "required": group.required}
        for group in parser.exclusive
    ]
    commands = None
    if parser.commands is not None and depth < 3:
        commands = [
            {
                "name": entry["name"],
                "aliases": entry["aliases"],
                "hidden": entry["help"] == SUPPRESS,
                "help": command_help(entry, prog),
                "parser": parser_json(entry["parser"], prog, unknown, depth + 1),
            }
            for entry in parser.commands.entries
        ]
    return {
        "description": description_text(parser, prog),
        "arguments": arguments,
        "exclusive": exclusive,
        "commands": commands,
    }


def command_help(entry, prog):
    text = text_setting(entry["help"])
    if text is None or text == SUPPRESS:
        return None
    return clip(one_line(text.replace("%(prog)s", prog).replace("%%", "%")), HELP_CHARACTERS_MAX)


def description_text(parser, prog):
    text = text_setting(parser.description)
    return first_paragraph(text.replace("%(prog)s", prog).replace("%%", "%")) if text else None


# --- what kind of file it is -------------------------------------------------------------------------------------


def is_guard(node):
    """Whether a condition compares `__name__` with "__main__"."""
    if isinstance(node, ast.BoolOp):
        return any(is_guard(value) for value in node.values if not isinstance(value, ast.BoolOp))
    sides = [node.left] + node.comparators if isinstance(node, ast.Compare) else []
    has_name = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    return has_name and any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)


def top_statements(statements, depth=0):
    """The statements that run when the file is started, those inside branches included."""
    for node in statements:
        yield node
        if depth < 20 and isinstance(node, (ast.If, ast.Try, ast.With)):
            inner = node.body + getattr(node, "orelse", []) + getattr(node, "finalbody", [])
            yield from top_statements(inner, depth + 1)


def parses(node):
    """Whether an expression is a call like `parser.parse_args()`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PARSING


def runs_when_started(tree):
    """Whether the file is a program: it has a `__main__` guard, or calls something when it is started."""
    for node in top_statements(tree.body):
        if isinstance(node, ast.If) and is_guard(node.test):
            return True
        if isinstance(node, (ast.For, ast.While, ast.With)):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if dotted(node.value.func) not in PREPARING_CALLS:
                return True
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Assign) and parses(node.value)):
            return True
    return False


def reads_command_line(tree, nodes):
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in PARSING + ("argv",):
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "sys" and any(a.name == "argv" for a in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OTHER_PARSERS:
            return True
        if isinstance(node, ast.Import) and any(a.name.split(".")[0] in OTHER_PARSERS for a in node.names):
            return True
    return guard_calls_import(tree)


def guard_calls_import(tree):
    """`from tool.cli import main` and a guard that calls it: the command line is read elsewhere."""
    imported = {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    guards = [node for node in tree.body if isinstance(node, ast.If) and is_guard(node.test)]
    calls = (inner for guard in guards for inner in ast.walk(guard) if isinstance(inner, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id in imported for call in calls)


def usage_text(nodes):
    """The first text of the source that says "usage", with "…" for what is filled in."""
    found = []
    for node in nodes:
        text = None
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            parts = [piece.value if isinstance(piece, ast.Constant) else "…" for piece in node.values]
            text = "".join(str(part) for part in parts)
        if text is not None and "usage" in text[:2_000].lower():
            # A formatted text comes with its pieces: the whole one is the longest at its place.
            found.append((node.lineno, -len(text), text))
    return clip(min(found)[2].strip(), HELP_CHARACTERS_MAX) if found else None


def effect_of(tree):
    """The text of a module constant `EFFECT`; None without one, "" for one that is not a text."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "EFFECT" for target in targets):
                value = getattr(node.value, "value", None)
                return value if isinstance(value, str) else ""
    return None


def describe_source(data, name):
    tree = ast.parse(data)
    source = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    documentation = documentation_of(tree)
    result = {"effect": effect_of(tree), "description": first_paragraph(documentation or ""), "unknown": []}
    if not runs_when_started(tree):
        return dict(result, kind="library")
    reader = ScriptReader(tree, source)
    root = reader.read()
    if root is not None:
        prog = root.prog if isinstance(root.prog, str) else name
        parser = parser_json(root, prog, reader.unknown)
        description = parser["description"] or result["description"] or first_paragraph(root.documentation or "")
        unknown = list(dict.fromkeys(reader.unknown))[:20]
        return dict(result, kind="argparse", description=description, parser=parser, unknown=unknown)
    nodes = list(ast.walk(tree))
    if not reads_command_line(tree, nodes):
        return dict(result, kind="fixed")
    whole = clip(documentation, HELP_CHARACTERS_MAX) if documentation else None
    usage = usage_text(nodes)
    if whole and usage and "usage" in whole.lower():
        usage = None
    unknown = ["parser: it is built outside of this file"] if names_in(tree) & PARSER_WORDS else []
    description = "\n".join(part for part in (whole, usage) if part) or None
    return dict(result, kind="argv", description=description, unknown=unknown)


def describe_file(path):
    """{file, kind, …} for a file that was read, {file, kind: "error", code, message} for one that was not."""
    try:
        state = os.stat(path)
        if not stat.S_ISREG(state.st_mode):
            return failure(path, "script_not_read", "it is not a regular file")
        with open(path, "rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
        if len(data) > FILE_BYTES_MAX:
            return failure(path, "script_too_large", "it is larger than 1 MiB")
        return dict(describe_source(data, os.path.basename(path)), file=path)
    except SyntaxError as error:
        return dict(failure(path, "syntax_error", str(error.msg)), line=error.lineno or 1)
    except (OSError, ValueError) as error:  # a NUL byte in the source or in the path is a ValueError
        return failure(path, "script_not_read", getattr(error, "strerror", None) or str(error))
    except (RecursionError, MemoryError):
        return failure(path, "script_not_read", "it is nested too deeply")
    except Exception as error:  # a bug of the reader must cost one script, not all of them
        return failure(path, "script_not_read", type(error).__name__ + ": " + clip(str(error), 200))


def failure(path, code, message):
    return {"file": path, "kind": "error", "code": code, "message": message}


def main():
    warnings.simplefilter("ignore")  # about escapes in the scripts' texts
    sys.setrecursionlimit(3_000)
    for path in json.load(sys.stdin):
        print(json.dumps(describe_file(path)), flush=True)


if __name__ == "__main__":
    main()
