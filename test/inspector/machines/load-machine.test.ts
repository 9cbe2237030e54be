import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const fixtures = join(root, "test/fixtures/machines");
const folder = mkdtempSync(join(tmpdir(), "broharness-machines-"));

const hrefOf = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);

const script = `
  import { loadMachine } from ${hrefOf("src/inspector/machines/load-machine.ts")};
  import { createSimulation } from ${hrefOf("src/inspector/machines/simulate.ts")};
  const told = [];
  for (const [file, name] of JSON.parse(process.argv[1]))
    try {
      const machine = await loadMachine(file, name);
      const { first, send } = createSimulation(machine);
      const next = send(first, { type: "go" });
      const after = "refused" in next ? [] : [...next.states, ...next.arcs.map(({ id }) => id), ...next.actions];
      told.push([machine.id, ...first.states, ...after].join(" | "));
    } catch (error) {
      told.push(error.name + " " + error.code + ": " + error.message);
    }
  process.stdout.write(JSON.stringify(told));
`;

/** Loads each in a Node of its own, for a test runner loads modules in its own way. Tells states, or the error. */
async function load(...cases: [file: string, name?: string][]): Promise<string[]> {
  const { stdout } = await execa(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", script, JSON.stringify(cases)],
    { cwd: root },
  );
  return JSON.parse(
    stdout.replaceAll(folder, "FOLDER").replaceAll("test/fixtures/machines/", ""),
  ) as string[];
}

test("a machine: by an absolute and a relative path, the only one, one by name, of CommonJS, behind a link", async () => {
  symlinkSync(join(fixtures, "player.mjs"), join(folder, "link.mjs"));
  expect(
    await load(
      [join(fixtures, "player.mjs")],
      ["test/fixtures/machines/player.mjs"],
      ["test/fixtures/machines/player.mjs", "default"],
      ["test/fixtures/machines/door.mjs"],
      ["test/fixtures/machines/several.mjs", "coffee"],
      ["test/fixtures/machines/common.cjs"],
      [join(folder, "link.mjs")],
    ),
  ).toEqual([
    "player | player.here.sound.off | player.here.tape.stopped",
    "player | player.here.sound.off | player.here.tape.stopped",
    "player | player.here.sound.off | player.here.tape.stopped",
    "door | door.shut.locked",
    "coffee | coffee.hot",
    "tea | tea.cold",
    "player | player.here.sound.off | player.here.tape.stopped",
  ]);
});

test("what cannot be loaded is told in one sentence", async () => {
  writeFileSync(join(folder, "machine.ts"), "export const a: number = 1;");
  writeFileSync(join(folder, "lost.mjs"), 'import "xstate";');
  writeFileSync(join(folder, "torn.mjs"), "export const = 1;");
  writeFileSync(join(folder, "lost-other.mjs"), 'import "./nowhere.mjs";');
  const told = await load(
    [join(folder, "nowhere.mjs")],
    [folder],
    [join(folder, "machine.ts")],
    [join(folder, "lost.mjs")],
    [join(folder, "lost-other.mjs")],
    [join(folder, "torn.mjs")],
  );
  expect(told).toEqual([
    "HarnessError no_such_file: FOLDER/nowhere.mjs: no such file",
    "HarnessError not_readable: FOLDER is no file: give the module that exports the machine",
    "HarnessError usage: FOLDER/machine.ts is TypeScript, which this Node does not load: compile it first, or give the built .js",
    "HarnessError runtime_missing: FOLDER/lost.mjs needs xstate and cannot find it: install xstate beside it (npm install xstate)",
    "HarnessError usage: FOLDER/lost-other.mjs cannot be loaded: Cannot find module 'FOLDER/nowhere.mjs' imported from FOLDER/lost-other.mjs",
    "HarnessError usage: FOLDER/torn.mjs cannot be loaded: Unexpected token '='",
  ]);
});

test("what exports no machine, or not the one that was meant, is told in one sentence", async () => {
  const told = await load(
    ["test/fixtures/machines/throws.mjs"],
    ["test/fixtures/machines/no-machine.mjs"],
    ["test/fixtures/machines/several.mjs"],
    ["test/fixtures/machines/several.mjs", "cofee"],
    ["test/fixtures/machines/several.mjs", "cup"],
    ["test/fixtures/machines/several.mjs", "lemonade"],
    ["test/fixtures/machines/old.mjs"],
    ["test/fixtures/machines/old.mjs", "lamp"],
  );
  expect(told).toEqual([
    "HarnessError usage: throws.mjs cannot be loaded: the kettle is broken",
    "HarnessError usage: no-machine.mjs exports no machine: export what createMachine of XState 5 gives back",
    "HarnessError usage: several.mjs exports several machines: say which one of coffee, tea",
    "HarnessError usage: several.mjs exports no cofee: did you mean coffee?",
    "HarnessError usage: several.mjs exports cup, but that is no machine of XState 5: there is coffee, tea",
    "HarnessError usage: several.mjs exports no lemonade: there is coffee, tea",
    "HarnessError usage: old.mjs exports only machines of XState 4 (lamp): only machines of XState 5 can be shown",
    "HarnessError usage: old.mjs exports lamp as a machine of XState 4: only machines of XState 5 can be shown",
  ]);
});

test("a machine of another copy of XState is stepped as if it were of ours", async () => {
  const modules = join(folder, "other/node_modules");
  mkdirSync(modules, { recursive: true });
  cpSync(resolve(root, "node_modules/xstate"), join(modules, "xstate"), { recursive: true });
  writeFileSync(
    join(folder, "other/machine.mjs"),
    `import { and, assign, createMachine, fromPromise, stateIn } from "xstate";
     export const other = createMachine({
       id: "other", context: { n: 0 }, initial: "a",
       states: {
         a: {
           entry: assign({ n: 1 }),
           on: { go: [{ target: "b", guard: ({ context }) => context.n > 1 }, { target: "b", guard: and([stateIn("a"), () => true]), actions: assign({ n: 2 }) }] },
         },
         b: { invoke: { src: fromPromise(async () => 1) } },
       },
     });`,
  );
  expect(await load([join(folder, "other/machine.mjs")])).toEqual([
    "other | other.a | other.b | other.a go #0 | other.a go #1 | assign",
  ]);
});
