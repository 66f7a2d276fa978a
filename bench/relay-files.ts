/** Messages as files, from an outbox to an inbox. */
import { mkdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram } from './bare-program.ts';
import { type BareRelay, openBareRelay } from './bare-relay.ts';
import { type Bench, quantile, type Sides } from './frame.ts';
import { startRelay, untilQuiet } from './relay-home.ts';
import { workplace } from './workplace.ts';

const messages = 5000;
const rounds = 7;
const oneByOne = 100;
const bodyBytes = 200;

export const relayFileBenches: readonly Bench[] = [
  {
    name: 'relay.files.throughput',
    unit: 'msg/s',
    floorIs:
      'a bare loop: read, the same rows in one FULL commit, write and rename the inbox file, no fsync',
    target: '>=0.5',
    rounds,
    prepare: prepareThroughput,
  },
  {
    name: 'relay.files.latency',
    unit: 'ms p50',
    floorIs: 'a bare process: watch, read, one FULL commit of the same rows, write and rename',
    target: '<=2',
    rounds: 11,
    prepare: prepareLatency,
  },
];

interface Boxes {
  readonly to: string;
  readonly outbox: string;
  readonly pending: string;
  readonly inbox: string;
}

// Each round has an inbox of its own, and nothing is removed before the end: on many a
// disk new files cost several times as much for a while where many were removed.
async function prepareThroughput(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const recipients = Array.from({ length: rounds + 1 }, (_, round) => `samantha-${round}`);
  const { home, daemon } = disposables.use(await startRelay(['jean', ...recipients]));
  const bare = disposables.use(await openBareRelay(join(folder, 'bare.db')));
  const left = { value: [...recipients], floor: [...recipients] };
  return {
    async value() {
      const boxes = boxesOf(home, left.value.pop() ?? '');
      const written = writeMany(boxes.pending, boxes.to);
      await untilQuiet(daemon.pid);
      return relayAll(boxes, written);
    },
    async floor() {
      await untilQuiet(daemon.pid);
      return relayBarely(bare, makeBoxes(folder, left.floor.pop() ?? ''));
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

function boxesOf(home: string, to: string): Boxes {
  const outbox = join(home, 'agents', 'jean', 'outbox');
  const inbox = join(home, 'agents', to, 'inbox');
  return { to, outbox, pending: join(outbox, '.pending'), inbox };
}

function makeBoxes(folder: string, to: string): Boxes {
  const boxes = boxesOf(folder, to);
  for (const path of [boxes.pending, boxes.inbox]) mkdirSync(path, { recursive: true });
  return boxes;
}

let names = 0;

/** As its author would write it; the name of the file. */
function write(folder: string, to: string): string {
  const number = names++;
  const stamp = `${Date.now()}${String(number % 1_000_000).padStart(6, '0')}`;
  const name = `${stamp}-${number.toString(16).padStart(8, '0')}.msg`;
  writeFileSync(join(folder, name), `TO: ${to}\n\n${`${number} `.padEnd(bodyBytes, 'x')}\n`);
  return name;
}

function writeMany(folder: string, to: string): string[] {
  return Array.from({ length: messages }, () => write(folder, to));
}

async function relayAll(boxes: Boxes, written: readonly string[]): Promise<number> {
  const { outbox, pending, inbox } = boxes;
  using watching = watchFolder(inbox);
  const all = watching.next(messages);
  const startedAt = performance.now();
  for (const name of written) renameSync(join(pending, name), join(outbox, name));
  await all;
  return (1000 * messages) / (performance.now() - startedAt);
}

function relayBarely(bare: BareRelay, { to, outbox, pending, inbox }: Boxes): number {
  const written = writeMany(outbox, to);
  const startedAt = performance.now();
  const texts = written.map((name) => readFileSync(join(outbox, name), 'utf8'));
  bare.commit(
    texts.map((text, index) => ({
      ...{ from: 'jean', to, via: 'inbox', file: written[index] ?? '' },
      body: text.slice(text.indexOf('\n\n') + 2),
    })),
  );
  for (const [index, name] of written.entries()) {
    writeFileSync(join(pending, name), texts[index] ?? '');
    renameSync(join(pending, name), join(inbox, name));
  }
  return (1000 * messages) / (performance.now() - startedAt);
}

async function prepareLatency(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const { home, daemon } = disposables.use(await startRelay(['jean', 'samantha']));
  const boxes = boxesOf(home, 'samantha');
  const bareBoxes = makeBoxes(folder, 'samantha');
  const args = [join(folder, 'bare.db'), bareBoxes.outbox, bareBoxes.inbox];
  const bare = disposables.use(await startProgram('bare-file-relay.ts', args));
  return {
    value: () => medianTrip(boxes, daemon.pid),
    floor: () => medianTrip(bareBoxes, bare.pid),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

/** From the rename into the outbox until this process hears of the file in the inbox. */
async function medianTrip(boxes: Boxes, pid: number): Promise<number> {
  await untilQuiet(pid);
  using watching = watchFolder(boxes.inbox);
  const tripsMs: number[] = [];
  for (let left = oneByOne; left > 0; left--) {
    const name = write(boxes.pending, boxes.to);
    const seen = watching.next(1);
    const startedAt = performance.now();
    renameSync(join(boxes.pending, name), join(boxes.outbox, name));
    await seen;
    tripsMs.push(performance.now() - startedAt);
  }
  return quantile(tripsMs, 0.5);
}

/** `next` resolves when so many more files have come into the folder. */
function watchFolder(folder: string): Disposable & { next(count: number): Promise<void> } {
  const watcher = watch(folder);
  let left = 0;
  let arrived = (): void => {};
  watcher.on('change', () => {
    if (--left === 0) arrived();
  });
  return {
    next: (count) =>
      new Promise((resolve) => {
        left = count;
        arrived = resolve;
      }),
    [Symbol.dispose]: () => watcher.close(),
  };
}
