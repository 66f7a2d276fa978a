import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { wrapKey } from '../../blobs/seal/aosb1.ts';
import { sealStream } from '../../blobs/seal/stretch.ts';
import { realRandom } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { newKeyPair } from '../../security/identity/key-pair.ts';
import { type Fetching, openArtifact, saveArtifact } from './fetch-artifact.ts';

const deps = { disk: realDisk, random: realRandom };
const key = newKeyPair(realRandom);

type Listed = Fetching['artifact'];

/** A server that lists and sends this, or what a test makes of it. */
async function served(
  content: string,
  changes: Partial<Listed> & { readonly sentId?: string; readonly sent?: Uint8Array } = {},
): Promise<Fetching> {
  const { sentId, sent, ...listed } = changes;
  const [dek, plain] = [randomBytes(32), Buffer.from(content)];
  const artifact: Listed = {
    ...{ name: 'report.md', size: plain.length, content_type: 'text/markdown' },
    ...{ created_at: '', download_url: '', expires_at: '', e2e: true, id: 'ab'.repeat(16) },
    checksum: `sha256:${createHash('sha256').update(plain).digest('hex')}`,
    encryption_key_encrypted: wrapKey(realRandom, dek, { ...key, object: 'ab'.repeat(16) }),
    ...listed,
  };
  const sealed = await Array.fromAsync(sealStream(dek, streamOf(plain)), (bytes) =>
    Buffer.from(bytes),
  );
  const stream = streamOf(sent ?? Buffer.concat(sealed));
  const client = { artifactBytes: async () => ({ id: sentId ?? artifact.id, stream }) };
  return { client, key, operation: '0199', artifact, signal: new AbortController().signal };
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

describe('saveArtifact()', () => {
  test('makes the folders of a name, and leaves nothing else', async () => {
    await using folder = temporaryFolder();
    const fetching = await served('hello', { name: 'a/b/c.txt' });

    const path = await saveArtifact(deps, fetching, { dest: folder.at('new'), force: false });

    expect(path).toBe(folder.at('new', 'a', 'b', 'c.txt'));
    expect(readFileSync(path, 'utf8')).toBe('hello');
    expect(readdirSync(folder.at('new', 'a', 'b'))).toEqual(['c.txt']);
  });

  test.each([
    '../out',
    'a/../../out',
    '/etc/out',
    'a//b',
    '.',
    '',
    'a/.',
    '.aos-x',
    'a\nb',
    'a\0b',
  ])('refuses the name %j of a server that is not to be trusted', async (name) => {
    await using folder = temporaryFolder();
    const fetching = await served('hello', { name });

    const saving = saveArtifact(deps, fetching, { dest: folder.at('in'), force: true });

    await expect(saving).rejects.toMatchObject({ code: 'artifact.bad-name' });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  const changed: readonly (readonly [string, Parameters<typeof served>[1], string])[] = [
    ['another checksum', { checksum: `sha256:${'0'.repeat(64)}` }, 'blob.corrupt'],
    ['more than it lists', { size: 4 }, 'blob.corrupt'],
    ['less than it lists', { size: 6 }, 'blob.corrupt'],
    ['what is not sealed', { sent: Buffer.from('hello') }, 'blob.corrupt'],
    ['nothing', { sent: new Uint8Array() }, 'blob.corrupt'],
    ['another one of that name', { sentId: 'cd'.repeat(16) }, 'artifact.unknown'],
    ['the key of another one', { id: 'cd'.repeat(16) }, 'blob.wrong-key'],
  ];

  test.each(changed)('gives no name to %s', async (_what, changes, code) => {
    await using folder = temporaryFolder();
    const fetching = await served('hello', changes);

    const saving = saveArtifact(deps, fetching, { dest: folder.path, force: false });

    await expect(saving).rejects.toMatchObject({ code });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('a name that is taken while it is fetched is left alone', async () => {
    await using folder = temporaryFolder();
    const [first, second] = [await served('first'), await served('second')];
    const options = { dest: folder.path, force: false };

    const ends = await Promise.allSettled([
      saveArtifact(deps, first, options),
      saveArtifact(deps, second, options),
    ]);

    const refused = ends.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'artifact.exists' } }]);
    expect(readdirSync(folder.path)).toEqual(['report.md']);
    expect(['first', 'second']).toContain(readFileSync(folder.at('report.md'), 'utf8'));
  });

  test('a folder of that name is not replaced, also with force', async () => {
    await using folder = temporaryFolder();
    await realDisk.makeFolder(folder.at('report.md'));
    await realDisk.makeFolder(folder.at('report.md', 'mine'));

    const saving = saveArtifact(deps, await served('hello'), { dest: folder.path, force: true });

    await expect(saving).rejects.toMatchObject({ code: expect.stringMatching(/^disk\./) });
    expect(existsSync(folder.at('report.md', 'mine'))).toBe(true);
    expect(readdirSync(folder.path)).toEqual(['report.md']);
  });
});

test('openArtifact() hands out the plain bytes of nothing too', async () => {
  const parts = await Array.fromAsync(openArtifact(await served('')));

  expect(Buffer.concat(parts)).toHaveLength(0);
});
