/**
 * A home that is put back to what it was while an outsider's operation ran: what was erased since
 * then stays erased, what was signed before then is not good again, and everything else goes on.
 */
import { expect, test } from 'vitest';
import { signatureTimes } from '../../src/kernel/operation.ts';
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
  until,
  type WireOperation,
} from '../support/outsider-home.ts';
import { runAos } from '../support/run-aos.ts';

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
  await until(() => secondsNow() > begun, 'the next second has come');
}

test('an operation that ran then and is over now has failed, and the daemon starts', async () => {
  await using home = await outsiderHome();
  const alice = new Ahead();
  await home.grant(alice);
  home.template('before', makesOne('before'));
  home.template('held', [home.asks('held'), ...makesOne('held')]);
  home.template('after', makesOne('after'));
  const before = await home.run(alice, 'before');
  const held = home.hold('held');
  const { id } = await home.submit(alice, 'held');
  await held.asked;
  await aos(home, 'backup', home.folder.at('backup'));
  held.letGo();
  const over = await home.settled(alice, id);

  await restore(home);
  const restored = await home.settled(alice, id);
  const logs = await alice.call(home.base, { uri: `/api/v1/operations/${id}/logs` });
  const after = await home.run(alice, 'after');
  await restore(home);

  expect(over).toMatchObject({ status: 'succeeded', artifacts: { count: 1 } });
  expect(restored).toMatchObject({
    status: 'failed',
    result: { status: 'error', summary: expect.stringMatching(/^operation\.erased: /) },
    artifacts: { count: 0 },
  });
  expect(logs.status).toBe(200);
  expect(after).toMatchObject({ status: 'succeeded', artifacts: { count: 1 } });
  const [artifact] = (await home.settled(alice, before.id)).artifacts.artifacts;
  if (artifact === undefined) throw new Error('it is not there');
  expect((await home.read(alice, artifact)).toString()).toBe('before');
});

test('one that still waited for its turn has failed as well, and is listed so', async () => {
  await using home = await outsiderHome({ modelSlots: 1 });
  const alice = new Ahead();
  await home.grant(alice);
  home.template('held', [home.asks('held'), { say: 'done' }]);
  home.template('waiting', makesOne('waiting'));
  const held = home.hold('held');
  const first = await home.submit(alice, 'held');
  await held.asked;
  const second = await home.submit(alice, 'waiting');
  await aos(home, 'backup', home.folder.at('backup'));
  held.letGo();
  for (const { id } of [first, second]) await home.settled(alice, id);

  await restore(home);
  for (const { id } of [first, second]) await home.settled(alice, id);
  const list = await alice.call(home.base, { uri: '/api/v1/operations' });

  expect(second.status).toBe('pending');
  const { items } = good<{ items: readonly WireOperation[] }>(list, 200);
  expect(items.map(({ status }) => status)).toEqual(['failed', 'failed']);
});

test.each([
  ['', 0],
  [' by a clock that is ahead', skewSeconds],
])(
  'a request that was signed%s before a restore is refused after it',
  async (_by, aheadSeconds) => {
    await using home = await outsiderHome();
    const alice = new Ahead();
    await home.grant(alice);
    home.template('writer', makesOne('text'));
    await aos(home, 'backup', home.folder.at('backup'));
    const iat = secondsNow() + aheadSeconds;
    const claims = { iat, exp: iat + 200 };
    const sent = await alice.sign(home.base, { ...submission, claims });
    const unsent = await alice.sign(home.base, { ...submission, claims });
    const first = await sendReady(home.base, sent);
    const again = await sendReady(home.base, sent);

    await restore(home);
    const after = [await sendReady(home.base, sent), await sendReady(home.base, unsent)];
    const anew = await alice.call(home.base, submission);

    expect([codeOf(first), codeOf(again)]).toEqual(['201', '401 signature.replayed']);
    expect(after.map(codeOf)).toEqual(['401 signature.replayed', '401 signature.replayed']);
    expect(codeOf(anew)).toBe('201');
  },
);
