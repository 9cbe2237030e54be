"""Which parser of a script is the one that reads its command line."""

from calls import FUNCTIONS
from expressions import Expressions
from parsers import Call
from statements import Statements
from values import Function, TooMuch

PARSERS_MAX = 20


class Reader(Expressions, Statements):
    def read(self):
        """Runs the module, then functions that build a parser and were not reached; gives the parser that is parsed."""
        try:
            for node in self.tree.body:  # functions may be called above their definition's branch
                if isinstance(node, FUNCTIONS):
                    self.module.set(node.name, Function(node, self.module))
            self.run(self.tree.body, self.module)
            self.run_unreached()
        except TooMuch:
            self.findings.unknown.append("size: more than can be read")
        return self.root()

    def run_unreached(self):
        for node, names in self.definitions.items():
            if isinstance(node, FUNCTIONS) and "ArgumentParser" in names and not self.findings.made:
                self.values_returned(Function(node, self.module), Call())

    def root(self):
        found = self.findings
        for parsers in (found.parsed, found.parsed_partly):
            used = dict.fromkeys(parser for parser in parsers if parser.arguments or parser.commands)
            last = list(used)[-PARSERS_MAX:]
            last = [one for one in last if not any(one is not other and covers(other, one) for other in last)]
            if len(last) > 1:
                found.unknown.append("parser: one of " + str(len(last)) + " is chosen at run time")
            if last:
                return last[-1]
        parsed = set(found.parsed)
        return max(found.made, key=lambda one: (one in parsed, bool(one.commands), len(one.arguments)), default=None)


def covers(larger, smaller):
    return bool(smaller.arguments) and set(smaller.arguments) <= set(larger.arguments)
