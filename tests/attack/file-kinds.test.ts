import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { fileRead } from '../../src/toolbox/file/read.ts';
import { fileWrite } from '../../src/toolbox/file/write.ts';
import { seededRandom } from '../sim/random.ts';
import { limitMs } from '../support/limits.ts';
import { isInstalled } from '../support/machine.ts';
import { runProgram } from '../support/run-aos.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { runTool, type TestCallOptions } from '../support/tool-call.ts';

const deps = {
  disk: realDisk,
  // Long after the files were made: whoever has just written one may be at it still.
  clock: { ...realClock, now: () => realClock.now() + 3_600_000 },
  random: seededRandom(1),
  home: '/home/nobody/.aos',
};

function toolsIn(folder: TemporaryFolder) {
  const all = { capabilities: [`file:${folder.path}/**:read,write`] };
  return {
    read: (path: string, args: object = {}, options: TestCallOptions = all) =>
      runTool(fileRead(deps), { path, ...args }, options),
    write: (path: string, args: object = {}, options: TestCallOptions = all) =>
      runTool(fileWrite(deps), { path, content: 'ours', ...args }, options),
  };
}

/** No tool waits for the other end of a pipe. */
const soon = { timeout: limitMs(5000) };

describe('what is no ordinary file', soon, () => {
  test('a pipe is refused at once, for reading and for replacing', async () => {
    await using folder = temporaryFolder();
    const { read, write } = toolsIn(folder);
    execFileSync('mkfifo', [folder.at('pipe')]);
    const notAFile = { code: 'file.not-a-file' };

    await expect(read(folder.at('pipe'))).rejects.toMatchObject(notAFile);
    const replace = write(folder.at('pipe'), { if_exists: 'replace' });
    await expect(replace).rejects.toMatchObject(notAFile);
    await expect(write(folder.at('pipe'))).rejects.toMatchObject({ code: 'file.exists' });
    expect(statSync(folder.at('pipe')).isFIFO()).toBe(true);
  });

  test('a socket is refused', async () => {
    await using folder = temporaryFolder();
    const { read } = toolsIn(folder);
    await using server = createServer();
    await new Promise<void>((resolve) => server.listen(folder.at('socket'), resolve));

    const attempt = read(folder.at('socket'));

    await expect(attempt).rejects.toMatchObject({ code: 'file.not-a-file' });
  });

  test.each(['/dev/zero', '/dev/null', '/dev/tty'])('the device %s is refused', async (path) => {
    await using folder = temporaryFolder();
    const { read, write } = toolsIn(folder);
    const options = { capabilities: [`file:${path}:read,write`] };

    // Without a terminal there is no /dev/tty to be opened.
    const attempt = await read(path, {}, options).catch((thrown: unknown) => thrown);
    expect(attempt).toMatchObject({ code: expect.stringMatching(/not-a-file/) });
    const replace = write(path, { if_exists: 'replace' }, options);
    await expect(replace).rejects.toMatchObject({ code: 'file.not-a-file' });
  });

  test('a folder is refused', async () => {
    await using folder = temporaryFolder();
    const { read, write } = toolsIn(folder);
    mkdirSync(folder.at('sub'));

    const notAFile = { code: 'file.not-a-file' };
    await expect(read(folder.at('sub'))).rejects.toMatchObject(notAFile);
    const replace = write(folder.at('sub'), { if_exists: 'replace' });
    await expect(replace).rejects.toMatchObject(notAFile);
  });
});

describe('how much', soon, () => {
  test('a file of 10 GB is refused with its size, and read in parts, and never in memory', async () => {
    await using folder = temporaryFolder();
    const { read } = toolsIn(folder);
    const size = 10 * 1024 ** 3;
    writeFileSync(folder.at('huge'), 'begins');
    truncateSync(folder.at('huge'), size);
    const before = process.memoryUsage().rss;

    const attempt = read(folder.at('huge'));
    const inBase64 = read(folder.at('huge'), { encoding: 'base64', length: size });
    const first = await read(folder.at('huge'), { length: 6 });
    const last = await read(folder.at('huge'), { offset: size - 3, encoding: 'base64' });

    await expect(attempt).rejects.toMatchObject({
      code: 'file.too-large',
      details: { size_bytes: size },
      fix: expect.stringContaining('offset and length'),
    });
    await expect(inBase64).rejects.toMatchObject({ code: 'file.too-large' });
    expect(first).toMatchObject({ content: 'begins', size_bytes: size });
    expect(last).toMatchObject({ content_base64: 'AAAA', offset: size - 3 });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2);
  });

  test('an answer stays within what the call may answer, whatever is in the file', async () => {
    await using folder = temporaryFolder();
    const { read } = toolsIn(folder);
    writeFileSync(folder.at('bells'), '\u0007'.repeat(20_000));
    const options = { capabilities: [`file:${folder.path}/*:read`], outputBytes: 50_000 };

    const attempt = read(folder.at('bells'), {}, options);
    const part = await read(folder.at('bells'), { length: 8000 }, options);

    await expect(attempt).rejects.toMatchObject({ code: 'file.too-large' });
    expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(50_000);
  });

  test('bytes that are no text are given only to whoever asks for bytes', async () => {
    await using folder = temporaryFolder();
    const { read } = toolsIn(folder);
    writeFileSync(folder.at('program'), readFileSync(process.execPath).subarray(0, 1000));

    const attempt = read(folder.at('program'));

    await expect(attempt).rejects.toMatchObject({ code: 'file.not-text' });
    expect(await read(folder.at('program'), { encoding: 'base64' })).toMatchObject({ bytes: 1000 });
  });

  test.skipIf(process.platform !== 'linux')(
    'a file of /proc, which says that it is empty, is read when it is named',
    async () => {
      await using folder = temporaryFolder();
      const { read } = toolsIn(folder);

      const answer = await read('/proc/version', {}, { capabilities: ['file:/proc/version:read'] });

      expect(answer).toMatchObject({ content: readFileSync('/proc/version', 'utf8') });
    },
  );
});

