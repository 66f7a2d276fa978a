/** A reader of the feed lives on while daemons die under it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { version } from '../../src/app/version.ts';
import { realClock } from '../../src/engines/clock.ts';
import { connectTo } from '../../src/gateway/client/client.ts';
import type { WireEvent } from '../../src/gateway/contract/contract.ts';
import { integerBelow, seededRandom } from '../sim/random.ts';
import { registerUntilDown } from '../support/acknowledged-log.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runSeed, times } from '../support/tier.ts';
import { until } from '../support/until.ts';

const kills = times({ fast: 3, full: 50 });
const longestLifeMs = 60;

test('a reader that comes back sees every event once and in order, over many kills', async () => {
  await using home = temporaryFolder();
  const random = seededRandom(`event-stream/${runSeed}`);
  await using reader = new Reader(home.at('run', 'aos.sock'));

  for (let kill = 0; kill < kills; kill++) {
    await using daemon = await startDaemon(home.path);
    const writing = registerUntilDown(daemon, `k${kill}`, () => {});
    await reader.seesDaemon(daemon.pid);
    // Not a wait for something to happen: the moment of the kill is chosen by chance.
    await sleep(integerBelow(random, longestLifeMs));
    await daemon.kill();
    await writing;
  }

  await using last = await startDaemon(home.path);
  await reader.seesDaemon(last.pid);
  const inLedger = await Array.fromAsync(last.client.events({ order: 'oldest-first' }));
  await reader.sees(inLedger.length);
  expect(reader.seen).toEqual(inLedger);
  expect(reader.seen.map(({ seq }) => seq)).toEqual(inLedger.map((_, place) => place + 1));
});

/** Reads from the very first event on, whoever serves. */
class Reader implements AsyncDisposable {
  readonly seen: WireEvent[] = [];
  readonly #stop = new AbortController();
  readonly #reading: Promise<unknown>;

  constructor(socket: string) {
    this.#reading = this.#read(socket).catch((failure: unknown) => failure);
  }

  async #read(socket: string): Promise<void> {
    const client = connectTo({ clock: realClock, version }, socket);
    for await (const item of client.follow({}, { after: 0, signal: this.#stop.signal })) {
      if (item.kind === 'pruned') throw new Error('the feed says that events were pruned');
      this.seen.push(item.event);
    }
  }

  async seesDaemon(pid: number): Promise<void> {
    await this.#waitFor(() => {
      const started = this.seen.findLast(({ kind }) => kind === 'daemon.started');
      expect(started?.data).toMatchObject({ pid });
    });
  }

  async sees(events: number): Promise<void> {
    await this.#waitFor(() => expect(this.seen.length).toBeGreaterThanOrEqual(events));
  }

  async #waitFor(condition: () => void): Promise<void> {
    const broken = this.#reading.then((failure) => Promise.reject(failure));
    await Promise.race([until(condition), broken]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }
}
