"""Reads from their syntax trees what Python scripts take on the command line. No script is imported or run.

stdin: a JSON list of paths. stdout: one JSON object a line for each, in order (`describe_file` says what is in it).
Started as `python -I -S -X utf8 read_arguments`, the folder. Standard library only, Python 3.8 or newer.

A small interpreter walks the statements that build an argparse parser. It knows plain values, functions and classes of
the same file, and parsers; everything else becomes `Unknown`, and an Unknown where it matters is reported by name.
Both arms of a branch are taken when its condition is not known.

Begin at files.py; reader.py puts the interpreter together.

Covered: loops over literals, helper functions and methods, parents, groups, sub-parsers, computed constants.
Not covered: values from other modules, files, or functions with branches; which of two parsers is picked at run time.
"""

import json
import sys
import warnings

from files import describe_file

warnings.simplefilter("ignore")  # about escapes in the scripts' texts
sys.setrecursionlimit(3_000)
for path in json.load(sys.stdin):
    print(json.dumps(describe_file(path)), flush=True)
