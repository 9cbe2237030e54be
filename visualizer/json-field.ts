import type { Json } from "../src/contracts/call.ts";
import { el } from "./dom.ts";
import { readTyped, type Typed } from "./json-fault.ts";

export interface JsonField {
  element: HTMLElement;
  set(text: string): void;
  focus(): void;
  /** What is typed now. */
  typed(): Typed;
}

interface Options {
  id: string;
  label: string;
  rows: number;
  placeholder?: string;
  /** What speaks against a value that is JSON; "" if nothing. */
  fault?: (value: Json) => string;
  /** What stands for an empty field; without it an empty field is a fault. */
  empty?: Json;
  onInput?: (typed: Typed) => void;
}

/** A text field for JSON that says while one types where it is none. */
export function createJsonField(options: Options): JsonField {
  const { id, label, rows, placeholder = "", onInput } = options;
  const area = el("textarea", {
    id,
    rows,
    placeholder,
    class: "code-input",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    "aria-describedby": `${id}-fault`,
  });
  const says = el("p", { id: `${id}-fault`, class: "fault", role: "status" });
  const show = (): Typed => {
    const typed = typedIn(area.value, options);
    const fault = "fault" in typed ? typed.fault : "";
    says.textContent = fault;
    area.setAttribute("aria-invalid", String(fault !== ""));
    return typed;
  };
  area.addEventListener("input", () => {
    const typed = show();
    onInput?.(typed);
  });
  return {
    element: el("div", { class: "field" }, el("label", { for: id }, label), area, says),
    set(text) {
      area.value = text;
      show();
    },
    focus: () => area.focus(),
    typed: () => typedIn(area.value, options),
  };
}

function typedIn(text: string, { fault, empty }: Options): Typed {
  if (text.trim() === "" && empty !== undefined) return { value: empty };
  const typed = readTyped(text);
  const against = "value" in typed && fault ? fault(typed.value) : "";
  return against === "" ? typed : { fault: against };
}
