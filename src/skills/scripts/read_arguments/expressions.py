"""Expressions to values: names, literals, operators, attributes, items and comprehensions."""

import ast
import builtins

from computing import CONSTANTS, OPERATORS, has_wide_field, is_method, listed, operate
from interpreter import Interpreter, certain
from parsers import PARSER_VALUES, Call
from source import clip, documentation_of, dotted, index_of
from values import CHARACTERS_MAX, ENUMERATIONS, ITEMS_MAX, NotKnown, Scope, Unknown, is_plain, items_of
from values import Bound, Class, EnumMember, Function, Instance, Reference, Super

MISSING = object()
NEVER_NONE = PARSER_VALUES + (Instance, Function, Class)
PROPERTIES = ("property", "cached_property", "functools.cached_property")


def is_decorated(function, name):
    return any(dotted(decorator) == name for decorator in function.node.decorator_list)


class Expressions(Interpreter):
    def value_of_Constant(self, node, scope):
        return node.value

    def value_of_Name(self, node, scope):
        value = scope.get(node.id, MISSING)
        if value is not MISSING:
            return value
        if node.id == "__name__":
            return "__main__"
        if node.id == "__doc__":
            return self.documentation
        return Reference(node.id) if hasattr(builtins, node.id) else Unknown(node.id)

    def value_of_NamedExpr(self, node, scope):
        value = self.evaluate(node.value, scope)
        scope.set(node.target.id, value)
        return value

    def value_of_Await(self, node, scope):
        return self.evaluate(node.value, scope)

    def value_of_Yield(self, node, scope):
        value = None if node.value is None else self.evaluate(node.value, scope)
        if self.yielded:
            self.yielded[-1].append(value)
        return None

    def value_of_Lambda(self, node, scope):
        if node not in self.lambdas:
            body = [ast.copy_location(ast.Return(value=node.body), node.body)]
            made = ast.FunctionDef(name="lambda", args=node.args, body=body, decorator_list=[])
            self.lambdas[node] = ast.copy_location(made, node)
        return Function(self.lambdas[node], scope)

    def value_of_List(self, node, scope):
        return self.items(node.elts, scope)

    def value_of_Tuple(self, node, scope):
        return tuple(self.value_of_List(node, scope))

    def value_of_Set(self, node, scope):
        return set(self.value_of_List(node, scope))

    def value_of_Dict(self, node, scope):
        result = {}
        for key, value in zip(node.keys, node.values):
            result.update(self.entries(key and self.evaluate(key, scope), value, scope))
        return result

    def value_of_UnaryOp(self, node, scope):
        if isinstance(node.op, ast.Not):
            return not certain(self.evaluate(node.operand, scope))
        return OPERATORS[type(node.op)](self.evaluate(node.operand, scope))

    def value_of_BinOp(self, node, scope):
        sides = [self.evaluate(node.left, scope), self.evaluate(node.right, scope)]
        if isinstance(node.op, ast.Add) and any(isinstance(side, Unknown) for side in sides):
            parts = [side.partial if isinstance(side, Unknown) else side for side in sides]
            known = [part if isinstance(part, str) else "…" for part in parts]
            raise NotKnown(clip("".join(known), CHARACTERS_MAX))
        return operate(type(node.op), *sides)

    def value_of_BoolOp(self, node, scope):
        result = None
        for operand in node.values:
            result = self.evaluate(operand, scope)
            if certain(result) is isinstance(node.op, ast.Or):
                break
        return result

    def value_of_Compare(self, node, scope):
        left = self.evaluate(node.left, scope)
        for sign, comparator in zip(node.ops, node.comparators):
            right = self.evaluate(comparator, scope)
            if right is None and isinstance(sign, (ast.Is, ast.IsNot)) and isinstance(left, NEVER_NONE):
                return isinstance(sign, ast.IsNot)
            if not (is_plain(left) and is_plain(right)):
                raise NotKnown
            if not OPERATORS[type(sign)](left, right):
                return False
            left = right
        return True

    def value_of_IfExp(self, node, scope):
        return self.evaluate(node.body if certain(self.evaluate(node.test, scope)) else node.orelse, scope)

    def value_of_JoinedStr(self, node, scope):
        parts, size = [], 0
        for piece in node.values:
            parts.append(self.evaluate(piece, scope))
            size += len(parts[-1]) if isinstance(parts[-1], str) else 1
            if size > CHARACTERS_MAX:
                raise NotKnown
        if all(isinstance(part, str) for part in parts):
            return "".join(parts)
        raise NotKnown("".join(part if isinstance(part, str) else "…" for part in parts))

    def value_of_FormattedValue(self, node, scope):
        value = self.evaluate(node.value, scope)
        layout = self.evaluate(node.format_spec, scope) if node.format_spec else ""
        if not is_plain(value) or not isinstance(layout, str) or has_wide_field(layout):
            raise NotKnown
        return format(repr(value) if node.conversion == ord("r") else value, layout)

    def value_of_Attribute(self, node, scope):
        base = self.evaluate(node.value, scope)
        if isinstance(base, Reference):
            name = base.name + "." + node.attr
            return CONSTANTS.get(name, Reference(name))
        found = self.attribute(base, node.attr)
        if found is None:
            raise NotKnown
        return found

    def attribute(self, base, name):
        if name == "__doc__":
            return documentation_of(base.node) if isinstance(base, Function) else self.documentation
        if name == "__name__" and isinstance(base, (Function, Class)):
            return base.node.name if isinstance(base, Function) else base.name
        if isinstance(base, Class):
            return self.member_of_class(base, name)
        if isinstance(base, (Instance, EnumMember)) and name in base.values:
            return base.values[name]
        cls = getattr(base, "cls", None)
        owner = base.receiver if isinstance(base, Super) else base
        member = cls.member(name, isinstance(base, Super)) if isinstance(cls, Class) else None
        if member is not None:
            return self.method(member, owner, cls) if isinstance(member, Function) else member
        return Bound(owner, name) if isinstance(owner, PARSER_VALUES) or is_method(owner, name) else None

    def member_of_class(self, cls, name):
        if name == "__members__" and cls.has_base(ENUMERATIONS):
            return {member.values["name"]: member for member in items_of(cls)}
        member = cls.member(name)
        is_bound = isinstance(member, Function) and is_decorated(member, "classmethod")
        return member.bound_to(cls) if is_bound else member

    def method(self, function, owner, cls):
        if any(is_decorated(function, name) for name in PROPERTIES):
            return self.call_function(function.bound_to(owner), Call())
        return function.bound_to(cls if is_decorated(function, "classmethod") else owner)

    def value_of_Subscript(self, node, scope):
        base = self.evaluate(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            limits = (node.slice.lower, node.slice.upper, node.slice.step)
            return base[slice(*[part and self.evaluate(part, scope) for part in limits])]
        key = self.evaluate(index_of(node), scope)
        if isinstance(base, Reference) and base.name in ("typing.Literal", "typing_extensions.Literal"):
            return key if isinstance(key, tuple) else (key,)
        return base.member(key) if isinstance(base, Class) else base[key]

    # comprehensions

    def value_of_ListComp(self, node, scope):
        return [self.evaluate(node.elt, inner) for inner in self.rounds_of(node, scope)]

    value_of_GeneratorExp = value_of_ListComp

    def value_of_SetComp(self, node, scope):
        return set(self.value_of_ListComp(node, scope))

    def value_of_DictComp(self, node, scope):
        return {self.evaluate(node.key, i): self.evaluate(node.value, i) for i in self.rounds_of(node, scope)}

    def rounds_of(self, comprehension, scope):
        """A scope with the loops' names for each round."""
        scopes = [Scope(scope)]
        for generator in comprehension.generators:
            following = []
            for outer in scopes:
                for item in listed(self.evaluate(generator.iter, outer)):
                    self.spend()
                    inner = Scope(outer)
                    self.assign(generator.target, item, inner)
                    if all([certain(self.evaluate(condition, inner)) for condition in generator.ifs]):
                        following.append(inner)
                    if len(following) > ITEMS_MAX:
                        raise NotKnown
            scopes = following
        return scopes
