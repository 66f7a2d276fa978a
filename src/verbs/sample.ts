/** What the examples of verbs have in common. */

/** Ids begin with their time, so that these stand in the order of what they name. */
export const ids = {
  message: '01bd8ee5a4007c1f0a9be2d4438a6e51',
  reply: '01bd8ee5ae1c90d25f7706b1cc3e8f42',
  grant: '01bd8ee5b2d014e97a3390bfae51c806',
  call: '01bd8ee5c4882fb1d06c5ea7138d9e24',
  approval: '01bd8ee5c4aa71e03c98d5f4b6a20d17',
  goal: '01bd8ee5d0103a68bb2f9c7de41508f6',
  part: '01bd8ee5d6e85d4c1a7f3b9026ce8d35',
  transfer: '01bd8ee5e1f04b82d7c6a3509e1f7b68',
  batch: '01bd8ee5e1f0c93a5568f0b2d47a1e03',
  upload: '01bd8ee5e0286fd91b3c5ae48270d6c9',
  link: '01bd8ee5f4b07e2ac1d85f3390b6e84d',
  operation: '01bd8ee602a819c4e7db50f3a8621b7d',
  artifact: '01bd8ee60e4cd2f7065ab81c93e7d04a',
} as const;

export const hashes = {
  plain: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  stored: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  event: 'fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13',
  before: 'a4e624d686e03ed2767c0abd85c14426b0b1157d2ce81d27bb4fe4f6f01d688a',
} as const;

export const addresses = {
  owner: '0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1',
  jean: '0xFFcf8FDEE72ac11b5c542428B35EEF5769C409f0',
  outsider: '0x22d491Bde2303f2f43325b2108D26f1eAbA1e32b',
} as const;

/** A moment of the day on which all examples happen. */
export function at(clock: string): string {
  return `2030-01-31T${clock}.000Z`;
}
