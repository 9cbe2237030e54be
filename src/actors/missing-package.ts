/**
 * What a script that failed says about a package it could not import. Only its last words count: a script may catch the
 * error, print it and go on.
 */
import path from "node:path";
import type { Tool } from "../skills/skill.ts";

/** Python's import names whose package is named otherwise. */
const PYTHON_PACKAGES: Record<string, string> = {
  attr: "attrs",
  bs4: "beautifulsoup4",
  Crypto: "pycryptodome",
  cv2: "opencv-python",
  dateutil: "python-dateutil",
  docx: "python-docx",
  dotenv: "python-dotenv",
  fitz: "PyMuPDF",
  git: "GitPython",
  github: "PyGithub",
  jose: "python-jose",
  jwt: "PyJWT",
  magic: "python-magic",
  MySQLdb: "mysqlclient",
  OpenSSL: "pyOpenSSL",
  PIL: "Pillow",
  pptx: "python-pptx",
  psycopg2: "psycopg2-binary",
  serial: "pyserial",
  skimage: "scikit-image",
  sklearn: "scikit-learn",
  slugify: "python-slugify",
  telegram: "python-telegram-bot",
  usb: "pyusb",
  win32com: "pywin32",
  yaml: "PyYAML",
  zmq: "pyzmq",
};
/** Packages that share the name of their top module with others. */
const PYTHON_NAMESPACES: Record<string, string> = {
  "google.cloud.storage": "google-cloud-storage",
  "google.cloud.bigquery": "google-cloud-bigquery",
  "google.generativeai": "google-generativeai",
  "google.genai": "google-genai",
  "google.protobuf": "protobuf",
  "google.oauth2": "google-auth",
  "google.auth": "google-auth",
  "ruamel.yaml": "ruamel.yaml",
};

const PYTHON_MISSING = /^(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?/;
const NODE_MISSING = /\bCannot find (?:package|module) '([^'\n]+)'/;
const NODE_NAME = /^(?:@[a-z0-9~_][\w.~-]*\/)?[a-z0-9~_][\w.~-]*/i;
const PYTHON_FRAME = /^ {2}File "([^"\n]+)", line \d+/gm;
/** The message of Node stands above a stack of ten frames and its own version. */
const LINES_MAX = 40;

interface Missing {
  language: "python" | "node";
  /** As the script imports it: "yaml", "google.cloud.storage". */
  module: string;
  /** As it is installed: "PyYAML". */
  package: string;
}

/** The package, by the name it is installed under, that ended a script; null where something else did. */
export function missingPackage(stderr: string): string | null {
  return missingIn(stderr)?.package ?? null;
}

/**
 * One sentence for a script that ended because a package is missing: which one, whether the script declares it, and what
 * to do. null where something else ended it, or what is missing is a file of the skill's own.
 * `siblings` are names of files and folders beside the script.
 */
export function needsPackages(
  tool: Pick<Tool, "file" | "packages">,
  stderr: string,
  siblings: readonly string[] = [],
): string | null {
  const missing = missingIn(stderr);
  if (missing === null || isOwn(missing, tool, stderr, siblings)) return null;
  const script = path.basename(tool.file);
  const named =
    missing.package === missing.module
      ? `the package ${missing.package}`
      : `the package ${missing.package} (imported as ${missing.module})`;
  if (missing.language === "node")
    return `${script} needs ${named}, which is not installed: install it with "npm install ${missing.package}" in the skill's folder.`;
  const isDeclared = (tool.packages ?? []).some(
    (one) => plainName(one) === plainName(missing.package),
  );
  return isDeclared
    ? `${script} needs ${named}, which it declares and which is not installed: install uv, which brings such packages along, or install it with "python3 -m pip install ${missing.package}".`
    : `${script} needs ${named}, which is neither installed nor declared by the script: install it with "python3 -m pip install ${missing.package}", or declare it in a PEP 723 block and install uv.`;
}

function missingIn(stderr: string): Missing | null {
  const lines = stderr.trimEnd().split(/\r?\n/);
  const python = PYTHON_MISSING.exec(lines.at(-1) ?? "");
  if (python?.[1] !== undefined) {
    const module = python[1];
    const name = pythonPackage(module);
    return { language: "python", module: module.split(".")[0] ?? module, package: name };
  }
  const last = lines.slice(-LINES_MAX).join("\n");
  if (!/\bERR_MODULE_NOT_FOUND\b|\bMODULE_NOT_FOUND\b/.test(last)) return null;
  const asked = NODE_MISSING.exec(last)?.[1];
  if (asked === undefined || /^[./]|^[A-Za-z]:|^(?:file|node):|^#/.test(asked)) return null;
  const name = NODE_NAME.exec(asked)?.[0];
  return name === undefined ? null : { language: "node", module: name, package: name };
}

function pythonPackage(module: string): string {
  const parts = module.split(".");
  for (let length = parts.length; length > 1; length -= 1) {
    const known = PYTHON_NAMESPACES[parts.slice(0, length).join(".")];
    if (known !== undefined) return known;
  }
  const top = parts[0] ?? module;
  return Object.hasOwn(PYTHON_PACKAGES, top) ? (PYTHON_PACKAGES[top] ?? top) : top;
}

/** "Requests[socks]>=2" and "requests" are one package: PEP 503 compares names without case and separators. */
function plainName(requirement: string): string {
  const name = /^\s*([A-Za-z0-9][\w.-]*)/.exec(requirement)?.[1] ?? "";
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

/**
 * Whether a module is one of the skill's that is gone or was written wrong: it bears the name of a file beside the
 * script, or is a part of a package of which another part was found.
 */
function isOwn(
  { language, module }: Missing,
  { file }: Pick<Tool, "file">,
  stderr: string,
  siblings: readonly string[],
): boolean {
  if (language === "node") return false;
  const names = [path.basename(file), ...siblings].map((name) => name.replace(/\.py$/, ""));
  const folder = path.dirname(file);
  // `from scripts.common import …`, where "scripts" is the folder itself.
  if ([...names, path.basename(folder)].includes(module)) return true;
  const frames = [...stderr.matchAll(PYTHON_FRAME)].map(([, frame = ""]) => frame);
  return frames.some((frame) => frame.startsWith(path.join(folder, module) + path.sep));
}
