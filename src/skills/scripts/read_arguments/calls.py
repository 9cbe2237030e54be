"""Calls: of Python's own functions, of argparse's methods, and of the script's functions and classes."""

import ast

from computing import call_method, compute, enlarge, listed
from interpreter import Interpreter, certain
from parsers import ADDING, PARSER_CLASS, PARSER_VALUES, PARSER_WORDS, Call, Parser
from source import documentation_of, dotted, names_changed, names_global, names_in
from values import Bound, Class, Function, Instance, NotKnown, Partial, Reference, Scope, Super, Unknown

CALL_DEPTH_MAX = 8
RECURSION_MAX = 4
CONTAINERS = (list, dict, set)
STRAIGHT_STATEMENTS_MAX = 10
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
HARMLESS = frozenset(("argcomplete.autocomplete",))  # what may be given a parser and adds nothing to it
FORKS = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Raise, ast.AsyncFor, ast.AsyncWith)


def relevant_names(definitions):
    """The words of argparse, and names of functions and classes that use one of these names."""
    users = {}
    for node, names in definitions.items():
        for name in names:
            users.setdefault(name, set()).add(node.name)
    found, waiting = set(PARSER_WORDS), list(PARSER_WORDS)
    while waiting:
        new = users.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


class Calls(Interpreter):
    def __init__(self, tree, source):
        super().__init__(tree, source)
        definitions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS + (ast.ClassDef,))]
        self.definitions = {node: names_in(node) for node in definitions}
        self.relevant = relevant_names(self.definitions)
        self.stack = []
        self.returned = []  # a list of values for each function on the stack
        self.straight = {}
        self.lambdas = {}
        self.changing = {}
        self.yielded = []  # the same for what is yielded

    def value_of_Call(self, node, scope):
        function = self.evaluate(node.func, scope)
        if isinstance(function, Reference) and function.name == "super":
            return Super(scope.get("self"), scope.get("__class__"))
        call = Call(self.items(node.args, scope))
        for keyword in node.keywords:
            call.named.update(self.entries(keyword.arg, keyword.value, scope))
        return self.apply(function, call, node)

    def apply(self, function, call, node):
        if isinstance(function, Reference):
            return self.apply_reference(function.name, call, node)
        if isinstance(function, Partial):
            named = dict(function.named, **call.named)
            return self.apply(function.function, Call(function.positional + call.positional, named), node)
        if isinstance(function, Function):
            return self.call_function(function, call)
        if isinstance(function, Class):
            return self.instantiate(function, call)
        if isinstance(function, Bound):
            return self.call_bound(function.receiver, function.name, call, node)
        if isinstance(function, Unknown) and getattr(node.func, "attr", None) in ADDING:
            self.findings.unknown.append("parser: " + function.text)
        elif isinstance(function, Unknown):
            self.note_handed_on(call, node)
        raise NotKnown

    def apply_reference(self, name, call, node):
        """Calls what is not of the script's own making."""
        if name == PARSER_CLASS:
            return self.new_parser(Parser(self.findings), call)
        if name == "functools.partial":
            return Partial(call.positional[0], call.positional[1:], call.named)
        if name == "collections.namedtuple":
            made = Class(str(call.positional[0]), [], Scope())
            fields = call.argument(1, "field_names")
            made.fields = fields.replace(",", " ").split() if isinstance(fields, str) else listed(fields)
            return made
        if name in ("map", "filter") and len(call.positional) == 2:
            function, items = call.positional[0], listed(call.positional[1])
            results = [item if function is None else self.apply(function, Call([item]), node) for item in items]
            return results if name == "map" else [item for item, kept in zip(items, results) if certain(kept)]
        if "." in name and name not in HARMLESS:
            self.note_handed_on(call, node)
        return compute(name, call)

    def note_handed_on(self, call, node):
        """What gets a parser, and cannot be read, may add arguments to it."""
        if any(isinstance(value, PARSER_VALUES) for value in call.values()):
            self.findings.unknown.append("parser: " + self.text_of(node))

    def call_bound(self, receiver, name, call, node):
        if isinstance(receiver, Parser) and name == "__init__":
            return self.new_parser(receiver, call)
        if isinstance(receiver, PARSER_VALUES):
            return receiver.call(name, call)
        return call_method(receiver, name, call, Unknown(self.text_of(node)))

    def is_straight(self, node):
        """Whether the function has no branches, so that what it returns does not depend on what is not known."""
        if node not in self.straight:
            short = len(node.body) <= STRAIGHT_STATEMENTS_MAX
            self.straight[node] = short and not any(isinstance(inner, FORKS) for inner in ast.walk(node))
        return self.straight[node]

    def call_function(self, function, call):
        found = self.values_returned(function, call)
        if found is not None and len(found) < 2:
            return found[0] if found else None
        for value in found or ():
            if isinstance(value, PARSER_VALUES + (tuple, Instance)):
                return value
        raise NotKnown

    def values_returned(self, function, call):
        """The values of the returns that were met; None where the call is not followed."""
        node = function.node
        has_parser = any(isinstance(value, PARSER_VALUES) for value in [function.receiver] + call.values())
        is_relevant = has_parser or node.name in self.relevant
        changed = self.changed_by(function)
        is_deep = len(self.stack) >= CALL_DEPTH_MAX or self.stack.count(node) >= RECURSION_MAX
        if is_deep and is_relevant:
            self.findings.unknown.append("function: " + node.name)
        if is_deep or not (is_relevant or changed or self.is_straight(node)):
            self.forget(function, changed)
            return None
        scope = Scope(function.scope)
        scope.values = self.bind(function, call)
        self.stack.append(node)
        self.returned.append([])
        self.yielded.append([])
        try:
            self.run(node.body, scope)
        finally:
            self.stack.pop()
            found, yielded = self.returned.pop(), self.yielded.pop()
        return [yielded] if yielded and self.is_straight(node) else found

    def changed_by(self, function):
        """The names outside of a function that it fills or sets."""
        node = function.node
        if node not in self.changing:
            self.changing[node] = (names_changed(node), names_global(node))
        filled, assigned = self.changing[node]
        return {name for name in filled if isinstance(function.scope.get(name), CONTAINERS)} | assigned

    def forget(self, function, names):
        """What a function that is not followed fills or sets is not known any more."""
        for name in names:
            value = function.scope.get(name)
            if isinstance(value, CONTAINERS):
                enlarge(value, [None], Unknown(name))
            else:
                function.scope.module.values[name] = Unknown(name)

    def bind(self, function, call):
        """The values of the parameters."""
        parameters = function.node.args
        is_static = any(dotted(decorator) == "staticmethod" for decorator in function.node.decorator_list)
        given = ([] if is_static or function.receiver is None else [function.receiver]) + call.positional
        ordered = [parameter.arg for parameter in parameters.posonlyargs + parameters.args]
        names = ordered + [parameter.arg for parameter in parameters.kwonlyargs]
        without_default = [None] * (len(ordered) - len(parameters.defaults))
        values = dict(zip(ordered, given))
        values.update((name, value) for name, value in call.named.items() if name in names)
        for name, default in zip(names, without_default + parameters.defaults + parameters.kw_defaults):
            if name not in values and default is not None:
                values[name] = self.evaluate(default, function.scope)
            elif name not in values:
                values[name] = call.unknown_names() or Unknown(name)
        if parameters.vararg:
            values[parameters.vararg.arg] = given[len(ordered) :]
        if parameters.kwarg:
            values[parameters.kwarg.arg] = {name: call.named[name] for name in call.named if name not in names}
        return values

    def instantiate(self, cls, call):
        is_parser = cls.has_base((PARSER_CLASS,))
        made = Parser(self.findings, cls) if is_parser else Instance(cls, {})
        first = cls.member("__init__")
        if isinstance(first, Function):
            self.values_returned(first.bound_to(made), call)
        elif cls.fields is not None and not call.unknown_names():
            made.values.update((name, cls.member(name)) for name in cls.fields)
            made.values.update(zip(cls.fields, call.positional))
            made.values.update(call.named)
        elif is_parser:
            self.new_parser(made, call)
        return made

    def new_parser(self, parser, call):
        parser.configure(call)
        if self.stack:
            parser.documentation = documentation_of(self.stack[-1])
        self.findings.made.append(parser)
        return parser
