/** The uids that agents have under a daemon of root; above what systems give to people, services and containers. */
export const agentUids = { first: 2_000_000_000, count: 140_000_000 } as const;

export function isAgentUid(uid: number): boolean {
  return uid >= agentUids.first && uid < agentUids.first + agentUids.count;
}

/** The port through which files become somebody's. */
export interface Owners {
  /** Only then files can become somebody else's. */
  readonly isRoot: boolean;
  /** A folder with all that is in it, unless it is theirs already. */
  give(folder: string, uid: number): Promise<void>;
}
