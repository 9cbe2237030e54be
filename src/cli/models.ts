import { statSync } from "node:fs";
import {
  createBedrockBackend,
  createRecordedBackend,
  createRecordingBackend,
  createScriptedBackend,
  HarnessError,
  loadScript,
  nearest,
  type Backend,
  type HarnessOptions,
} from "../index.ts";
import type { Flags } from "./flags.ts";

const PROVIDERS = ["offline", "bedrock", "scripted", "recorded"] as const;
const ROLES = ["skill_call", "tool_call", "answer"] as const;

type Role = (typeof ROLES)[number];

interface Makers {
  offline: () => Backend;
  environment: Readonly<Record<string, string | undefined>>;
}

/** The backends that the flags name. One name gives one backend, so that roles share its script and its connection. */
export function createBackends(
  flags: Flags,
  makers: Makers,
): Pick<HarnessOptions, "backend" | "backends"> {
  const made = new Map<string, Backend>();
  const backendOf = (name: string) => {
    const known = made.get(name) ?? createBackend(name, makers);
    made.set(name, known);
    return known;
  };
  const recording = (backend: Backend) =>
    flags.record === undefined ? backend : createRecordingBackend(backend, flags.record);
  if (flags.record !== undefined && flags.roleModel.length > 0)
    throw new HarnessError("usage", "--record takes one model: leave out --role-model");
  if (flags.record !== undefined && isReadBy(flags.model, flags.record))
    throw new HarnessError(
      "usage",
      `--record ${flags.record}: the replies are read from this file; record to another one`,
    );
  return {
    backend: recording(backendOf(flags.model)),
    backends: Object.fromEntries(
      flags.roleModel.map((pair) => {
        const { role, name } = splitRole(pair);
        return [role, backendOf(name)];
      }),
    ),
  };
}

function createBackend(name: string, { offline, environment }: Makers): Backend {
  const slash = name.indexOf("/");
  const provider = slash < 0 ? name : name.slice(0, slash);
  const id = slash < 0 ? "" : name.slice(slash + 1);
  switch (provider) {
    case "offline":
      return offline();
    case "bedrock":
      return createBedrockBackend({ ...(id === "" ? {} : { model: id }), environment });
    case "scripted":
      return createScriptedBackend(loadScript(fileOf(name, id)), name);
    case "recorded":
      return createRecordedBackend(fileOf(name, id));
    default: {
      const near = nearest(provider, PROVIDERS);
      const hint = near ? `; did you mean ${near}?` : "";
      throw new HarnessError(
        "usage",
        `--model ${name}: no provider "${provider}"; there are ${PROVIDERS.join(", ")}${hint}`,
      );
    }
  }
}

function isReadBy(model: string, file: string): boolean {
  const [provider = "", ...rest] = model.split("/");
  if (provider !== "scripted" && provider !== "recorded") return false;
  const [read, written] = [rest.join("/"), file].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  );
  return read !== undefined && read.dev === written?.dev && read.ino === written.ino;
}

function fileOf(name: string, file: string): string {
  if (file === "")
    throw new HarnessError("usage", `--model ${name}: name a file, as in ${name}/replies.jsonl`);
  return file;
}

function splitRole(pair: string): { role: Role; name: string } {
  const [word = "", ...rest] = pair.split("=");
  const role = ROLES.find((candidate) => candidate === word);
  if (!role || rest.length === 0)
    throw new HarnessError(
      "usage",
      `--role-model ${pair}: expected ROLE=PROVIDER/ID with a role of ${ROLES.join(", ")}`,
    );
  return { role, name: rest.join("=") };
}
