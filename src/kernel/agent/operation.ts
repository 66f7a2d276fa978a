/** What an operation is to outsiders: five statuses, and limits. */

export const operationStatuses = [
  'pending',
  'running',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** What nothing can change; the other limits are settings. */
export const artifactLimits = {
  mostCount: 50,
  mostBytes: 100_000_000,
  /** Of all parts of the name, with the slashes between them. */
  nameLength: 255,
  nameParts: 8,
} as const;

/** How much of what is embedded in an answer; above the first, a warning goes with it. */
export const embedLimits = { warnBytes: 1_000_000, mostBytes: 10_000_000 } as const;

/** How long what was signed may be good, and how far clocks may be apart. */
export const signatureTimes = { longestSeconds: 300, skewSeconds: 60 } as const;

/** How long what one signature buys is good. */
export const tokenMs = 15 * 60_000;

/** An outsider, by the address that its signatures recover to. */
export function granteeOf(address: string): `grantee:${string}` {
  return `grantee:${address}`;
}

/** The address of an outsider; undefined for anybody else. */
export function addressOfGrantee(principal: string): string | undefined {
  return /^grantee:(0x[0-9a-fA-F]{40})$/.exec(principal)?.[1];
}

export function isGrantee(principal: string): boolean {
  return addressOfGrantee(principal) !== undefined;
}
