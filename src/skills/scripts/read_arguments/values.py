"""What an expression of a script can be worth, besides Python's own plain values."""

from source import clip

ITEMS_MAX = 5_000
CHARACTERS_MAX = 100_000
WEIGHT_MAX = 2 * CHARACTERS_MAX  # the items and characters of one value and all that is in it
BITS_MAX = 256
ANCESTORS_MAX = 50

PLAIN_SCALARS = (str, int, float, bool, type(None))
ENUMERATIONS = frozenset(("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"))


class TooMuch(Exception):
    """The script takes more steps to read than any real one."""


class NotKnown(ValueError):
    """The expression that is read cannot be told: it becomes an Unknown, of which `partial` is known."""

    def __init__(self, partial=None):
        super().__init__()
        self.partial = partial


class Unknown:
    def __init__(self, text, partial=None):
        self.text = text  # its source
        self.partial = partial  # for texts: what is known of it, "…" for the rest


class Reference:
    """Something of another module or of the builtins, by its full name."""

    def __init__(self, name):
        self.name = name


class Bound:
    def __init__(self, receiver, name):
        self.receiver = receiver
        self.name = name


class Partial:
    """A function of which some arguments are given already."""

    def __init__(self, function, positional, named):
        self.function = function
        self.positional = positional
        self.named = named


class Function:
    def __init__(self, node, scope, receiver=None):
        self.node = node
        self.scope = scope
        self.receiver = receiver

    def bound_to(self, receiver):
        return Function(self.node, self.scope, receiver)


class Class:
    def __init__(self, name, bases, scope):
        self.name = name
        self.bases = bases
        self.scope = scope
        self.fields = None  # the names of its parts in order, of a named tuple or a dataclass

    def ancestors(self):
        """The class itself, and those of its bases that are in the file, nearest first."""
        found, waiting = [], [self]
        while waiting and len(found) < ANCESTORS_MAX:
            cls = waiting.pop()
            if isinstance(cls, Class) and cls not in found:
                found.append(cls)
                waiting += cls.bases[::-1]
        return found

    def has_base(self, names):
        return any(isinstance(base, Reference) and base.name in names for c in self.ancestors() for base in c.bases)

    def member(self, name, inherited=False):
        """What the class holds under the name (with `inherited` only what its bases do), or None."""
        for cls in self.ancestors()[int(inherited) :]:
            if name in cls.scope.values:
                value = cls.scope.values[name]
                is_member = cls.has_base(ENUMERATIONS) and not isinstance(value, Function)
                return EnumMember(name, value) if is_member else value
        return None


class EnumMember:
    def __init__(self, name, value):
        self.values = {"name": name, "value": value}


class Instance:
    def __init__(self, cls, values):
        self.cls = cls  # None for what is not of the script's making
        self.values = values


class Super:
    def __init__(self, receiver, cls):
        self.receiver = receiver
        self.cls = cls  # the one whose bases are meant


class PathText(str):
    """A path that pathlib makes: a text for everything but operators and methods."""


class Scope:
    """Names and their values. A branch writes into a scope of its own, which is merged afterwards."""

    def __init__(self, parent=None, branch=False):
        self.values = {}
        self.parent = parent
        self.globals = parent.globals if branch else set()
        self.module = parent.module if parent else self

    def get(self, name, default=None):
        scope = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        return default

    def set(self, name, value):
        (self.module if name in self.globals else self).values[name] = value


def weight(value):
    """How many items and characters a value holds; None if others than texts, numbers and containers, or too many."""
    total, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        total += len(item) if isinstance(item, (str, bytes)) else 1
        if isinstance(item, (list, tuple, set, frozenset, dict)):
            waiting += item
            waiting += item.values() if isinstance(item, dict) else ()
        elif not isinstance(item, PLAIN_SCALARS + (bytes, range)) or not is_small(item):
            return None
        if total + len(waiting) > WEIGHT_MAX:
            return None
    return total


def is_plain(value):
    return weight(value) is not None


def is_small(value):
    """Whether the value may be kept: its own size only, what is in it was measured before."""
    if isinstance(value, (str, bytes)):
        return len(value) <= CHARACTERS_MAX
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        return len(value) <= ITEMS_MAX
    if isinstance(value, range):
        return abs(value.start) < 2**62 and abs(value.stop) < 2**62 and len(value) <= ITEMS_MAX
    return not isinstance(value, int) or value.bit_length() <= BITS_MAX


def items_of(value):
    """The items a loop over the value would see, or None where that is not known."""
    if isinstance(value, Class) and value.has_base(ENUMERATIONS):
        members = [value.member(name) for name in value.scope.values if not name.startswith("_")]
        return [member for member in members if isinstance(member, EnumMember)]
    if isinstance(value, Instance) and isinstance(value.cls, Class) and value.cls.fields:
        return [value.values.get(name) for name in value.cls.fields]
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, (list, tuple, dict, str, range)) and is_small(value):
        return list(value)
    return None


def shown(value):
    """The value in a text for people: as Python would write it, by its name, or as its source."""
    if isinstance(value, EnumMember):
        value = value.values["value"]
    if isinstance(value, Unknown):
        return value.text
    if isinstance(value, (Reference, Class)):
        return value.name
    if isinstance(value, Function):
        return value.node.name
    return clip(str(value)) if is_plain(value) else "…"
