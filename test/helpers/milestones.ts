/** Counted events that may be awaited before or after they happen. */
export function milestones<Value>() {
  const gates: PromiseWithResolve<Value>[] = [];
  let reached = 0;
  const gate = (n: number) => {
    while (gates.length < n) gates.push(promiseWithResolve());
    return gates[n - 1] as PromiseWithResolve<Value>;
  };
  return {
    when: (n: number): Promise<Value> => gate(n).promise,
    reach(value: Value): void {
      reached += 1;
      gate(reached).resolve(value);
    },
  };
}

interface PromiseWithResolve<Value> {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
}

/** `Promise.withResolvers`, which Node 20 does not have. */
export function promiseWithResolve<Value>(): PromiseWithResolve<Value> {
  const made: Partial<PromiseWithResolve<Value>> = {};
  const promise = new Promise<Value>((resolve) => {
    made.resolve = resolve;
  });
  return { promise, resolve: (value) => made.resolve?.(value) };
}
