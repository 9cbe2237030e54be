"""Expressions to values: names, literals, operators, attributes, items and comprehensions."""

import ast
import builtins

from computing import CONSTANTS, OPERATORS, has_wide_field, is_method, listed, operate
from interpreter import Interpreter, certain
from parsers import PARSER_VALUES
from source import clip, documentation_of, index_of
from values import CHARACTERS_MAX, ITEMS_MAX, NotKnown, Scope, Unknown, is_plain
from values import Bound, Class, EnumMember, Function, Instance, Reference, Super

MISSING = object()


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

    def value_of_Lambda(self, node, scope):
        return Reference("lambda")

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
        if isinstance(base, Class):
            return base.member(name)
        if isinstance(base, (Instance, EnumMember)) and name in base.values:
            return base.values[name]
        cls = getattr(base, "cls", None)
        owner = base.receiver if isinstance(base, Super) else base
        member = cls.member(name, isinstance(base, Super)) if isinstance(cls, Class) else None
        if member is not None:
            return member.bound_to(owner) if isinstance(member, Function) else member
        return Bound(owner, name) if isinstance(owner, PARSER_VALUES) or is_method(owner, name) else None

    def value_of_Subscript(self, node, scope):
        base = self.evaluate(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            limits = (node.slice.lower, node.slice.upper, node.slice.step)
            return base[slice(*[part and self.evaluate(part, scope) for part in limits])]
        key = self.evaluate(index_of(node), scope)
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
