/**
 * What a script may see of the environment: where programs, home and temporary files are, language, time zone,
 * terminal. An allow list, because secrets have no common name: keys, tokens, proxies with passwords, NODE_OPTIONS,
 * PYTHONPATH and LD_PRELOAD are left out by not being here.
 */
const allowedNames = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM"];
/** Windows does not care about case, but a copied environment does. */
const allowedOnWindows = [
  "SystemRoot",
  "SYSTEMROOT",
  "Path",
  "PATHEXT",
  "ComSpec",
  "TEMP",
  "TMP",
  "USERPROFILE",
];

/** The whole environment of a script, made from the harness's own. `granted`: names that somebody agreed to. */
export function scriptEnvironment(
  parent: Record<string, string | undefined>,
  given: { projectDir: string; skillDir: string; granted?: readonly string[] },
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of [...allowedNames, ...allowedOnWindows, ...(given.granted ?? [])]) {
    const value = parent[name];
    if (value !== undefined) environment[name] = value;
  }
  return {
    ...environment,
    PROJECT_DIR: given.projectDir,
    SKILL_DIR: given.skillDir,
    NO_COLOR: "1",
    PYTHONUTF8: "1",
    PYTHONIOENCODING: "utf-8",
    // A skill's folder is not ours to write __pycache__ into.
    PYTHONDONTWRITEBYTECODE: "1",
    // Nor is one that lies there read: what was compiled from is what was trusted. Nothing can be below this path.
    PYTHONPYCACHEPREFIX: "/dev/null",
  };
}
