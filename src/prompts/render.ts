const HOLE = /\{\{([a-z_]+)\}\}/g;

/**
 * Fills every {{hole}} of a prompt text. A hole without a value and a value without a hole are bugs and throw: a prompt
 * with the word "undefined" in it would only be noticed by its results. Values are put in as they are, once.
 */
export function render(template: string, values: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(values));
  const text = template.replace(HOLE, (_hole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`prompt hole {{${name}}} has no value`);
    unused.delete(name);
    return value;
  });
  if (unused.size > 0) throw new Error(`prompt has no hole for: ${[...unused].join(", ")}`);
  return text.trimEnd();
}
