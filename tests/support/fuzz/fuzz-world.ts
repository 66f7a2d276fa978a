/** What a fuzz of the gateway is about: who calls, what is there, and the requests that come of it. */
import type { Dice } from '../../sim/dice.ts';
import type { DescribedOperation, OpenApi } from './described-operations.ts';
import type { RawRequest } from './kept-connection.ts';
import type { VerdictDeps } from './verdict.ts';
import type { Words } from './words.ts';

export type PrincipalName = 'owner' | 'agent' | 'outsider' | 'nobody';

export interface FuzzRequest {
  readonly operation: DescribedOperation;
  readonly party: PrincipalName;
  readonly raw: RawRequest;
  /** What is forbidden about it; undefined where the document allows it, or does not say. */
  readonly forbidden: string | undefined;
  /** What is odd about it, for whoever reads of it. */
  readonly about: string;
}

export interface FuzzWorld extends VerdictDeps {
  readonly document: OpenApi;
  readonly operations: readonly [DescribedOperation, ...DescribedOperation[]];
  readonly words: Words;
  /** The name of the agent that calls. */
  readonly agent: string;
  /** With those that say who it is. */
  signed(party: PrincipalName, request: RawRequest): RawRequest;
  /** Operations that are only ever called with what is forbidden: why. */
  readonly onlyForbidden: Readonly<Record<string, string>>;
  /** Operations that go over all that there is: called as they are meant to be now and then. */
  readonly upkeep: Readonly<Record<string, string>>;
  /** Fields that an operation is never sent: why not is said there. */
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
}

/** Part of a request on its way to be one. */
export interface Draft {
  method: string;
  path: Record<string, string>;
  query: [string, string][];
  headers: (readonly [string, string])[];
  type: string | undefined;
  body: Uint8Array | undefined;
  forbidden: string | undefined;
  about: string;
}

/** What a request shall be like. */
export interface Wish {
  readonly dice: Dice;
  readonly operation: DescribedOperation;
  readonly party: PrincipalName;
  readonly isOdd: boolean;
}
