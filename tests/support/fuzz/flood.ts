/** Many requests over connections that are kept, with so many under way at once. */

import { limitMs } from '../limits.ts';
import type { FuzzRequest, FuzzWorld, PrincipalName } from './fuzz-world.ts';
import { KeptConnection, type Place } from './kept-connection.ts';
import { fuzzRequest } from './requests.ts';
import { faultOf, jsonOf } from './verdict.ts';

export interface Flood {
  readonly world: FuzzWorld;
  readonly seed: number;
  readonly requests: number;
  readonly places: Readonly<Record<PrincipalName, Place>>;
}

export interface Tally {
  /** What was wrong with which operation, each with the first request that showed it. */
  readonly faults: ReadonlyMap<string, string>;
  /** Operations that were answered as they are meant to. */
  readonly good: ReadonlySet<string>;
}

const atOnce = 24;
/** Whoever is not answered by then is taken to hang. */
const answerMs = limitMs(10_000);
const upkeepMs = limitMs(60_000);

export async function flood({ world, seed, requests, places }: Flood): Promise<Tally> {
  const faults = new Map<string, string>();
  const good = new Set<string>();
  let next = 0;
  const work = async (): Promise<void> => {
    const connections = {
      owner: new KeptConnection(places.owner),
      agent: new KeptConnection(places.agent),
      outsider: new KeptConnection(places.outsider),
      nobody: new KeptConnection(places.nobody),
    };
    while (next < requests) {
      const request = fuzzRequest(world, seed, next++);
      const { fault, status } = await tried(world, connections[request.party], request);
      if (status < 300 && status > 0) good.add(request.operation.id);
      if (fault === undefined) continue;
      const key = `${request.operation.id} ${fault.slice(0, 60)}`;
      if (!faults.has(key)) faults.set(key, told(request, fault));
    }
    for (const connection of Object.values(connections)) connection.close();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { faults, good };
}

interface Outcome {
  readonly fault: string | undefined;
  /** 0 where there was no answer. */
  readonly status: number;
}

async function tried(
  world: FuzzWorld,
  connection: KeptConnection,
  request: FuzzRequest,
): Promise<Outcome> {
  try {
    const { id, tag } = request.operation;
    const deadlineMs = id in world.upkeep ? upkeepMs : answerMs;
    const answer = await connection.send(request.raw, deadlineMs);
    if (answer.status < 300 && !answer.isStream) world.words.learn(id, tag, jsonOf(answer));
    return { fault: faultOf(world, request, answer), status: answer.status };
  } catch (failure) {
    return { fault: String(failure), status: 0 };
  }
}

/** Enough to send it again by hand. */
function told({ operation, party, raw, about }: FuzzRequest, fault: string): string {
  const headers = raw.headers.map(([name, value]) => `${name}: ${value.slice(0, 100)}`);
  const body = raw.body === undefined ? '' : Buffer.from(raw.body).toString().slice(0, 500);
  return [
    `${operation.id} as ${party}, ${about}: ${fault}`,
    `  ${raw.method} ${raw.target.slice(0, 500)}`,
    ...headers
      .filter((line) => !line.startsWith('Authorization: Bearer'))
      .map((line) => `  ${line.slice(0, 200)}`),
    `  ${JSON.stringify(body)}`,
  ].join('\n');
}
