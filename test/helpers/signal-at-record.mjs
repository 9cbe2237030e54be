// Loaded into the real command line: sends it a signal right after the nth record of its journal is on the disk.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { env, kill, pid } from "node:process";

const flush = fs.fdatasyncSync;
let records = 0;
fs.fdatasyncSync = (descriptor) => {
  flush(descriptor);
  records += 1;
  if (records === Number(env["SIGNAL_AT_RECORD"])) kill(pid, env["SIGNAL"]);
};
syncBuiltinESMExports();
