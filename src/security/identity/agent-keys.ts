/**
 * Keys of agents that live in the runtime: derived from one key of the home, so that a
 * thousand agents are made without a thousand files.
 */
import { hkdfSync } from 'node:crypto';
import type { DurableFileDeps } from '../../kernel/disk/durable-file.ts';
import { loadOrCreateKey } from './key-file.ts';
import { type KeyPair, keyPairOf } from './key-pair.ts';
import { keysFolder } from './principal.ts';

export interface AgentKeys {
  /** The same whenever it is asked for. */
  of(name: string): KeyPair;
}

export async function openAgentKeys(deps: DurableFileDeps, home: string): Promise<AgentKeys> {
  const { secretKey } = await loadOrCreateKey(deps, keysFolder(home), 'agents');
  return {
    of: (name) => {
      for (let again = 0; ; again++) {
        const info = `aos agent key 1 ${again} ${name}`;
        const pair = keyPairOf(new Uint8Array(hkdfSync('sha256', secretKey, '', info, 32)));
        // About one number in 2^128 is no key.
        if (pair !== undefined) return pair;
      }
    },
  };
}
