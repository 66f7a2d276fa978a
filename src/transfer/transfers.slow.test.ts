import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandHome } from '../../tests/support/command-home.ts';
import { AgentTransfer } from '../app/library/agent-transfer.ts';

test('a file that samantha sends arrives whole with jared, who is told of it', async () => {
  await using home = await commandHome('samantha', 'jared');
  mkdirSync(home.home.at('work'));
  writeFileSync(home.home.at('work', 'report.md'), 'what was found\n'.repeat(100_000));
  const as = (sender: string) => new AgentTransfer({ sender, use: (work) => work(home.client) });

  const { id } = await as('samantha').send(home.home.at('work', 'report.md'), { to: 'jared' });
  const [pending] = await as('jared').listPending();
  const { path } = await as('jared').download(id, { dest: home.home.at('got') });

  expect(pending).toMatchObject({
    id,
    sender: 'samantha',
    filename: 'report.md',
    ack: 'announced',
  });
  expect(readFileSync(path, 'utf8')).toBe(readFileSync(home.home.at('work', 'report.md'), 'utf8'));
  expect(await as('samantha').status(id)).toMatchObject({ status: 'downloaded', ack: 'verified' });
  const [mail] = await home.client.inbox('jared', {});
  expect(mail?.body).toBe(
    `samantha sent you report.md (1.5 MB). Fetch it: agent-transfer download ${id}\n`,
  );
});
