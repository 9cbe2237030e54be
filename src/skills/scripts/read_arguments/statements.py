"""Statements: definitions, assignments, loops and branches. Where a condition is not known all arms are taken."""

import ast

from calls import Calls
from computing import CONSTANTS
from interpreter import truth
from parsers import PARSER_VALUES, Argument, Call
from source import dotted, index_of, names_in
from values import Class, Function, Instance, NotKnown, Reference, Scope, Unknown, is_plain, items_of

LOOP_ITEMS_MAX = 2_000  # over all loops that touch no parser
WHILE_ROUNDS_MAX = 100
EXITS = frozenset(("sys.exit", "exit", "quit", "os._exit"))


def is_dataclass(decorator):
    return dotted(getattr(decorator, "func", decorator)) in ("dataclass", "dataclasses.dataclass")


class Statements(Calls):
    def __init__(self, tree, source):
        super().__init__(tree, source)
        self.touching = {}
        self.loop_items = 0

    def run_FunctionDef(self, node, scope):
        made = Function(node, scope)
        scope.set(node.name, made)
        self.decorate(node, made, scope)

    run_AsyncFunctionDef = run_FunctionDef

    def decorate(self, node, made, scope):
        """Runs decorators of the script's own for what they fill; what they make of the function is not looked at."""
        for decorator in node.decorator_list:
            value = self.evaluate(decorator, scope)
            if isinstance(value, Function):
                try:
                    self.call_function(value, Call([made]))
                except NotKnown:
                    pass

    def run_ClassDef(self, node, scope):
        inner = Scope(scope)
        self.run(node.body, inner)
        cls = Class(node.name, [self.evaluate(base, scope) for base in node.bases], inner)
        inner.values["__class__"] = cls
        is_record = cls.has_base(("typing.NamedTuple",)) or any(is_dataclass(one) for one in node.decorator_list)
        if is_record:
            inside = [part.target.id for part in node.body if isinstance(part, ast.AnnAssign)]
            cls.fields = [name for base in cls.ancestors()[1:] for name in base.fields or ()] + inside
        scope.set(node.name, cls)
        self.decorate(node, cls, scope)

    def run_Import(self, node, scope):
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            scope.set(alias.asname or name, Reference(name))

    def run_ImportFrom(self, node, scope):
        module = "." * node.level + (node.module or "") + "."
        starred = [name[len(module) :] for name in CONSTANTS if name.startswith(module)]
        for alias in node.names:
            for name in starred if alias.name == "*" else [alias.name]:
                scope.set(alias.asname or name, CONSTANTS.get(module + name, Reference(module + name)))

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
        is_exit = isinstance(node.value, ast.Call) and dotted(node.value.func) in EXITS
        return "return" if is_exit else None

    def run_Return(self, node, scope):
        value = None if node.value is None else self.evaluate(node.value, scope)
        if self.returned:
            self.returned[-1].append(value)
        return "return"

    def run_Raise(self, node, scope):
        if node.exc is not None:
            self.evaluate(node.exc, scope)
        return "return"

    def run_Break(self, node, scope):
        return "break"

    def run_Continue(self, node, scope):
        return "continue"

    def run_Delete(self, node, scope):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                base = self.evaluate(target.value, scope)
                del base[self.evaluate(index_of(target), scope)]
            else:
                self.assign(target, Unknown(self.text_of(target)), scope)

    def run_Global(self, node, scope):
        scope.globals.update(node.names)

    def run_With(self, node, scope):
        for item in node.items:
            value = self.evaluate(item.context_expr, scope)
            enter = isinstance(value, Instance) and isinstance(value.cls, Class) and value.cls.member("__enter__")
            if isinstance(enter, Function):
                value = self.apply(enter.bound_to(value), Call(), item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, scope)
        return self.run(node.body, scope)

    run_AsyncWith = run_With

    # branches

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
        if len(arms) == 1:
            return self.run(arms[0], scope)
        taken = self.taken()
        ended = self.run_arms(arms, scope)
        if any(parser.taken() != size for parser, size in taken.items()):
            self.findings.unknown.append("branch: if " + self.text_of(node.test))
        return ended

    def taken(self):
        """The parsers there are, and how much each takes so far."""
        return {parser: parser.taken() for parser in self.findings.made}

    def run_Try(self, node, scope):
        ended = self.run_arms([node.body + node.orelse] + [handler.body for handler in node.handlers], scope)
        return self.run(node.finalbody, scope) or ended

    run_TryStar = run_Try

    def run_Match(self, node, scope):
        self.evaluate(node.subject, scope)
        self.run_arms([case.body for case in node.cases] + [[]], scope)

    def run_While(self, node, scope):
        if self.touches_parser(node) and not isinstance(node.test, ast.Constant):
            return self.run_rounds(node, scope)
        if truth(self.evaluate(node.test, scope)) is not False:
            self.run_arms([node.body, []], scope)

    def run_rounds(self, node, scope):
        for _ in range(WHILE_ROUNDS_MAX):
            known = truth(self.evaluate(node.test, scope))
            ended = self.run(node.body, scope) if known else None
            if ended in ("return", "break"):
                return ended if ended == "return" else None
            if known is False:
                return self.run(node.orelse, scope)
            if known is None:
                break
        self.findings.unknown.append("loop: " + self.text_of(node.test))
        return None

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
        for name in dict.fromkeys(name for values in written for name in values):
            before = scope.get(name)
            scope.set(name, self.merged(name, [values.get(name, before) for values in written]))
        return None

    def merged(self, name, values):
        first = values[0]
        alike = all(type(value) is type(first) for value in values) and is_plain(values)
        if all(value is first or (alike and value == first) for value in values):
            return first
        parsers = [value for value in values if isinstance(value, PARSER_VALUES)]
        if len({id(parser) for parser in parsers}) > 1:
            self.findings.unknown.append("parser: " + name + " is chosen at run time")
        return parsers[0] if parsers else Unknown(name)

    def assign(self, target, value, scope):
        if isinstance(target, ast.Name):
            scope.set(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = items_of(value)
            stars = [index for index, element in enumerate(target.elts) if isinstance(element, ast.Starred)]
            if items is not None and stars and len(items) >= len(target.elts) - 1:
                first, after = stars[0], len(target.elts) - stars[0] - 1
                items[first : len(items) - after] = [items[first : len(items) - after]]
            fits = items is not None and len(items) == len(target.elts)
            for index, element in enumerate(target.elts):
                self.assign(element, items[index] if fits else Unknown(self.text_of(target)), scope)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, scope)
        elif isinstance(target, ast.Attribute):
            self.assign_attribute(self.evaluate(target.value, scope), target.attr, value)
        elif isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
            base, index = self.evaluate(target.value, scope), self.evaluate(index_of(target), scope)
            if isinstance(base, (dict, list)):
                try:
                    base[index] = value
                except (LookupError, TypeError):  # a key that cannot be one
                    pass

    def assign_attribute(self, base, name, value):
        if isinstance(base, Argument):
            base.settings[name] = value
        elif isinstance(base, Instance):
            base.values[name] = value
        elif isinstance(base, Class):
            base.scope.values[name] = value

    # loops

    def touches_parser(self, loop):
        if loop not in self.touching:
            self.touching[loop] = not self.relevant.isdisjoint(names_in(loop))
        return self.touching[loop]

    def run_For(self, node, scope):
        items = items_of(self.evaluate(node.iter, scope))
        if self.touches_parser(node):
            if items is None:
                self.findings.unknown.append("loop: " + self.text_of(node.iter))
                return None
        else:
            self.loop_items += len(items or ())
            if items is None or self.loop_items > LOOP_ITEMS_MAX:
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
