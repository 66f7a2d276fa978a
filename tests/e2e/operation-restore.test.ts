/**
 * A home that is put back to what it was while an outsider's operation ran: what was erased since
 * then stays erased, what was signed before then is not good again, and everything else goes on.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signatureTimes } from '../../src/kernel/agent/operation.ts';
import {
  Grantee,
  type GranteeAnswer,
  type GranteeRequest,
  type ReadyRequest,
  sendReady,
} from '../support/grantee.ts';
import {
  good,
  type OutsiderHome,
  outsiderHome,
  type WireOperation,
} from '../support/outsider-home.ts';
import { runAos } from '../support/run-aos.ts';
import { untilTrue } from '../support/until.ts';

async function aos({ home }: OutsiderHome, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runAos([...argv, '--home', home]);
  if (code !== 0) throw new Error(`aos ${argv[0]} ended with ${code}: ${stderr}`);
  return stdout;
}

async function restore(home: OutsiderHome): Promise<void> {
  await home.daemon.stop();
  await aos(home, 'restore', home.folder.at('backup'), '--replace');
  await home.start();
  await nextSecond();
}

const makesOne = (content: string) => [
  { call: [{ tool: 'artifact.create', args: { name: 'a.txt', content } }] },
  { say: 'done' },
];

const submission: GranteeRequest = {
  method: 'POST',
  uri: '/api/v1/operations',
  body: { goal: 'write', agent: 'writer' },
};

function codeOf({ status, text }: GranteeAnswer): string {
  if (status < 400) return `${status}`;
  // Every refusal is a problem with a code.
  return `${status} ${(JSON.parse(text) as { readonly code: string }).code}`;
}

const secondsNow = (): number => Math.floor(Date.now() / 1000);
const { skewSeconds } = signatureTimes;

/**
 * Somebody whose clock is ahead as far as it may be. For as long as that, nobody else is taken
 * after a restore: what they sign could have been signed, by a clock like this one, before it.
 */
class Ahead extends Grantee {
  override sign(base: string, request: GranteeRequest): Promise<ReadyRequest> {
    const iat = secondsNow() + skewSeconds;
    return super.sign(base, { ...request, claims: { iat, exp: iat + 60, ...request.claims } });
  }
}

/** Times are signed in whole seconds; this one may have begun before the restore. */
async function nextSecond(): Promise<void> {
  const begun = secondsNow();
  await untilTrue(() => secondsNow() > begun);
}

const signedTimes = [
  ['', 0],
  [' by a clock that is ahead', skewSeconds],
] as const;

/** A request of which one copy was sent, twice, before the restore, and another was not. */
interface SignedBefore {
  readonly sent: ReadyRequest;
  readonly unsent: ReadyRequest;
  readonly codes: readonly string[];
}

const alice = new Ahead();
let home: OutsiderHome;
/** Over when the backup was made; running then; waiting for its turn then. */
let before: WireOperation;
let running: WireOperation;
let waiting: WireOperation;
/** How the one that ran ended, before the restore. */
let over: WireOperation;
const signedBefore = new Map<number, SignedBefore>();

// What was there, a backup, what came then, and the backup again: the tests look at that.
beforeAll(async () => {
  home = await outsiderHome({ modelSlots: 1 });
  await home.grant(alice);
  for (const name of ['before', 'waiting', 'writer', 'after']) home.template(name, makesOne(name));
  home.template('held', [home.asks('held'), ...makesOne('held')]);
  before = await home.run(alice, 'before');
  const held = home.hold('held');
  running = await home.submit(alice, 'held');
  await held.asked;
  waiting = await home.submit(alice, 'waiting');
  await aos(home, 'backup', home.folder.at('backup'));
  held.letGo();
  over = await home.settled(alice, running.id);
  await home.settled(alice, waiting.id);
  for (const [, aheadSeconds] of signedTimes) {
    signedBefore.set(aheadSeconds, await signAndSend(aheadSeconds));
  }
  await restore(home);
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

async function signAndSend(aheadSeconds: number): Promise<SignedBefore> {
  const iat = secondsNow() + aheadSeconds;
  const claims = { iat, exp: iat + 200 };
  const sent = await alice.sign(home.base, { ...submission, claims });
  const unsent = await alice.sign(home.base, { ...submission, claims });
  const first = await sendReady(home.base, sent);
  const again = await sendReady(home.base, sent);
  return { sent, unsent, codes: [codeOf(first), codeOf(again)] };
}

test('an operation that ran then and is over now has failed, and its logs are there', async () => {
  const restored = await home.settled(alice, running.id);
  const logs = await alice.call(home.base, { uri: `/api/v1/operations/${running.id}/logs` });

  expect(over).toMatchObject({ status: 'succeeded', artifacts: { count: 1 } });
  expect(restored).toMatchObject({
    status: 'failed',
    result: { status: 'error', summary: expect.stringMatching(/^operation\.erased: /) },
    artifacts: { count: 0 },
  });
  expect(logs.status).toBe(200);
});

test('one that still waited for its turn has failed as well, and is listed so', async () => {
  await home.settled(alice, waiting.id);
  const list = await alice.call(home.base, { uri: '/api/v1/operations' });

  expect(waiting.status).toBe('pending');
  const { items } = good<{ items: readonly WireOperation[] }>(list, 200);
  const statuses = new Map(items.map(({ id, status }) => [id, status]));
  expect([running, waiting].map(({ id }) => statuses.get(id))).toEqual(['failed', 'failed']);
});

test.each(signedTimes)(
  'a request that was signed%s before a restore is refused after it',
  async (_by, aheadSeconds) => {
    const signed = signedBefore.get(aheadSeconds);
    if (signed === undefined) throw new Error('nothing was signed');

    const after = [
      await sendReady(home.base, signed.sent),
      await sendReady(home.base, signed.unsent),
    ];
    const anew = await alice.call(home.base, submission);

    expect(signed.codes).toEqual(['201', '401 signature.replayed']);
    expect(after.map(codeOf)).toEqual(['401 signature.replayed', '401 signature.replayed']);
    expect(codeOf(anew)).toBe('201');
  },
);

test('what is done after a restore is done, and the same backup can be restored once more', async () => {
  const after = await home.run(alice, 'after');

  await restore(home);
  const [artifact] = (await home.settled(alice, before.id)).artifacts.artifacts;
  if (artifact === undefined) throw new Error('it is not there');
  const content = await home.read(alice, artifact);
  await home.daemon.stop();

  expect(after).toMatchObject({ status: 'succeeded', artifacts: { count: 1 } });
  expect(content.toString()).toBe('before');
});
