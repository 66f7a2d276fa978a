import { seccompFilters } from './prebuilt.ts';

/**
 * What a tool starts opens no unix sockets; an agent's own program talks to its daemon by one.
 * In a workspace that is too full nothing is made.
 */
export type SeccompKind = 'tool' | 'full' | 'body';

/**
 * The filter of system calls that bubblewrap takes by `--seccomp`, for an architecture as
 * Node names it; undefined where there is none. What it refuses: `scripts/seccomp/rules.ts`.
 */
export function seccompFilter(architecture: string, kind: SeccompKind): Uint8Array | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  return Buffer.from(seccompFilters[architecture][kind], 'base64');
}
