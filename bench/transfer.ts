/** Files from one agent to another: how fast, in how much memory, and the second time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createCipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { chunkBytes, sealChunks, sealingOf } from '../src/blobs/seal/aosb1.ts';
import { sealedStretchBytes } from '../src/blobs/seal/stretch.ts';
import { stretchBytes } from '../src/kernel/transfer/transfer.ts';
import type { Bench, Sides } from './frame.ts';
import { workplace } from './workplace.ts';

export const transferBenches: readonly Bench[] = [
  {
    name: 'transfer.local',
    unit: 'MB/s',
    floorIs: 'two times cp and sync FILE, and two times openssl dgst -sha256, of the same 1 GiB',
    target: '>=0.7',
    rounds: 7,
    prepare: prepareLocal,
  },
  {
    name: 'transfer.seal',
    unit: 'MB/s',
    floorIs: 'AES-256-GCM of 64 KiB at a time, in Node',
    target: '>=0.8',
    rounds: 15,
    prepare: prepareSeal,
  },
  {
    name: 'transfer.small',
    unit: 'files/s',
    floorIs: 'cp -r and sync of the same 10,000 files of 4 KiB',
    target: 'printed',
    rounds: 3,
    prepare: prepareSmall,
  },
  {
    name: 'transfer.memory',
    unit: 'MB',
    floorIs: 'the peak of the same two commands with 10 MiB',
    target: '<=1.3',
    rounds: 3,
    prepare: prepareMemory,
  },
  {
    name: 'transfer.dedupe',
    unit: 's',
    floorIs: 'the first time that the same 1 GiB was sent',
    target: '<=0.5',
    rounds: 5,
    prepare: prepareDedupe,
  },
];

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

async function prepareLocal(): Promise<Sides> {
  const home = await openTransferHome();
  const source = home.file('source', GiB);
  const speed = (seconds: number) => GiB / 1e6 / seconds;
  return {
    async value() {
      source.change();
      const seconds = await timed(async () => {
        const id = await home.send(source.path);
        await home.download(id);
      });
      home.forget();
      return speed(seconds);
    },
    async floor() {
      const copies = [home.at('one'), home.at('other')];
      const seconds = await timed(async () => {
        for (const copy of copies) {
          await ended('cp', [source.path, copy]);
          await ended('sync', [copy]);
          await ended('openssl', ['dgst', '-sha256', copy]);
        }
      });
      for (const copy of copies) rmSync(copy);
      return speed(seconds);
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

async function prepareSeal(): Promise<Sides> {
  const sealing = sealingOf(randomBytes(32));
  const plain = randomBytes(stretchBytes);
  const sealed = new Uint8Array(sealedStretchBytes);
  const [key, nonce] = [randomBytes(32), randomBytes(12)];
  const stretches = 256;
  const speed = (work: () => void): number => {
    const startedAt = performance.now();
    for (let index = 0; index < stretches; index++) work();
    return (stretches * stretchBytes) / 1000 / (performance.now() - startedAt);
  };
  return {
    value: async () => speed(() => sealChunks(sealing, plain, { first: 0, toEnd: false }, sealed)),
    floor: async () =>
      speed(() => {
        for (let at = 0; at < plain.length; at += chunkBytes) {
          const cipher = createCipheriv('aes-256-gcm', key, nonce);
          cipher.update(plain.subarray(at, at + chunkBytes));
          cipher.final();
          cipher.getAuthTag();
        }
      }),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function prepareSmall(): Promise<Sides> {
  const home = await openTransferHome();
  const files = 10_000;
  const source = home.at('source');
  for (let folder = 0; folder < 100; folder++) {
    mkdirSync(join(source, String(folder)), { recursive: true });
    for (let file = 0; file < files / 100; file++) {
      writeFileSync(join(source, String(folder), String(file)), randomBytes(4096));
    }
  }
  let round = 0;
  return {
    async value() {
      writeFileSync(join(source, 'round'), String(round++));
      const seconds = await timed(async () => {
        const id = await home.send(source);
        await home.download(id);
      });
      home.forget();
      return files / seconds;
    },
    async floor() {
      const copy = home.at('copy');
      const seconds = await timed(async () => {
        await ended('cp', ['-r', source, copy]);
        await ended('sync', ['-f', copy]);
      });
      rmSync(copy, { recursive: true });
      return files / seconds;
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

async function prepareMemory(): Promise<Sides> {
  const home = await openTransferHome();
  const [large, small] = [home.file('large', GiB), home.file('small', 10 * MiB)];
  const peakOf = async (source: SourceFile): Promise<number> => {
    source.change();
    const peaks: number[] = [];
    const id = await home.send(source.path, peaks);
    await home.download(id, peaks);
    home.forget();
    return Math.max(...peaks) / 1024;
  };
  return {
    value: () => peakOf(large),
    floor: () => peakOf(small),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

async function prepareDedupe(): Promise<Sides> {
  const home = await openTransferHome();
  const source = home.file('source', GiB);
  const seconds: { first?: number; second?: number } = {};
  /** Both of one round, whichever is asked for first. */
  const measure = async (): Promise<void> => {
    source.change();
    const send = async () => void (await home.send(source.path));
    seconds.first = await timed(send);
    seconds.second = await timed(send);
    home.forget();
  };
  const take = async (which: 'first' | 'second'): Promise<number> => {
    if (seconds[which] === undefined) await measure();
    const found = seconds[which] ?? Number.NaN;
    delete seconds[which];
    return found;
  };
  return {
    value: () => take('second'),
    floor: () => take('first'),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

interface SourceFile {
  readonly path: string;
  /** Other bytes than ever before, so that nothing is stored already. */
  change(): void;
}

interface TransferHome extends AsyncDisposable {
  at(name: string): string;
  file(name: string, sizeBytes: number): SourceFile;
  /** With the real command; the peak of its memory, in KiB, is added to `peaks`. */
  send(path: string, peaks?: number[]): Promise<string>;
  download(id: string, peaks?: number[]): Promise<void>;
  /** What was stored and received, so that every round begins with the same room. */
  forget(): void;
}

const bin = join(import.meta.dirname, '..', 'bin');

/** With a daemon, and two agents. */
async function openTransferHome(): Promise<TransferHome> {
  const { folder, disposables } = await workplace();
  const home = join(folder, 'home');
  const received = join(folder, 'received');
  const env = {
    ...process.env,
    AOS_HOME: home,
    AOS_PORT: '0',
    AOS_TRANSFER_QUOTA_MEGABYTES: '1000000',
  };
  const run = (command: string, args: readonly string[], peaks?: number[]) =>
    output([join(bin, command), ...args], env, peaks);
  await run('aos.cjs', ['up', '--detach']);
  disposables.defer(async () => void (await run('aos.cjs', ['down'])));
  for (const name of ['samantha', 'jared']) await run('aos.cjs', ['register', name]);
  return {
    at: (name) => join(folder, name),
    file: (name, sizeBytes) => sourceFile(join(folder, name), sizeBytes),
    send: async (path, peaks) => {
      const args = ['send', path, '--to', 'jared', '--as', 'samantha', '--json'];
      const answer = JSON.parse(await run('agent-transfer.cjs', args, peaks));
      return answer.data.transfers[0].id;
    },
    download: async (id, peaks) => {
      const args = ['download', id, '--dest', received, '--as', 'jared', '--json'];
      await run('agent-transfer.cjs', args, peaks);
    },
    forget: () => {
      rmSync(received, { recursive: true, force: true });
      for (const name of readdirSync(join(home, 'blobs'))) {
        if (name.length === 2) rmSync(join(home, 'blobs', name), { recursive: true });
      }
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

function sourceFile(path: string, sizeBytes: number): SourceFile {
  const descriptor = openSync(path, 'w');
  for (let at = 0; at < sizeBytes; at += MiB) writeSync(descriptor, randomBytes(MiB));
  closeSync(descriptor);
  return {
    path,
    change: () => {
      const again = openSync(path, 'r+');
      writeSync(again, randomBytes(32), 0, 32, 0);
      closeSync(again);
    },
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

async function ended(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

async function output(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  peaks: number[] = [],
): Promise<string> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [text, words] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part) => {
    words += part;
  });
  using _watch = watchPeak(child, peaks);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${words}${text}`);
  return text;
}

/** The system keeps the peak of a process for as long as it runs. */
function watchPeak({ pid }: ChildProcess, peaks: number[]): Disposable {
  const place = peaks.push(0) - 1;
  const look = (): void => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      peaks[place] = Math.max(peaks[place] ?? 0, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(look, 10);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