describe('writing where something is', () => {
  test('of twenty who make the same file one wins, and nobody else changes it', async () => {
    await using folder = temporaryFolder();
    const { write } = toolsIn(folder);
    const writers = Array.from({ length: 20 }, (_, index) => `content ${index}`);

    const outcomes = await Promise.allSettled(
      writers.map((content) => write(folder.at('file'), { content })),
    );

    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    expect(lost).toHaveLength(19);
    for (const outcome of lost) expect(outcome).toMatchObject({ reason: { code: 'file.exists' } });
    expect(readFileSync(folder.at('file'), 'utf8')).toBe(`content ${winner}`);
    expect(readdirSync(folder.path)).toEqual(['file']);
  });

  test('a file that is replaced keeps its mode, and whoever reads it sees the old or the new', async () => {
    await using folder = temporaryFolder();
    const { read, write } = toolsIn(folder);
    writeFileSync(folder.at('file'), 'old');
    chmodSync(folder.at('file'), 0o754);
    await using reader = await realDisk.read(folder.at('file'));

    await write(folder.at('file'), { content: 'new', if_exists: 'replace' });

    expect(statSync(folder.at('file')).mode & 0o7777).toBe(0o754);
    expect(Buffer.from(await reader.readAt(0, 9)).toString()).toBe('old');
    expect(await read(folder.at('file'))).toMatchObject({ content: 'new' });
    expect(readdirSync(folder.path)).toEqual(['file']);
  });

  test('no mode is kept that lets whoever starts it be somebody else', async () => {
    await using folder = temporaryFolder();
    const { write } = toolsIn(folder);
    writeFileSync(folder.at('file'), 'old');
    chmodSync(folder.at('file'), 0o6755);

    await write(folder.at('file'), { if_exists: 'replace' });

    expect(statSync(folder.at('file')).mode & 0o7777).toBe(0o755);
  });

  test.skipIf(!isInstalled('prlimit'))(
    'a disk that takes no more leaves the old file and no other',
    async () => {
      await using folder = temporaryFolder();
      const { read } = toolsIn(folder);
      writeFileSync(folder.at('file'), 'old');
      // The system stops this program at a thousand bytes, as it would where there is no room.
      const script = `
      import { realDisk } from './src/engines/disk/disk.ts';
      import { seededRandom } from './tests/sim/random.ts';
      import { fileWrite } from './src/toolbox/file/write.ts';
      import { runTool } from './tests/support/tool-call.ts';
      const tool = fileWrite({ disk: realDisk, random: seededRandom(2), home: '/none' });
      const [path] = process.argv.slice(1);
      const args = { path, content: 'x'.repeat(5000), if_exists: 'replace' };
      const failure = await runTool(tool, args, { capabilities: ['file:' + path + ':write'] })
        .catch((thrown) => thrown);
      console.log(failure.code, failure.message.includes(path), failure.message.includes('.tmp'));`;
      const node = [process.execPath, '--input-type=module', '-e', script, folder.at('file')];

      const { stdout } = await runProgram('prlimit', ['--fsize=1000', ...node]);

      expect(stdout).toBe('disk.failed true false\n');
      expect(await read(folder.at('file'))).toMatchObject({ content: 'old' });
      expect(readdirSync(folder.path)).toEqual(['file']);
    },
  );
});

describe('another disk', () => {
  test.skipIf(process.platform !== 'linux')(
    'that is mounted below what a star stands for is not reached',
    async () => {
      await using folder = temporaryFolder();
      const { read, write } = toolsIn(folder);
      const path = `/dev/shm/${basename(folder.path)}`;
      const elsewhere = { code: 'file.other-disk' };

      try {
        writeFileSync(path, 'there');

        const star = { capabilities: ['file:/dev/**:read,write'] };
        await expect(read(path, {}, star)).rejects.toMatchObject(elsewhere);
        await expect(write(`${path}-new`, {}, star)).rejects.toMatchObject(elsewhere);
        const named = { capabilities: ['file:/dev/shm/**:read'] };
        expect(await read(path, {}, named)).toMatchObject({ content: 'there' });
        expect(readdirSync('/dev/shm')).not.toContain(`${basename(path)}-new`);
      } finally {
        rmSync(path, { force: true });
      }
    },
  );
});
