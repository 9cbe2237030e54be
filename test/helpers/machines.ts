import type { AnyStateMachine } from "xstate";

/** A machine of test/fixtures/machines: those files are plain JavaScript, as a user's may be. */
export async function machineFixture(file: string, name = file): Promise<AnyStateMachine> {
  const module = (await import(`../fixtures/machines/${file}.mjs`)) as Record<string, unknown>;
  const machine = module[name];
  if (!machine) throw new Error(`${file}.mjs exports no ${name}`);
  return machine as AnyStateMachine;
}
