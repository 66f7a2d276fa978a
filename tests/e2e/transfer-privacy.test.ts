/** What jean can learn, with her own handle, of what samantha sent to jared: nothing. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aosHere } from '../support/aos-here.ts';
import { type TransferHome, transferHome } from '../support/transfer-home.ts';

let home: TransferHome;
/** What samantha sent to jared. */
let id: string;

beforeAll(async () => {
  home = await transferHome({ withDaemon: true });
  writeFileSync(home.folder.at('secret-plan.md'), 'the plan');
  const sent = await home.data('samantha', 'agent-transfer send secret-plan.md --to jared');
  id = String(sent['id']);
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

// As long as an id, and nobody's.
const nobodys = '0'.repeat(31).concat('1');

test('jean cannot list what samantha sent to jared', async () => {
  const lists = [];
  for (const line of ['list --all', 'sent', 'links', 'metrics']) {
    lists.push(await home.typeIn(home.withHandle('jean'), `agent-transfer ${line} --json`));
  }

  expect(lists.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(lists.map(({ stdout }) => stdout).join('')).not.toMatch(/secret-plan|"count":[1-9]/);
});

test.each([
  'status ID',
  'download ID --dest stolen',
  'download ID -',
  'accept ID',
  'reject ID --reason no',
  'share ID --to jean',
  'revoke ID',
  'link ID',
])('agent-transfer %s is to jean as if there were none', async (line) => {
  const asJean = (which: string) =>
    aosHere([...line.replace('ID', which).split(' '), '--json'], {
      ...{ name: 'agent-transfer', env: home.withHandle('jean'), cwd: home.folder.path },
    });

  const [theirs, missing] = [await asJean(id), await asJean(nobodys)];

  expect(theirs.code).toBe(4);
  expect(theirs.stdout.replaceAll(id, 'ID')).toBe(missing.stdout.replaceAll(nobodys, 'ID'));
  expect(JSON.parse(theirs.stdout)).toMatchObject({ error: { code: 'transfer.unknown' } });
});

test('jean with her handle cannot act as jared', async () => {
  const run = await home.typeIn(home.withHandle('jean'), 'agent-transfer list --as jared');

  expect(run.code).toBe(2);
  expect(run.stderr).toContain('--as is for the owner');
});

test('jared with his handle fetches what samantha sent with hers', async () => {
  writeFileSync(home.folder.at('plan.md'), 'the plan');

  const sent = await home.typeIn(
    home.withHandle('samantha'),
    'agent-transfer send plan.md --to jared',
  );
  const got = await home.typeIn(
    home.withHandle('jared'),
    'agent-transfer download-all --dest downloads && cat downloads/plan.md',
  );

  expect(sent).toMatchObject({ code: 0, stderr: '' });
  expect(got.stdout).toMatch(/2 of 2 downloaded\.\nthe plan$/);
});
