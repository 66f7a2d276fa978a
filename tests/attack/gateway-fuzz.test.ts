/**
 * Every operation that the gateway says it has, called as its own document allows and with one
 * rule broken at a time. The requests follow from the seed of the run, and from the part of it.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { defaultSettings } from '../../src/app/config/settings.ts';
import { realClock } from '../../src/engines/clock.ts';
import { type KeyPair, newKeyPair } from '../../src/security/identity/key-pair.ts';
import { signRequest } from '../../src/security/identity/signed-request.ts';
import { seededRandom } from '../sim/random.ts';
import { describedOperations, type OpenApi } from '../support/fuzz/described-operations.ts';
import { flood } from '../support/fuzz/flood.ts';
import { furnish, scriptedModel } from '../support/fuzz/furnished-home.ts';
import type { FuzzWorld, PrincipalName } from '../support/fuzz/fuzz-world.ts';
import { Words } from '../support/fuzz/words.ts';
import { limitMs } from '../support/limits.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { send, type TemporaryGateway, temporaryGateway } from '../support/temporary-gateway.ts';
import { isFull, part, runSeed, times } from '../support/tier.ts';

const requests = times({ fast: 1500, full: 200_000 });
const seed = runSeed + part.number - 1;
const limits = { requestsPerSecond: 1_000_000, requestBurst: 1_000_000 };
const relayLimits = { messagesPerSecond: 1_000_000, messageBurst: 1_000_000 };

/** Called only with what is forbidden, and why. */
const onlyForbidden = {
  shutdown: 'it would end the server',
  gc: 'it removes what other requests are about to use',
  backup: 'it writes a file wherever the request says',
};

/** Called as they are meant to be once in twenty times, with more time, and why. */
const upkeep = {
  auditVerify: 'it goes over all events that there are',
  verifyBlobs: 'it reads all stored bytes, and gives way to everybody else meanwhile',
  rotateKeys: 'it seals the metadata of all operations anew, durably, one after another',
};

const refuseInAnswer = {
  runFiles: 'whatever is asked of the file agent, its answer has a status',
};

/** Never sent, because it would start any program that the request names. */
const leftOut = { spawn: ['cli'] };

const title = 'breaks the gateway, hangs, or gets what is forbidden';

test(`of ${requests} requests (seed ${seed}) none ${title}`, {
  timeout: limitMs(requests * 10),
}, async () => {
  await using folder = temporaryFolder();
  const model = scriptedModel(folder);
  const settings = { ...defaultSettings, defaultModel: model };
  const choices = { withRuntime: true, settings };
  await using gateway = await temporaryGateway({ limits }, relayLimits, choices);
  const port = await gateway.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const world = await worldOf(gateway, { port, model });
  const places = {
    owner: port,
    agent: gateway.agentSocket(world.agent),
    outsider: port,
    nobody: port,
  };

  const { faults, good } = await flood({ world, seed, requests, places });

  if (faults.size > 0) expect.fail([...faults.values(), `Again: ${again()}`].join('\n'));
  // Else it would be tried on refusals alone.
  expect(good.size / world.operations.length).toBeGreaterThan(isFull ? 0.8 : 0.5);
});

/** What sends the same requests once more. */
function again(): string {
  const full = isFull ? `AOS_TEST_FULL=1 AOS_TEST_PART=${part.number}/${part.of} ` : '';
  const file = 'tests/attack/gateway-fuzz.test.ts';
  return `${full}AOS_TEST_SEED=${runSeed} npx vitest run --project attack ${file}`;
}

interface Setting {
  readonly port: number;
  readonly model: string;
}

async function worldOf(gateway: TemporaryGateway, { port, model }: Setting): Promise<FuzzWorld> {
  const { ownerSocket, ownerHandle } = gateway;
  const agent = 'ada';
  const words = new Words();
  const outsider = newKeyPair(seededRandom(seed));
  const { handle } = await furnish(gateway.client, {
    ...{ agent, model, words, outsider: outsider.address },
  });
  // The document that the gateway itself serves.
  const document = (await send({ at: ownerSocket, path: '/openapi.json' })).json as OpenApi;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'document' });
  const [first, ...others] = describedOperations(document);
  if (first === undefined) throw new Error('the gateway describes nothing');
  return {
    ...{ document, onlyForbidden, upkeep, refuseInAnswer, leftOut, agent, words },
    operations: [first, ...others],
    loggedOf: (requestId) => {
      const entry = gateway.logged.find((one) => isAbout(one, requestId));
      return entry?.err instanceof Error ? String(entry.err.stack).slice(0, 600) : 'nothing logged';
    },
    signed: signedBy({ ownerHandle, handle, outsider, port }),
    check: (pointer) => {
      const check = ajv.getSchema(`document#${pointer}`);
      if (check === undefined) throw new Error(`there is no schema at ${pointer}`);
      return check;
    },
  };
}

interface Parties {
  readonly ownerHandle: string;
  readonly handle: string;
  readonly outsider: KeyPair;
  readonly port: number;
}

function signedBy({ ownerHandle, handle, outsider, port }: Parties): FuzzWorld['signed'] {
  const random = seededRandom(`nonces ${seed}`);
  const aud = `http://127.0.0.1:${port}`;
  return (party, request) => {
    const { method, target: uri, body } = request;
    const authorizations: Readonly<Record<PrincipalName, () => string | undefined>> = {
      owner: () => `Bearer ${ownerHandle}`,
      agent: () => `Bearer ${handle}`,
      outsider: () =>
        signRequest(outsider, {
          ...{ aud, now: realClock.now(), method, uri, body, nonce: random.bytes(16) },
        }),
      nobody: () => undefined,
    };
    const authorization = authorizations[party]();
    const said = {
      Host: `127.0.0.1:${port}`,
      ...(authorization && { Authorization: authorization }),
    };
    // Of two that are alike the first would count, and odd ones shall.
    const odd = new Set(request.headers.map(([name]) => name));
    const own = Object.entries(said).filter(([name]) => !odd.has(name));
    return { ...request, headers: [...own, ...request.headers] };
  };
}

/** An entry of the log as a gateway writes it when something broke. */
function isAbout(entry: unknown, requestId: string): entry is { readonly err?: unknown } {
  const facts = typeof entry === 'object' && entry !== null ? entry : {};
  return 'request_id' in facts && facts.request_id === requestId;
}
