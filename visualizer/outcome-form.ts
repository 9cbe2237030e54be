import type { Json } from "../src/contracts/call.ts";
import type { Remainder } from "../src/inspector/protocol.ts";
import { el } from "./dom.ts";
import { createJsonField } from "./json-field.ts";
import { outcomeText, withOutcomeText } from "./outcome-text.ts";

const REMAINDERS: [Remainder, string][] = [
  ["recorded", "the recorded outcomes where they fit"],
  ["live", "a live model"],
  ["hand", "by hand: I say what comes"],
];

export interface OutcomeForm {
  element: HTMLElement;
  set(output: Json, remainder: Remainder): void;
  focus: () => void;
  /** Null while what is typed is no JSON. */
  value(): { output: Json; remainder: Remainder } | null;
}

/** The fields for an outcome: its one plain text where it has one, all of it as JSON, and what goes on after it. */
export function createOutcomeForm(id: string): OutcomeForm {
  const area = el("textarea", { id: `${id}-text`, rows: 4 });
  const areaLabel = el("label", { for: `${id}-text` }, "");
  const areaField = el("div", { class: "field" }, areaLabel, area);
  let output: Json = null;
  const showText = (): void => {
    const found = outcomeText(output);
    areaField.hidden = found === null;
    areaLabel.textContent = found?.label ?? "Text";
    if (found && area.value !== found.text) area.value = found.text;
  };
  const json = createJsonField({
    id: `${id}-json`,
    label: "The whole outcome, as JSON",
    rows: 10,
    onInput: (typed) => {
      if (!("value" in typed)) return;
      output = typed.value;
      showText();
    },
  });
  area.addEventListener("input", () => {
    output = withOutcomeText(output, area.value);
    json.set(JSON.stringify(output, null, 2));
  });
  const radios = createRadios(id);
  return {
    element: el("div", { class: "outcome-fields" }, areaField, json.element, radios.element),
    set(value, remainder) {
      output = value;
      json.set(JSON.stringify(value, null, 2));
      showText();
      radios.set(remainder);
    },
    focus: () => (areaField.hidden ? json.focus() : area.focus()),
    value() {
      const typed = json.typed();
      return "value" in typed ? { output: typed.value, remainder: radios.value() } : null;
    },
  };
}

function createRadios(id: string): {
  element: HTMLElement;
  set(remainder: Remainder): void;
  value(): Remainder;
} {
  const inputs = new Map(
    REMAINDERS.map(([value]) => [
      value,
      el("input", { type: "radio", name: `${id}-then`, value, id: `${id}-${value}` }),
    ]),
  );
  const rows = REMAINDERS.map(([value, label]) =>
    el("label", { class: "choice", for: `${id}-${value}` }, inputs.get(value) ?? null, label),
  );
  return {
    element: el("fieldset", {}, el("legend", {}, "Then continue with"), ...rows),
    set(remainder) {
      for (const [value, input] of inputs) input.checked = value === remainder;
    },
    value: () => REMAINDERS.find(([value]) => inputs.get(value)?.checked)?.[0] ?? "recorded",
  };
}
