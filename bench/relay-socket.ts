/** Messages over connections: from a client, through the ledger, to a second client. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { version } from '../src/app/version.ts';
import { realClock, realEventLoop, realRandom } from '../src/engines/clock.ts';
import { MessageConnection } from '../src/gateway/client/message-client.ts';
import { onLines } from './bare-lines.ts';
import { startProgram } from './bare-program.ts';
import type { Bench, Sides } from './frame.ts';
import { startRelay, untilQuiet } from './relay-home.ts';
import { workplace } from './workplace.ts';

const burst = 20_000;
const everybody = 500;
const broadcasts = 20;
export const body = 'x'.repeat(200);

export const relaySocketBenches: readonly Bench[] = [
  {
    name: 'relay.socket',
    unit: 'msg/s',
    floorIs: 'a bare two-hop broker: lines of JSON, all of one turn in one FULL commit',
    target: '>=0.35',
    rounds: 9,
    prepare: prepareBurst,
  },
  {
    name: 'relay.fanout',
    unit: 'deliveries/s',
    floorIs: `msg/s of relay.socket; the value is "*" to ${everybody} agents attached over one connection`,
    target: 'printed',
    rounds: 5,
    prepare: prepareFanout,
  },
];

async function prepareBurst(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const { daemon } = disposables.use(await startRelay(['jean', 'samantha']));
  const socket = join(folder, 'bare.sock');
  const bare = [join(folder, 'bare.db'), socket];
  const broker = disposables.use(await startProgram('bare-broker.ts', bare));
  const clients = disposables.use(await connectTwo(daemon.socket));
  const bareClients = disposables.use(await connectBarely(socket));
  await Promise.all([untilQuiet(daemon.pid), untilQuiet(broker.pid)]);
  // Each side waits until its own server is done: what that does late is not the other's work.
  return {
    async value() {
      const perSecond = await sendBurst(clients, burst);
      await untilQuiet(daemon.pid);
      return perSecond;
    },
    async floor() {
      const perSecond = await bareBurst(bareClients);
      await untilQuiet(broker.pid);
      return perSecond;
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

export interface TwoClients extends AsyncDisposable {
  readonly sender: MessageConnection;
  /** Calls with each message that jean's friend gets. */
  onMail: () => void;
}

/** Two connections: one for jean, who sends, and one for those who are attached. */
export async function connectTwo(
  socketPath: string,
  attached: readonly string[] = ['samantha'],
): Promise<TwoClients> {
  const deps = { clock: realClock, random: realRandom, eventLoop: realEventLoop, version };
  const sender = new MessageConnection(deps, { socketPath });
  const receiver = new MessageConnection(deps, { socketPath });
  const clients: TwoClients = {
    sender,
    onMail: () => {},
    async [Symbol.asyncDispose]() {
      await sender[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
  for (const as of attached) await receiver.attach({ as, onMail: () => clients.onMail() });
  return clients;
}

/** Messages a second, until the second client has all of them. */
export async function sendBurst(clients: TwoClients, count: number): Promise<number> {
  const all = mails(clients, count);
  const startedAt = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let left = count; left > 0; left--) {
    sent.push(clients.sender.send({ from: 'jean', to: 'samantha', body }));
  }
  await Promise.all([all, ...sent]);
  return (1000 * count) / (performance.now() - startedAt);
}

function mails(clients: TwoClients, count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    clients.onMail = () => {
      if (--left === 0) resolve();
    };
  });
}

interface BareClients extends AsyncDisposable {
  say(text: string): void;
  onMail: () => void;
  onAnswer: () => void;
}

async function connectBarely(path: string): Promise<BareClients> {
  const [sender, receiver] = [connect(path), connect(path)];
  await Promise.all([once(sender, 'connect'), once(receiver, 'connect')]);
  const clients: BareClients = {
    say: (text) => void sender.write(text),
    onMail: () => {},
    onAnswer: () => {},
    async [Symbol.asyncDispose]() {
      sender.destroy();
      receiver.destroy();
    },
  };
  receiver.write('{"attach":"samantha"}\n');
  onLines(receiver, (text) => JSON.parse(text) && clients.onMail());
  onLines(sender, (text) => JSON.parse(text) && clients.onAnswer());
  return clients;
}

async function bareBurst(clients: BareClients): Promise<number> {
  let left = 2 * burst;
  const all = new Promise<void>((resolve) => {
    const count = (): void => {
      if (--left === 0) resolve();
    };
    clients.onMail = count;
    clients.onAnswer = count;
  });
  const startedAt = performance.now();
  for (let sent = 0; sent < burst; sent++) {
    clients.say(`${JSON.stringify({ from: 'jean', to: 'samantha', body })}\n`);
  }
  await all;
  return (1000 * burst) / (performance.now() - startedAt);
}

async function prepareFanout(): Promise<Sides> {
  const { disposables } = await workplace();
  const agents = Array.from({ length: everybody }, (_, number) => `agent-${number}`);
  const two = disposables.use(await startRelay(['jean', 'samantha']));
  const many = disposables.use(await startRelay(['jean', ...agents]));
  const clients = disposables.use(await connectTwo(two.daemon.socket));
  const crowd = disposables.use(await connectTwo(many.daemon.socket, agents));
  const quiet = () => Promise.all([untilQuiet(two.daemon.pid), untilQuiet(many.daemon.pid)]);
  return {
    async value() {
      await quiet();
      return sendToAll(crowd);
    },
    async floor() {
      await quiet();
      return sendBurst(clients, burst);
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function sendToAll(crowd: TwoClients): Promise<number> {
  const deliveries = broadcasts * everybody;
  const all = mails(crowd, deliveries);
  const startedAt = performance.now();
  for (let left = broadcasts; left > 0; left--) {
    // Whether it is on disk is not asked here: all deliveries are waited for.
    void crowd.sender.send({ from: 'jean', to: '*', body });
  }
  await all;
  return (1000 * deliveries) / (performance.now() - startedAt);
}
