/** SIGKILL while clients write: what they were told is compared with what is there. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { keyPath, keysFolder } from '../../src/security/identity/key-file.ts';
import { integerBelow, seededRandom } from '../sim/random.ts';
import {
  type Acknowledged,
  AcknowledgedLog,
  registerUntilDown,
} from '../support/acknowledged-log.ts';
import { runAos } from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isFull, seeds } from '../support/tier.ts';

// A daemon starts slower the more agents there are, so a home is killed only so often; and
// two homes at a time, because two cores are what the slowest machine has. In full there are 1,000 kills.
const killsPerHome = isFull ? 25 : 3;
const pairs = seeds('daemon-kill', { fast: 1, full: 20 }).map((n) => [2 * n - 1, 2 * n] as const);
const clients = 8;
const longestLifeMs = 150;

test.each(pairs)(
  'what 8 clients were told is there after many kills each of two homes (seeds %d, %d)',
  async (...pair) => {
    await using folder = temporaryFolder();
    const homes = pair.map((seed) => ({ seed, home: folder.at(`home-${seed}`) }));

    const logs = await Promise.all(homes.map(({ home, seed }) => killOften(home, seed)));

    for (const [place, { home }] of homes.entries()) {
      const acknowledged = logs[place] ?? [];
      const verified = await runAos(['--home', home, 'audit', 'verify']);
      expect(verified).toMatchObject({ code: 0, stderr: '' });
      expect(acknowledged.length).toBeGreaterThanOrEqual(killsPerHome);
      expect(faultsOf(home, acknowledged)).toEqual([]);
    }
  },
);

describe('the check itself finds', () => {
  test.each([
    ['a write that is not there', () => {}, 'samantha was acknowledged and is not there'],
    [
      'an agent without a file',
      (home: string) => rmSync(join(home, 'agents', 'jean', 'meta.json')),
      'jean is in the ledger without its files',
    ],
    [
      'half a registration',
      (home: string) => {
        using database = new DatabaseSync(join(home, 'ledger.db'));
        database.exec(`delete from handles where principal = 'agent:jean'`);
      },
      'jean has 0 handles',
    ],
  ])('%s', async (_what, spoil, words) => {
    await using home = temporaryFolder();
    await using daemon = await startDaemon(home.path);
    const jean = await daemon.client.register('jean');
    await daemon.stop();
    spoil(home.path);

    const faults = faultsOf(home.path, [jean, { ...jean, name: 'samantha' }]);

    expect(faults.join('\n')).toContain(words);
  });
});

/** Resolves to what the clients were told. */
async function killOften(home: string, seed: number): Promise<Acknowledged[]> {
  using log = new AcknowledgedLog(`${home}.acknowledged`);
  const random = seededRandom(`daemon-kill/${seed}`);
  for (let kill = 0; kill < killsPerHome; kill++) {
    const lifeMs = integerBelow(random, longestLifeMs);
    await killWhileClientsWrite(home, `k${kill}`, { log, lifeMs });
  }
  return log.all();
}

async function killWhileClientsWrite(
  home: string,
  namePrefix: string,
  { log, lifeMs }: { readonly log: AcknowledgedLog; readonly lifeMs: number },
): Promise<void> {
  await using daemon = await startDaemon(home);
  const first = Promise.withResolvers<void>();
  const acknowledge = (agent: Acknowledged): void => {
    log.add(agent);
    first.resolve();
  };
  const writing = Promise.all(
    Array.from({ length: clients }, (_, client) =>
      registerUntilDown(daemon, `${namePrefix}-${client}`, acknowledge),
    ),
  );
  // Not a wait for something to happen: the moment of the kill is chosen by chance.
  await Promise.race([first.promise, writing]);
  await sleep(lifeMs);
  await daemon.kill();
  await writing;
}

interface AgentFacts {
  readonly name: string;
  readonly address: string | null;
  readonly handles: number;
  readonly registrations: number;
  readonly by_folder: number;
}

/** What is missing, torn or there twice. */
function faultsOf(home: string, acknowledged: readonly Acknowledged[]): string[] {
  using database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  const integrity = database.prepare('pragma integrity_check').get()?.['integrity_check'];
  const agents = readAgents(database);
  const addressOf = new Map(agents.map(({ name, address }) => [name, address]));
  const lost = acknowledged.filter(({ name, address }) => addressOf.get(name) !== address);
  return [
    ...(integrity === 'ok' ? [] : [`integrity_check says ${integrity}`]),
    ...strayPrincipals(database),
    ...lost.map(({ name }) => `${name} was acknowledged and is not there`),
    ...agents.flatMap((agent) => tornAgent(home, agent)),
  ];
}

function readAgents(database: DatabaseSync): AgentFacts[] {
  const rows = database
    .prepare(
      `select name, address,
         (select count(*) from handles where principal = 'agent:' || name) as handles,
         (select count(*) from events
          where kind = 'agent.registered' and subject = 'agent:' || name) as registrations,
         (select count(*) from events where kind = 'agent.registered'
            and subject = 'agent:' || name and data like '%"by":"folder"%') as by_folder
       from agents left join principals on principals.id = 'agent:' || name`,
    )
    .all();
  // The columns are those of the statement.
  return rows as unknown as AgentFacts[];
}

/** Of an agent all is there, whether or not anybody was told. */
function tornAgent(home: string, agent: AgentFacts): string[] {
  const { name, handles, registrations } = agent;
  // Of a registration that was cut off the folder is left, which makes a guest without one.
  const wanted = agent.by_folder === 1 ? 0 : 1;
  if (handles !== wanted) return [`${name} has ${handles} handles`];
  if (registrations !== 1) return [`${name} was registered ${registrations} times`];
  const folder = join(home, 'agents', name);
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  try {
    for (const part of ['outbox/.pending', 'inbox', 'workspace']) statSync(join(folder, part));
    const addresses = [
      read(join(folder, 'meta.json')).address,
      read(keyPath(keysFolder(home), `agent:${name}`)).address,
    ];
    const others = addresses.filter((address) => address !== agent.address);
    return others.map((other) => `${name} has the address ${agent.address} and ${other}`);
  } catch (failure) {
    return [`${name} is in the ledger without its files: ${failure}`];
  }
}

function strayPrincipals(database: DatabaseSync): string[] {
  const rows = database
    .prepare(
      `select id from principals
       where kind = 'agent' and substr(id, 7) not in (select name from agents)`,
    )
    .all();
  return rows.map(({ id }) => `${id} is a principal without an agent`);
}
