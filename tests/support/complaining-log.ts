/** A log that says nothing of what goes well, and on stderr what does not. */
export const complainingLog = {
  info: (): void => {},
  warn: (facts: unknown): void => complain(facts),
  error: (facts: unknown): void => complain(facts),
};

function complain(facts: unknown): void {
  process.stderr.write(`${JSON.stringify(facts, errorsToo)}\n`);
}

function errorsToo(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.stack}` : value;
}
