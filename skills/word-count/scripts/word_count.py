"""Counts the lines, words and characters of a text file."""

import argparse
import collections
import itertools
import json
import os
import stat
import sys

EFFECT = "read"

BYTES_MAX = 16 * 1024 * 1024
TOP_MAX = 1000
FILES_SEARCHED_MAX = 50000
FILES_NAMED_MAX = 10
SKIPPED_FOLDERS = {".git", "node_modules"}


class Refusal(Exception):
    """A failure that is the tool's answer; its message is all that is shown."""


def get_args():
    parser = argparse.ArgumentParser(description="Counts the lines, words and characters of a text file.", allow_abbrev=False)
    parser.add_argument("path", help="the file, relative to the project")
    parser.add_argument("--top", type=int, default=0, help="how many of the most frequent words to name, 1 to 1000")
    parser.add_argument("--ignore-case", action="store_true", help="count The and the as one word")
    return parser


def main():
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    parser = get_args()
    parser.error = fail
    arguments = parser.parse_args()
    try:
        if not 0 <= arguments.top <= TOP_MAX:
            raise Refusal("--top must be from 1 to %d, got %d." % (TOP_MAX, arguments.top))
        text = read_text(arguments.path)
    except Refusal as refusal:
        fail(str(refusal))
    sys.stdout.write(report(text, arguments.top, arguments.ignore_case))


def fail(message):
    """One line on stderr, exit code 2. The parser's own complaints come here too."""
    sys.stderr.write(message + "\n")
    sys.exit(2)


def report(text, top, ignore_case):
    words = text.split()
    unended = 1 if text and not text.endswith("\n") else 0
    lines = ["lines: %d" % (text.count("\n") + unended), "words: %d" % len(words), "characters: %d" % len(text)]
    if top > 0:
        lines.append("most frequent words:")
        lines.extend("%s: %d" % (word, count) for word, count in most_frequent(words, top, ignore_case))
    return "".join(line + "\n" for line in lines)


def most_frequent(words, top, ignore_case):
    """Words of equal number come in alphabetical order, so that the same file always gives the same list."""
    bare = (strip_punctuation(word) for word in words)
    counted = collections.Counter(word.casefold() if ignore_case else word for word in bare if word)
    return sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:top]


def strip_punctuation(word):
    start, end = 0, len(word)
    while start < end and not word[start].isalnum():
        start += 1
    while end > start and not word[end - 1].isalnum():
        end -= 1
    return word[start:end]


def read_text(path):
    root = os.path.realpath(os.environ.get("PROJECT_DIR") or os.getcwd())
    place = locate(root, path)
    try:
        if os.path.isdir(place):
            raise Refusal("%s is a folder. Give the path of a file." % quoted(path))
        data = read_bytes(place, path)
    except PermissionError:
        raise Refusal("no permission to read %s." % quoted(path))
    except (FileNotFoundError, NotADirectoryError):
        raise Refusal(missing(root, path))
    except OSError as error:
        raise Refusal("%s cannot be read: %s." % (quoted(path), error.strerror))
    return decode(data, path)


def locate(root, path):
    if not path.strip():
        raise Refusal('the path is empty. Give one, such as "notes.txt".')
    place = os.path.realpath(os.path.join(root, path))
    if place != root and not place.startswith(os.path.join(root, "")):
        raise Refusal("%s is outside of the project. Only files in the project can be counted." % quoted(path))
    return place


def read_bytes(place, path):
    if not stat.S_ISREG(os.stat(place).st_mode):
        raise Refusal("%s is not a regular file, so it is not text." % quoted(path))
    with open(place, "rb") as file:
        data = file.read(BYTES_MAX + 1)
    if len(data) > BYTES_MAX:
        raise Refusal("%s is too large: more than %d MiB." % (quoted(path), BYTES_MAX // (1024 * 1024)))
    return data


def decode(data, path):
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal("%s is not text in UTF-8." % quoted(path))
    if "\0" in text:
        raise Refusal("%s is not text: it is a binary file." % quoted(path))
    return text


def missing(root, path):
    same = same_named(root, os.path.basename(path.rstrip("/")))
    if not same:
        return "no file named %s in the project." % quoted(path)
    more = ", …" if len(same) > FILES_NAMED_MAX else ""
    return "no file %s. Files of that name: %s%s." % (quoted(path), ", ".join(map(quoted, same[:FILES_NAMED_MAX])), more)


def same_named(root, name):
    found = []
    for folder, file in itertools.islice(project_files(root), FILES_SEARCHED_MAX):
        place = os.path.join(folder, file)
        if file == name and not os.path.islink(place):
            found.append(os.path.relpath(place, root).replace(os.sep, "/"))
    return found


def project_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for file in sorted(files):
            yield folder, file


def quoted(path):
    return json.dumps(path, ensure_ascii=False)


if __name__ == "__main__":
    main()
