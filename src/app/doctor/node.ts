import type { Verdict } from './finding.ts';

/** The launcher has refused an older Node already; this says which one is in use. */
export async function checkNode(): Promise<Verdict> {
  return { state: 'ok', says: `Node ${process.versions.node} at ${process.execPath}` };
}
