"""The walk over a script's syntax tree: what is known so far, how far it may go, and which method reads which node."""

import ast
import time

from parsers import PARSER_VALUES, Findings
from source import clip, documentation_of, one_line
from values import PLAIN_SCALARS, NotKnown, Scope, TooMuch, Unknown, is_small, items_of

STEPS_MAX = 400_000  # the largest real script needs about 20,000
SECONDS_MAX = 5.0  # a net below the step count, for a slow machine
DEPTH_MAX = 80
EXCERPT_BYTES_MAX = 400

# What Python's own operations raise when a script asks them for what cannot be.
FAILURES = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


def truth(value):
    """True, False, or None where it cannot be told."""
    if isinstance(value, PARSER_VALUES):
        return True
    if isinstance(value, PLAIN_SCALARS + (list, tuple, dict, set, frozenset, range)):
        return bool(value)
    return None


def certain(value):
    known = truth(value)
    if known is None:
        raise NotKnown
    return known


class Interpreter:
    """Its subclasses have a `value_of_…` for each kind of expression, and a `run_…` for each kind of statement."""

    def __init__(self, tree, source):
        self.tree = tree
        self.lines = source.split(b"\n")
        self.documentation = documentation_of(tree)
        self.module = Scope()
        self.findings = Findings()
        self.steps = 0
        self.depth = 0
        self.deadline = time.monotonic() + SECONDS_MAX

    def spend(self):
        self.steps += 1
        if self.steps > STEPS_MAX or (self.steps % 1024 == 0 and time.monotonic() > self.deadline):
            raise TooMuch

    def text_of(self, node):
        """The source of an expression, on one line and clipped, to name it in a diagnostic."""
        line = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else b""
        is_whole = node.end_lineno == node.lineno
        end = min(node.end_col_offset if is_whole else len(line), node.col_offset + EXCERPT_BYTES_MAX)
        text = one_line(line[node.col_offset : end].decode("utf-8", "replace"))
        return clip(text if is_whole else text + " …", 80)

    def evaluate(self, node, scope):
        """The value of an expression; an Unknown for what cannot be told. Raises nothing but TooMuch."""
        self.spend()
        read = getattr(self, "value_of_" + type(node).__name__, None)
        if read is None or self.depth >= DEPTH_MAX:
            return Unknown(self.text_of(node))
        self.depth += 1
        try:
            value = read(node, scope)
        except FAILURES as failure:
            return Unknown(self.text_of(node), getattr(failure, "partial", None))
        finally:
            self.depth -= 1
        # A range is never unrolled here, so that a large one may pass on to become a minimum and a maximum.
        return value if isinstance(value, range) or is_small(value) else Unknown(self.text_of(node))

    def items(self, nodes, scope):
        """The values of the nodes, those of a `*x` among them; an Unknown for one that is not known."""
        found = []
        for node in nodes:
            starred = isinstance(node, ast.Starred)
            value = self.evaluate(node.value if starred else node, scope)
            items = items_of(value) if starred else [value]
            found += [Unknown(self.text_of(node.value))] if items is None else items
        return found

    def entries(self, name, node, scope):
        """The value under its name; without a name it is a `**x`, and an Unknown stands for what is not known of it."""
        value = self.evaluate(node, scope)
        if name is not None:
            return {name: value}
        return value if isinstance(value, dict) else {Unknown(self.text_of(node)): None}

    def run(self, statements, scope):
        """How a block certainly ends: "return", "break", "continue", or None when it goes on."""
        for statement in statements:
            self.spend()
            execute = getattr(self, "run_" + type(statement).__name__, None)
            try:
                ended = execute(statement, scope) if execute else None
            except FAILURES:
                ended = None
                self.findings.unknown.append("statement: " + self.text_of(statement))
            if ended:
                return ended
        return None
