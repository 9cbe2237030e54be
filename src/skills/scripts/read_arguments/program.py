"""What kind of file a script is, as far as it shows without reading its parser."""

import ast

from parsers import PARSING
from source import clip, dotted

TOP_DEPTH_MAX = 20
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
        if depth < TOP_DEPTH_MAX and isinstance(node, (ast.If, ast.Try, ast.With)):
            inner = node.body + getattr(node, "orelse", []) + getattr(node, "finalbody", [])
            yield from top_statements(inner, depth + 1)


def acts(node):
    """Whether a statement of a module's makes it a program: a `__main__` guard, a loop, or a call for its own sake."""
    if isinstance(node, ast.If):
        return is_guard(node.test)
    value = getattr(node, "value", None)
    if isinstance(value, ast.Call) and isinstance(node, ast.Expr):
        return dotted(value.func) not in PREPARING_CALLS
    if isinstance(value, ast.Call) and isinstance(node, ast.Assign):
        return getattr(value.func, "attr", None) in PARSING
    return isinstance(node, (ast.For, ast.While, ast.With, ast.Raise))


def runs_when_started(tree):
    return any(acts(node) for node in top_statements(tree.body))


def reads_command_line(tree, nodes):
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in PARSING + ("argv",):
            return True
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names]
            modules = names if isinstance(node, ast.Import) else [node.module or ""]
            if modules == ["sys"] and "argv" in names or any(m.split(".")[0] in OTHER_PARSERS for m in modules):
                return True
    return guard_calls_import(tree)


def guard_calls_import(tree):
    """`from tool.cli import main` and a guard that calls it: the command line is read elsewhere."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in imports for alias in node.names}
    guards = [node for node in tree.body if isinstance(node, ast.If) and is_guard(node.test)]
    calls = (inner for guard in guards for inner in ast.walk(guard) if isinstance(inner, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id in imported for call in calls)


def usage_text(nodes):
    """The first text of the source that says "usage", with "…" for what is filled in."""
    found = []
    for node in nodes:
        if not isinstance(node, (ast.Constant, ast.JoinedStr)):
            continue
        pieces = getattr(node, "values", [node])
        texts = [piece.value if isinstance(piece, ast.Constant) else "…" for piece in pieces]
        text = "".join(text for text in texts if isinstance(text, str))
        if "usage" in text[:2_000].lower():
            # A formatted text comes with its pieces: the whole one is the longest at its place.
            found.append((node.lineno, -len(text), text))
    return clip(min(found)[2].strip()) if found else None


def effect_of(tree):
    """The text of a module constant `EFFECT`; None without one, "" for one that is not a text."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "EFFECT" for target in targets):
                value = getattr(node.value, "value", None)
                return value if isinstance(value, str) else ""
    return None
