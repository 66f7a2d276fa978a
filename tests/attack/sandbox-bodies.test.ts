/** What careful readers got the program of an agent to do: each of them is tried again. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { lookIntoInbox } from '../support/message-files.ts';
import { agentNames } from '../support/runtime-home.ts';
import {
  longTest,
  oneSandboxDaemon,
  outcomes,
  type SandboxDaemon,
  startSandboxDaemon,
  underEachDaemon,
} from '../support/sandbox-daemon.ts';
import { endOf } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

const secret = 'words-that-nobody-shows';

underEachDaemon((mode) => {
  const long = longTest(mode);
  const daemon = oneSandboxDaemon(mode, {
    agents: ['ann'],
    settings: { workspaceMegabytes: 24, mailboxMegabytes: 4, mailboxMessages: 200 },
  });

  long('its outbox and its inbox hold no more than they may, in bytes and in files', async () => {
    const bytes = 'for i in 1 2 3 4 5 6 7 8; do head -c 4000000 /dev/zero > .big$i; done';
    const files = 'mkdir sub; cd sub; i=0; while [ $i -lt 1000 ]; do : > $i; i=$((i + 1)); done';
    const rows = [
      ['outbox-bytes', bytes],
      ['outbox-files', files],
      ['inbox-bytes', bytes],
      ['inbox-files', files],
    ] as const;

    const ends = await outcomes(rows, async ([name, fill]) => {
      const folder = `/aos/agents/${name}/${name.split('-')[0]}`;
      // Not at once: who is stopped in its first moment was not started at all.
      const script = `cd ${folder} || exit 9; sleep 0.5; ${fill}; echo filled; exec sleep 300`;
      const cli = ['sh', '-c', script];
      await using agent = await spawned(daemon(), name, { cli });
      const { state, reason } = await agent.over();
      return `${state}: ${reason}`;
    });

    const limit = expect.stringMatching(/^failed: .*(?:workspace|outbox|inbox)/);
    expect(ends).toEqual(Object.fromEntries(rows.map(([name]) => [name, limit])));
  });

  long('a folder that was swapped for a symlink after it was asked for is not shown', async () => {
    // One at a time, so that the others wait, and there is time to swap.
    await using own = await startSandboxDaemon(mode, {
      ...{ agents: ['mal'], settings: { programSlots: 1 } },
    });
    const project = ofDaemon(own, 'project');
    for (const name of ['fine', 'sub']) writeNote(ofDaemon(own, `project/${name}`), 'shown');
    const closed = ofDaemon(own, 'closed');
    writeNote(ofDaemon(own, 'closed/private'), secret);
    chmodSync(closed, 0o700);
    await own.grant('mal', 'agent:*:spawn', `file:${project}/**:read`, `file:${project}/**:write`);
    await using _ = await spawned(own, 'first', { cli: ['sleep', '300'] });

    for (const name of ['fine', 'sub']) {
      const answer = await ask(
        own,
        'mal',
        `NAME: ${name}\nCLI: cat note\nWORKING_DIR: ${project}/${name}`,
      );
      expect(answer).toMatch(/WAITING/);
    }
    swap(`${project}/sub`, '../closed/private');
    await own.client.killAgent('first');

    expect(await overAgent(own, 'fine')).toMatchObject({ state: 'completed', log_tail: 'shown' });
    const swapped = await overAgent(own, 'sub');
    expect(swapped.state).toBe('failed');
    expect(swapped.reason).toMatch(/leads elsewhere/);
    expect(swapped.log_tail ?? '').not.toContain(secret);
  });

  long('nor at a later start, when it was the owner who named it', async () => {
    const folder = ofDaemon(daemon(), 'later');
    const work = ofDaemon(daemon(), 'later/work');
    writeNote(work, 'shown');
    const hidden = ofDaemon(daemon(), 'later-hidden');
    writeNote(hidden, secret);
    // It ends when the test has swapped the folder, and is started again.
    const cli = ['sh', '-c', `cat note; until ! test -e ${folder}/work/note; do sleep 0.02; done`];
    await using agent = await spawned(daemon(), 'later', {
      cli,
      cwd: work,
      sees: [folder],
      restart: 'always',
    });
    await until(async () => expect((await agent.look()).log_tail).toContain('shown'));

    swap(work, '../later-hidden');
    const { reason, log_tail } = await until(async () => {
      const now = await agent.look();
      expect(now.reason ?? '').toMatch(/leads elsewhere/);
      return now;
    });

    expect(reason).toContain(work);
    expect(log_tail).not.toContain(secret);
  });

  test('no repository can be written to, however deep it lies in the folder', async () => {
    const rows = [
      ['in it', 'repositories/one/.git/hooks'],
      ['below', 'repositories/two/a/b/c/.git/hooks'],
      ['among packages', 'repositories/five/node_modules/x/.git/hooks'],
      ['a file that leads to one', 'repositories/three/a/.git'],
      ['none', 'repositories/four/a'],
    ] as const;

    const ends = await outcomes(rows, async ([what, path]) => {
      const folder = path.split('/').slice(0, 2).join('/');
      mkdirSync(daemon().folder.at(dirname(path)), { recursive: true });
      if (what.startsWith('a file')) writeFileSync(daemon().folder.at(path), 'gitdir: /elsewhere');
      else mkdirSync(daemon().folder.at(path));
      chmodSync(daemon().folder.at(folder), 0o777);
      const body = { cli: ['true'], cwd: daemon().folder.at(folder), writable: true as const };
      return endOf(spawnedAndOver(daemon(), `git-${what.replaceAll(' ', '-')}`, body));
    });

    const refused = rows.map(([what]) => [
      what,
      what === 'none' ? 'completed' : 'sandbox.bad-folder',
    ]);
    expect(ends).toEqual(Object.fromEntries(refused));
  });

  test('what cannot be shown is refused before there is an agent', async () => {
    const body = { cli: ['true'], sees: ['/etc/ssl'] };

    const end = await endOf(daemon().client.spawn('early', body));

    expect(end).toBe('sandbox.bad-folder');
    expect(await agentNames(daemon().client)).not.toContain('early');
  });

  test('an agent does not see by the program of another what is kept from itself', async () => {
    const work = ofDaemon(daemon(), 'work');
    for (const [name, path] of [
      ['env', '.env'],
      ['keys', 'deep/down/.ssh/id_rsa'],
    ] as const) {
      ofDaemon(daemon(), `work/${name}/${dirname(path)}`);
      writeFileSync(`${work}/${name}/${path}`, secret);
    }
    writeNote(ofDaemon(daemon(), 'work/plain'), 'shown');
    await daemon().grant('ann', 'agent:*:spawn', `file:${work}/**:read`, `file:${work}/**:write`);
    const order = (name: string, file: string) =>
      `NAME: kid-${name}\nCLI: cat ${file}\nWORKING_DIR: ${work}/${name}`;

    const direct = await endOf(read(daemon(), 'ann', `${work}/env/.env`));
    const answers = [
      await ask(daemon(), 'ann', order('env', '.env')),
      await ask(daemon(), 'ann', order('keys', 'deep/down/.ssh/id_rsa')),
    ];
    const plain = await ask(daemon(), 'ann', order('plain', 'note'));

    expect(direct).toBe('capability.denied');
    for (const answer of answers) expect(answer).toMatch(/^nack .*CODE: sandbox\.bad-folder/s);
    expect(await agentNames(daemon().client)).not.toContain('kid-env');
    expect(plain).toMatch(/^ack STARTED/);
    expect((await overAgent(daemon(), 'kid-plain')).log_tail).toContain('shown');
  });

  test('folders in which secrets usually lie are not shown whole', async () => {
    const home = ofDaemon(daemon(), 'somebody');
    for (const path of ['.config/gcloud', '.local/share/keyrings']) {
      writeNote(ofDaemon(daemon(), `somebody/${path}`), secret);
    }
    const rows = [['.config'], ['.local'], ['.local/share']] as const;

    const ends = await outcomes(rows, ([path]) =>
      endOf(
        spawnedAndOver(daemon(), `see-${path.replaceAll(/\W/g, '')}`, {
          cli: ['true'],
          sees: [`${home}/${path}`],
        }),
      ),
    );

    expect(ends).toEqual(Object.fromEntries(rows.map(([path]) => [path, 'sandbox.bad-folder'])));
  });
});

/** Made by whoever the daemon runs as, and open to all. */
function ofDaemon({ folder, home }: SandboxDaemon, path: string): string {
  const made = folder.at(path);
  mkdirSync(made, { recursive: true });
  const { uid, gid } = statSync(home);
  chownSync(made, uid, gid);
  return made;
}

