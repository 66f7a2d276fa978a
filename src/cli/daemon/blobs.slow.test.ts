import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandHome } from '../../../tests/support/command-home.ts';
import { bearer, send } from '../../../tests/support/temporary-gateway.ts';

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** With one message and its attachment in it. */
async function homeWithAttachment() {
  const home = await commandHome('jean');
  mkdirSync(home.home.at('blobs'), { recursive: true, mode: 0o700 });
  const { hash } = await home.client.putAttachment(bytesOf('hello'));
  const draft = { to: 'jean', body: 'see what is attached', attachments: [hash] };
  const { id } = await home.client.send(draft);
  return Object.assign(home, {
    hash,
    id,
    path: home.home.at('attachments', hash.slice(0, 2), hash),
  });
}

test('aos blobs verify says that everything is whole, and how much that is', async () => {
  await using home = await homeWithAttachment();

  const run = await home.aos(['blobs', 'verify']);

  expect(run).toEqual({ code: 0, stdout: 'Everything is whole: 1 file, 5 B.\n', stderr: '' });
  expect(await home.data(['blobs', 'verify'])).toMatchObject({ checked: 1, bytes: 5, corrupt: [] });
});

test('aos blobs verify exits with 1 and names what is damaged and who needs it', async () => {
  await using home = await homeWithAttachment();
  writeFileSync(home.path, 'hellO');

  const run = await home.aos(['blobs', 'verify']);

  expect(run.code).toBe(1);
  expect(run.stderr).toContain('Of 1 stored file, 1 is damaged, and 0 are missing\n');
  expect(run.stdout).toContain(`attachments ${home.hash}: its bytes have another SHA-256`);
  expect(run.stdout).toContain(`message:${home.id}`);
});

test('aos blobs verify --json has the same as details', async () => {
  await using home = await homeWithAttachment();
  rmSync(home.path);

  const run = await home.aos(['blobs', 'verify', '--json']);

  expect(run.code).toBe(1);
  expect(JSON.parse(run.stdout)).toMatchObject({
    ok: false,
    error: { code: 'blob.corrupt', details: { checked: 0, missing: [{ hash: home.hash }] } },
  });
});

test('an agent may not have stored bytes verified', async () => {
  await using home = await commandHome();
  const { handle } = await home.client.register('jean');

  const answer = await send({
    at: home.agentSocket('jean'),
    ...{ method: 'POST', path: '/api/v1/blobs/verify', body: '{}' },
    headers: bearer(handle),
  });

  expect(answer.status).toBe(403);
});
