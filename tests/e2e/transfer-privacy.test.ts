/** What jean can learn, with her own handle, of what samantha sent to jared: nothing. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { transferHome } from '../support/transfer-home.ts';

// As long as an id, and nobody's.
const nobodys = '0'.repeat(31).concat('1');

test('jean cannot list what samantha sent to jared', async () => {
  await using home = await transferHome({ withDaemon: true });
  writeFileSync(home.folder.at('secret-plan.md'), 'the plan');
  await home.data('samantha', 'agent-transfer send secret-plan.md --to jared');

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
  await using home = await transferHome({ withDaemon: true });
  writeFileSync(home.folder.at('secret-plan.md'), 'the plan');
  const { id } = await home.data('samantha', 'agent-transfer send secret-plan.md --to jared');
  const asJean = (which: string) =>
    home.typeIn(home.withHandle('jean'), `agent-transfer ${line.replace('ID', which)} --json`);

  const [theirs, missing] = [await asJean(String(id)), await asJean(nobodys)];

  expect(theirs.code).toBe(4);
  expect(theirs.stdout.replaceAll(String(id), 'ID')).toBe(missing.stdout.replaceAll(nobodys, 'ID'));
  expect(JSON.parse(theirs.stdout)).toMatchObject({ error: { code: 'transfer.unknown' } });
});

test('jean with her handle cannot act as jared', async () => {
  await using home = await transferHome({ withDaemon: true });

  const run = await home.typeIn(home.withHandle('jean'), 'agent-transfer list --as jared');

  expect(run.code).toBe(2);
  expect(run.stderr).toContain('--as is for the owner');
});

test('jared with his handle fetches what samantha sent with hers', async () => {
  await using home = await transferHome({ withDaemon: true });
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
  expect(got.stdout).toMatch(/1 of 1 downloaded\.\nthe plan$/);
});
