"""What a script's file takes on the command line, or why that cannot be told."""

import ast
import os
import stat

from declared import declared
from describe import parser_json
from parsers import PARSER_WORDS
from program import effect_of, reads_command_line, runs_when_started, usage_text
from reader import Reader
from source import clip, documentation_of, first_paragraph, names_in

FILE_BYTES_MAX = 1024 * 1024
UNKNOWN_MAX = 20


def describe_source(data, name):
    tree = ast.parse(data)
    documentation = documentation_of(tree)
    source = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    result = {"effect": effect_of(tree), "description": first_paragraph(documentation or ""), "unknown": []}
    result.update(declared(source.decode("utf-8", "replace")))
    if not runs_when_started(tree):
        return dict(result, kind="library")
    reader = Reader(tree, source) if b"ArgumentParser" in data else None  # without the word there is no parser to find
    root = reader and reader.read()
    if root is not None:
        prog = root.values["prog"]
        unknown = reader.findings.unknown
        parser = parser_json(root, prog if isinstance(prog, str) else name, unknown)
        description = parser["description"] or result["description"] or first_paragraph(root.documentation or "")
        unknown = list(dict.fromkeys(unknown))[:UNKNOWN_MAX]
        return dict(result, kind="argparse", description=description, parser=parser, unknown=unknown)
    nodes = list(ast.walk(tree))
    if not reads_command_line(tree, nodes):
        return dict(result, kind="fixed")
    whole, usage = clip(documentation or ""), usage_text(nodes)
    parts = [whole] if "usage" in whole.lower() else [whole, usage]
    description = "\n".join(part for part in parts if part) or None
    unknown = [] if PARSER_WORDS.isdisjoint(names_in(tree)) else ["parser: it is built outside of this file"]
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