function writeNote(folder: string, text: string): void {
  writeFileSync(`${folder}/note`, text);
}

/** As whoever can write in the folder above does it. */
function swap(folder: string, target: string): void {
  renameSync(folder, `${folder}-before`);
  symlinkSync(target, folder);
}

type SpawnBody = Parameters<SandboxDaemon['client']['spawn']>[1];
type Details = Awaited<ReturnType<SandboxDaemon['client']['agentDetails']>>;

interface Spawned extends AsyncDisposable {
  look(): Promise<Details>;
  /** When it runs no longer. */
  over(): Promise<Details>;
}

/** Programs live longer than their daemon: disposed of, it is ended. */
async function spawned(daemon: SandboxDaemon, name: string, body: SpawnBody): Promise<Spawned> {
  await daemon.client.spawn(name, body);
  return {
    look: () => daemon.client.agentDetails(name),
    over: () => overAgent(daemon, name),
    async [Symbol.asyncDispose]() {
      await endOf(daemon.client.killAgent(name));
    },
  };
}

async function spawnedAndOver(
  daemon: SandboxDaemon,
  name: string,
  body: SpawnBody,
): Promise<string> {
  await using agent = await spawned(daemon, name, body);
  return (await agent.over()).state;
}

function overAgent({ client }: SandboxDaemon, name: string): Promise<Details> {
  return until(async () => {
    const details = await client.agentDetails(name);
    expect(details.state).toMatch(/completed|failed|terminated/);
    return details;
  });
}

/** What `__orchestrator__` answers to a wish for another agent. */
async function ask(daemon: SandboxDaemon, agent: string, body: string): Promise<string> {
  const { client } = daemon.agent(agent);
  const { id } = await client.send({ to: '__orchestrator__', kind: 'spawn', body });
  return until(() => {
    const found = lookIntoInbox(daemon.home, agent).find(({ headers }) => headers['RE'] === id);
    if (found === undefined) throw new Error('nobody has answered yet');
    return `${found.headers['KIND']} ${found.body}`;
  });
}

function read(daemon: SandboxDaemon, agent: string, path: string): Promise<unknown> {
  return daemon.agent(agent).client.callTool('file.read', { args: { path } });
}
