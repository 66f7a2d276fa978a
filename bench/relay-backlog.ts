/** What many unread messages cost those that come after them. */
import type { Bench, Sides } from './frame.ts';
import { startRelay, untilQuiet } from './relay-home.ts';
import { body, connectTwo, sendBurst, type TwoClients } from './relay-socket.ts';
import { workplace } from './workplace.ts';

const many = 100_000;
const few = 1000;
const burst = 10_000;
// So that the ones who wait for their answers do not all stand in memory.
const atOnce = 10_000;

export const relayBacklogBenches: readonly Bench[] = [
  {
    name: 'relay.backlog.others',
    unit: 'msg/s',
    floorIs: `the same burst with ${few} pending instead of ${many}; they wait for other recipients`,
    target: '>=0.8',
    rounds: 9,
    prepare: () => prepare(sendToSamantha),
  },
  {
    name: 'relay.backlog.same',
    unit: 'msg/s',
    floorIs: `the same burst with ${few} pending instead of ${many}; they wait for the same recipient`,
    target: '>=0.8',
    rounds: 9,
    prepare: () => prepare(sendToOwner),
  },
];

type Operation = (clients: TwoClients, count: number) => Promise<number>;

async function prepare(operation: Operation): Promise<Sides> {
  const { disposables } = await workplace();
  const open = async (pending: number) => {
    const { daemon } = disposables.use(await startRelay(['jean', 'samantha']));
    const clients = disposables.use(await connectTwo(daemon.socket));
    for (let left = pending; left > 0; left -= atOnce) {
      await sendToOwner(clients, Math.min(left, atOnce));
    }
    return { daemon, clients };
  };
  const full = await open(many);
  const empty = await open(few);
  const run = async ({ clients }: { readonly clients: TwoClients }): Promise<number> => {
    await Promise.all([untilQuiet(full.daemon.pid), untilQuiet(empty.daemon.pid)]);
    return operation(clients, burst);
  };
  return {
    value: () => run(full),
    floor: () => run(empty),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

/** Until samantha, who is attached, has them. */
const sendToSamantha: Operation = (clients, count) => sendBurst(clients, count);

/** Until they are on disk: nobody takes them out. */
const sendToOwner: Operation = async ({ sender }, count) => {
  const startedAt = performance.now();
  const sent = Array.from({ length: count }, () =>
    sender.send({ from: 'jean', to: 'owner', body }),
  );
  await Promise.all(sent);
  return (1000 * count) / (performance.now() - startedAt);
};
