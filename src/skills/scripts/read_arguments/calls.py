"""Calls: of Python's own functions, of argparse's methods, and of the script's functions and classes."""

import ast

from computing import call_method, compute
from interpreter import Interpreter
from parsers import ADDING, PARSER_CLASS, PARSER_VALUES, PARSER_WORDS, Call, Parser
from source import documentation_of, dotted, names_in
from values import Bound, Class, Function, Instance, NotKnown, Reference, Scope, Super, Unknown

CALL_DEPTH_MAX = 8
STRAIGHT_STATEMENTS_MAX = 10
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
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

    def value_of_Call(self, node, scope):
        function = self.evaluate(node.func, scope)
        if isinstance(function, Reference) and function.name == "super":
            return Super(scope.get("self"), scope.get("__class__"))
        call = Call(self.items(node.args, scope))
        for keyword in node.keywords:
            call.named.update(self.entries(keyword.arg, keyword.value, scope))
        if isinstance(function, Reference) and function.name == PARSER_CLASS:
            return self.new_parser(Parser(self.findings), call)
        if isinstance(function, Reference):
            return compute(function.name, call)
        if isinstance(function, Function):
            return self.call_function(function, call)
        if isinstance(function, Class):
            return self.instantiate(function, call)
        if isinstance(function, Bound):
            return self.call_bound(function.receiver, function.name, call, node)
        if isinstance(function, Unknown) and getattr(node.func, "attr", None) in ADDING:
            self.findings.unknown.append("parser: " + function.text)
        raise NotKnown

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
        is_deep = len(self.stack) >= CALL_DEPTH_MAX
        if is_deep and is_relevant:
            self.findings.unknown.append("function: " + node.name)
        if is_deep or node in self.stack or not (is_relevant or self.is_straight(node)):
            return None
        scope = Scope(function.scope)
        scope.values = self.bind(function, call)
        self.stack.append(node)
        self.returned.append([])
        try:
            self.run(node.body, scope)
        finally:
            self.stack.pop()
            found = self.returned.pop()
        return found

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
        elif is_parser:
            self.new_parser(made, call)
        return made

    def new_parser(self, parser, call):
        parser.configure(call)
        if self.stack:
            parser.documentation = documentation_of(self.stack[-1])
        self.findings.made.append(parser)
        return parser
