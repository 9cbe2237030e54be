import type { Expression, ObjectExpression, PrivateIdentifier } from "acorn";
import type { Json } from "../../contracts/call.ts";

const DEPTH_MAX = 16;

/** A value as written in the source, or the place (an offset into the source) of what would have to be computed. */
export type LiteralReading = { ok: true; value: Json } | { ok: false; place: number };

const no = (node: { start: number }): LiteralReading => ({ ok: false, place: node.start });

/** The value of an expression that is written out: literals, arrays, objects, joined strings. Nothing is evaluated. */
export function readLiteral(node: Expression, depth = 0): LiteralReading {
  if (depth > DEPTH_MAX) return no(node);
  if (node.type === "Literal")
    return isPlain(node.value) ? { ok: true, value: node.value } : no(node);
  if (node.type === "TemplateLiteral") return readTemplate(node);
  if (node.type === "UnaryExpression") return readNegative(node, depth);
  if (node.type === "BinaryExpression") return readJoined(node);
  if (node.type === "ArrayExpression") return readArray(node, depth);
  return node.type === "ObjectExpression" ? readObject(node, depth) : no(node);
}

function readTemplate(node: Extract<Expression, { type: "TemplateLiteral" }>): LiteralReading {
  const text = node.quasis[0]?.value.cooked;
  return node.expressions.length === 0 && typeof text === "string"
    ? { ok: true, value: text }
    : no(node);
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function readNegative(
  node: Extract<Expression, { type: "UnaryExpression" }>,
  depth: number,
): LiteralReading {
  const operand = readLiteral(node.argument, depth + 1);
  const negative = node.operator === "-" && operand.ok && typeof operand.value === "number";
  return negative ? { ok: true, value: -Number(operand.value) } : no(node);
}

/** `"a" + "b" + …`. The tree leans to the left, one level for each part: a loop, because there may be thousands. */
function readJoined(node: Extract<Expression, { type: "BinaryExpression" }>): LiteralReading {
  const parts: string[] = [];
  let rest: Expression | PrivateIdentifier = node;
  while (rest.type === "BinaryExpression" && rest.operator === "+") {
    const part = textOf(rest.right);
    if (part === null) return no(rest.right);
    parts.push(part);
    rest = rest.left;
  }
  const first = textOf(rest);
  return first === null ? no(rest) : { ok: true, value: [first, ...parts.toReversed()].join("") };
}

function textOf(node: Expression | PrivateIdentifier): string | null {
  if (node.type !== "Literal" && node.type !== "TemplateLiteral") return null;
  const reading = readLiteral(node);
  return reading.ok && typeof reading.value === "string" ? reading.value : null;
}

function readArray(
  node: Extract<Expression, { type: "ArrayExpression" }>,
  depth: number,
): LiteralReading {
  const values: Json[] = [];
  for (const element of node.elements) {
    if (element === null || element.type === "SpreadElement") return no(element ?? node);
    const reading = readLiteral(element, depth + 1);
    if (!reading.ok) return reading;
    values.push(reading.value);
  }
  return { ok: true, value: values };
}

function readObject(node: ObjectExpression, depth: number): LiteralReading {
  const entries = readEntries(node);
  if (!entries.ok) return entries;
  const values = new Map<string, Json>();
  for (const { key, value } of entries.entries) {
    const reading = readLiteral(value, depth + 1);
    if (!reading.ok) return reading;
    values.set(key, reading.value);
  }
  return { ok: true, value: Object.fromEntries(values) };
}

/** The keys of an object and the expressions behind them, or the place of a key that is not written out. */
export function readEntries(
  node: ObjectExpression,
): { ok: true; entries: { key: string; value: Expression }[] } | { ok: false; place: number } {
  const entries: { key: string; value: Expression }[] = [];
  for (const property of node.properties) {
    if (property.type === "SpreadElement" || property.kind !== "init")
      return { ok: false, place: property.start };
    const key = property.computed ? undefined : keyOf(property.key);
    // `__proto__: x` in a literal sets the prototype and is no key at all.
    if (key === undefined || key === "__proto__") return { ok: false, place: property.start };
    entries.push({ key, value: property.value });
  }
  return { ok: true, entries };
}

function keyOf(key: Expression): string | undefined {
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" && isPlain(key.value) ? String(key.value) : undefined;
}
