import type { Json } from "../../contracts/call.ts";
import type { PropertySchema } from "../../session/offer.ts";

/** Whether a value is what the schema of one property allows. */
export function fits(schema: PropertySchema, value: Json): boolean {
  if (!isOfType(schema.type, value)) return false;
  if (
    schema.enum &&
    !schema.enum.some((allowed) => JSON.stringify(allowed) === JSON.stringify(value))
  )
    return false;
  if (typeof value === "number") return within(value, schema.minimum, schema.maximum);
  if (typeof value === "string") return within(lengthOf(value), schema.minLength, schema.maxLength);
  if (!Array.isArray(value)) return true;
  const { items } = schema;
  return (
    within(value.length, schema.minItems, schema.maxItems) &&
    (!items || value.every((item) => fits(items, item)))
  );
}

function within(
  size: number,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
): boolean {
  return size >= least && size <= most;
}

function isOfType(type: PropertySchema["type"], value: Json): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === undefined || typeof value === type;
}

/** Length as JSON Schema counts it: in code points. */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}
