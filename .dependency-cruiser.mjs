// Who may import whom. The table of ARCHITECTURE.md, checked: change both together.
const mayImport = {
  contracts: [],
  session: ["contracts"],
  guardrails: ["contracts", "session"],
  skills: ["contracts", "session"],
  machine: ["contracts", "guardrails", "session"],
  journal: ["contracts", "session", "machine"],
  proof: ["contracts", "guardrails", "session", "machine"],
  prompts: ["contracts", "guardrails", "session", "skills"],
  backends: ["contracts", "guardrails", "session", "skills"],
  actors: ["contracts", "guardrails", "session", "skills", "prompts", "backends"],
  inspector: ["contracts", "session", "skills", "machine", "journal", "proof", "prompts", "actors"],
  cli: [],
};
const doesIo =
  "^src/(actors|backends|cli|inspector)/|^src/.+/(load|save)-[^/]+[.]ts$|^src/(harness|run-turn|index)[.]ts$";
const folder = (name) => `^src/${name}/`;

const folders = Object.entries(mayImport).map(([from, to]) => ({
  name: `${from} may import: ${to.join(", ") || "no other folder"}`,
  severity: "error",
  from: { path: folder(from) },
  to: {
    path: "^src/",
    pathNot: [
      ...[from, ...to].map(folder),
      "^src/(errors|terminal-text)[.]ts$",
      // A start that only shows --help or an error loads these two and nothing else.
      ...(from === "cli"
        ? ["^src/(index|inspector|version)[.]ts$", "^src/machine/turn[.]limits[.]ts$"]
        : []),
      // What is kept is for the version that kept it.
      ...(from === "skills" ? ["^src/version[.]ts$"] : []),
      ...(from === "inspector" ? ["^src/(harness|events|version)[.]ts$"] : []),
      ...(from === "actors" ? ["^src/machine/turn[.]types[.]ts$", "^src/events[.]ts$"] : []),
    ],
  },
}));

const packages = {
  xstate: "^src/(machine/|journal/|proof/|inspector/|(run-turn|turn-work|harness)[.]ts$)",
  ajv: "^src/actors/check-arguments[.]ts",
  execa: "^src/actors/run-script[.]ts",
  "gray-matter": "^src/skills/frontmatter[.]ts",
  yaml: "^src/skills/yaml-fields[.]ts",
  acorn: "^src/skills/scripts/",
  commander: "^src/cli/",
  elkjs: "^src/inspector/chart/layout[.]ts",
  ws: "^src/inspector/server/(server|serve-socket)[.]ts",
  "@aws-sdk/client-bedrock-runtime": "^src/backends/bedrock",
  "@smithy/node-http-handler": "^src/backends/bedrock",
};
const homes = Object.entries(packages).map(([name, path]) => ({
  name: `${name} only where it is at home`,
  severity: "error",
  from: { path: "^src/", pathNot: path },
  to: { path: `node_modules/${name}/` },
}));

export default {
  forbidden: [
    ...folders,
    ...homes,
    {
      name: "Node built-ins only in I/O folders, load-* and save-* files, harness.ts and run-turn.ts",
      severity: "error",
      from: { path: "^src/", pathNot: doesIo },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "the machine and the contracts reach no I/O, not even through others",
      severity: "error",
      from: { path: "^src/(machine|contracts|guardrails|session|proof)/" },
      to: { path: doesIo, reachable: true },
    },
    {
      name: "the page knows of the rest only the words it speaks with it",
      severity: "error",
      from: { path: "^visualizer/" },
      to: {
        pathNot:
          "^(visualizer/|src/inspector/(protocol|patch|chart/chart)[.]ts$|src/contracts/call[.]ts$)",
      },
    },
    { name: "no cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "src knows no tests",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|examples)/" },
    },
    {
      name: "no unlisted packages",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    },
  ],
  options: { tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" } },
};
