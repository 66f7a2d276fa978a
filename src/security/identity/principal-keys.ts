/** The keys of the principals of this home: agents' by their files or derived, the owner's. */

import { hkdfSync } from 'node:crypto';
import type { DurableFileDeps } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { findAgent } from '../../ledger/agents.ts';
import type { Ledger, Sql } from '../../ledger/ledger.ts';
import { findPrincipal } from '../../ledger/security/principals.ts';
import {
  brokenKey,
  keyPath,
  keysFolder,
  loadKey,
  loadOrCreateKey,
  type PrincipalId,
} from './key-file.ts';
import { type KeyPair, keyPairOf } from './key-pair.ts';

export interface PrincipalKeys {
  /** Read when it is asked for, and not kept. Throws where the key is lost, or another one. */
  of(principal: string): Promise<KeyPair>;
}

interface PrincipalKeysDeps extends DurableFileDeps {
  readonly ledger: Pick<Ledger, 'committed'>;
}

export function principalKeys(deps: PrincipalKeysDeps, home: string): PrincipalKeys {
  return {
    of: async (principal) => {
      const known = await findPrincipal(deps.ledger.committed, principal);
      const id = known && principalId(principal);
      const key = id && (await keyOf(deps, home, id));
      if (key === undefined) throw missingKey(principal);
      if (key.address === known?.address) return key;
      throw brokenKey(keyPath(keysFolder(home), id ?? 'owner'), 'is not the one in the ledger');
    },
  };
}

async function keyOf(
  deps: PrincipalKeysDeps,
  home: string,
  principal: PrincipalId,
): Promise<KeyPair | undefined> {
  const name = nameIn(principal);
  if (name !== undefined && (await isDerived(deps.ledger.committed, name))) {
    return (await openAgentKeys(deps, home)).of(name);
  }
  return loadKey(deps.disk, keysFolder(home), principal);
}

/** An agent that runs on a model has no key file. */
async function isDerived(sql: Sql, name: string): Promise<boolean> {
  return (await findAgent(sql, name))?.body === 'model';
}

function principalId(principal: string): PrincipalId | undefined {
  if (principal === 'owner') return principal;
  const name = nameIn(principal);
  return name === undefined ? undefined : `agent:${name}`;
}

function nameIn(principal: string): string | undefined {
  return /^agent:(.+)$/.exec(principal)?.[1];
}

function missingKey(principal: string): AosError {
  return new AosError('identity.missing-key', {
    message: `The key of ${quote(principal)} is not there`,
    fix: 'Put its file back into keys/ from a backup; a new key would be a new identity',
  });
}

// Keys of agents that live in the runtime: derived from one key of the home, so that a
// thousand agents are made without a thousand files.

export interface AgentKeys {
  /** Derived: an agent has the same key whenever it is asked for. */
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
