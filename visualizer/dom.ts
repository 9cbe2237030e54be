type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | null>;

/**
 * An element with its attributes and children. Texts become text nodes and nothing else, so that nothing a model or a
 * file says is ever read as HTML. `onclick` and the like take functions; true is an attribute without a value; false and
 * null leave it out.
 */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value as EventListener);
    else if (value !== false && value !== null)
      element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

/** Puts other children in an element's place of its old ones. */
export function fill(element: Element, ...children: (Child | Child[])[]): void {
  element.replaceChildren(...children.flat().filter((child) => child !== null));
}
