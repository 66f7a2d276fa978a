/** The programs of agents behind the real wall, as whoever supervises programs starts them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { hasSandbox, isRoot } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { until } from '../../../tests/support/until.ts';
import { realClock, realRandom } from '../../engines/clock.ts';
import { openPrograms } from '../../engines/process/programs.ts';
import type { ProgramRecord, RunningProgram } from '../../kernel/programs.ts';
import type {
  BodyOrder,
  HeldSandboxBody,
  SandboxLimit,
  SandboxLimits,
} from '../../kernel/sandbox.ts';
import { BubblewrapSandboxes } from '../bubblewrap-sandboxes.ts';

keepCompiled();

const limits: SandboxLimits = {
  ...{ memoryBytes: 128 * 2 ** 20, processes: 64, cpuPercent: 200, openFiles: 256 },
  ...{ fileBytes: 16 * 2 ** 20, workspaceBytes: 32 * 2 ** 20, workspaceFiles: 1000 },
};
const noMail = { mail: [], mailLimits: limits };
const uid = isRoot ? 2_139_999_999 : undefined;
let starts = 0;

interface StartedBody {
  readonly id: string;
  readonly program: RunningProgram;
  readonly held: HeldSandboxBody;
  readonly stops: SandboxLimit[];
  readonly server: Server | undefined;
  /** What it wrote so far. */
  said(): string;
}

function newWorld(groups: 'auto' | 'off' = 'auto') {
  const folder = temporaryFolder();
  const workspace = folder.at('workspace');
  mkdirSync(workspace);
  if (uid !== undefined) chownSync(workspace, uid, uid);
  const errors: object[] = [];
  const log = { error: (facts: object) => void errors.push(facts) };
  const options = { clock: realClock, random: realRandom, log, folder: folder.at('sandbox') };
  const sandboxes = new BubblewrapSandboxes({ ...options, groups });
  const programs = openPrograms({ clock: realClock, groups });
  const begun: StartedBody[] = [];

  const orderFor = (script: string, changes: Partial<BodyOrder> = {}): BodyOrder => ({
    id: `${process.pid}b${++starts}`,
    view: { principal: 'agent:jean', uid, workspace, sees: [], unixSockets: true },
    command: {
      argv: ['/bin/sh', '-c', script],
      cwd: '/workspace',
      env: { PATH: '/usr/bin:/bin', HOME: '/workspace', AOS_TEST_MARK: mark },
    },
    limits,
    ...changes,
  });
  const places = (id: string) => ({
    ...{ id, argv: ['sh'] as const, cwd: '/', env: {} },
    ...{ logPath: folder.at('logs', `${id}.log`), statusFolder: folder.at('status') },
  });
  return {
    ...{ folder, workspace, sandboxes, programs, orderFor, places, options },
    async start(script: string, changes: Partial<BodyOrder> = {}): Promise<StartedBody> {
      const startedAt = realClock.now();
      const order = orderFor(script, changes);
      const { id } = order;
      const sandbox = await sandboxes.prepareBody(order);
      let server: Server | undefined;
      const onListener = (given: unknown) => {
        if (given instanceof Server) server = given;
      };
      const program = await programs
        .start({ ...places(id), sandbox, onListener })
        .finally(() => server?.unref());
      const stops: SandboxLimit[] = [];
      const stop = (by: SandboxLimit) => {
        stops.push(by);
        void program.kill();
      };
      const { pid } = program.record;
      const held = sandboxes.holdBody({
        ...noMail,
        id,
        startedAt,
        workspace,
        limits: order.limits,
        pid,
        stop,
      });
      const said = () => readFileSync(places(id).logPath, 'utf8');
      const body = { id, program, held, stops, server, said };
      begun.push(body);
      return body;
    },
    async [Symbol.asyncDispose]() {
      for (const { program, held, server } of begun) {
        await program.kill();
        held[Symbol.dispose]();
        server?.close();
      }
      await sandboxes[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      expect(errors).toEqual([]);
    },
  };
}

// The leak check of the tests looks for it.
const mark = process.env['AOS_TEST_MARK'] ?? '';

function groupsOf(id: string): string[] {
  return foldersBelow('/sys/fs/cgroup', 5).filter((path) => path.endsWith(`-${id}`));
}

function foldersBelow(path: string, depth: number): string[] {
  if (depth === 0) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${path}/${name}`)
      .flatMap((folder) => [folder, ...foldersBelow(folder, depth - 1)]);
  } catch {
    // Of others, or gone meanwhile.
    return [];
  }
}

function processesWith(words: string): number {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(words);
    } catch {
      return false;
    }
  }).length;
}

describe.skipIf(!hasSandbox)('the program of an agent behind the wall', () => {
  test('has its workspace, its variables and nothing of the host', async () => {
    await using world = newWorld();
    const secret = world.folder.at('secret');
    mkdirSync(secret);
    const script = `pwd; echo "$HOME"; echo mine > mine; ls /; ls -d ${secret} /root /home; id -u
      cat /proc/1/environ 2>/dev/null | wc -c; ls /proc/self/fd | wc -l; cat /proc/net/dev | wc -l`;

    const body = await world.start(script);

    expect(await body.program.ended).toEqual({ kind: 'exited', code: 0 });
    const [cwd, home, ...rest] = body.said().trim().split('\n');
    expect([cwd, home]).toEqual(['/workspace', '/workspace']);
    expect(rest).toContain('tmp');
    expect(rest).not.toContain('root');
    expect(body.said()).toMatch(/cannot access '.*secret'/);
    // Of the launcher nothing is seen, 0 to 2 and that of ls are all descriptors, lo is all.
    expect(rest.slice(-4)).toEqual([String(uid ?? 1000), '0', '4', '3']);
    expect(readFileSync(`${world.workspace}/mine`, 'utf8')).toBe('mine\n');
    expect(statSync(`${world.workspace}/mine`).uid).toBe(uid ?? process.getuid?.());
  });

  test.each([
    ['exit 3', { kind: 'exited', code: 3 }],
    ['exit 0', { kind: 'exited', code: 0 }],
    ['kill -SEGV $$', { kind: 'killed', signal: 'SIGSEGV' }],
    ['no-such-program', { kind: 'exited', code: 127 }],
  ])('ends as it does outside: %s', async (script, end) => {
    await using world = newWorld();

    const body = await world.start(script);

    expect(await body.program.ended).toEqual(end);
  });

  test('is named by its own process, stands still when it is frozen, and goes on', async () => {
    await using world = newWorld();
    const count = 'while :; do echo x >> ticks; sleep 0.01; done';
    const { program } = await world.start(`setsid sh -c '${count}' & exec sh -c '${count}'`);
    const ticks = () => statSync(`${world.workspace}/ticks`, { throwIfNoEntry: false })?.size ?? 0;
    await until(() => expect(ticks()).toBeGreaterThan(0));

    await program.freeze();
    const frozen = ticks();
    await realClock.sleep(100);

    expect(ticks()).toBe(frozen);
    expect(program.condition()).toBe('stopped');
    const command = readFileSync(`/proc/${program.programPid()}/cmdline`, 'utf8');
    expect(command).toBe(`sh\0-c\0${count}\0`);

    await program.thaw();

    await until(() => expect(ticks()).toBeGreaterThan(frozen));
    expect(program.condition()).toBe('running');
  });

  test.each(['auto', 'off'] as const)(
    'hears a polite word, and its exit code arrives; with control groups: %s',
    async (groups) => {
      await using world = newWorld(groups);
      const trap = 'trap "echo bye; exit 7" TERM; echo up; while :; do sleep 0.01; done';
      const { program, said } = await world.start(trap);
      await until(() => expect(said()).toContain('up'));

      await program.terminate();

      expect(await program.ended).toEqual({ kind: 'exited', code: 7 });
      expect(said()).toContain('bye');
    },
  );

  test.each(['auto', 'off'] as const)(
    'is killed with all that it started, and leaves no group and no file; with control groups: %s',
    async (groups) => {
      await using world = newWorld(groups);
      const nap = `${3600 + starts}.${process.pid}`;
      const hide = `(env -i setsid /bin/sh -c 'trap "" TERM; sleep ${nap}; :' &)`;
      const { id, program, held } = await world.start(`${hide}; ${hide}; exec sleep ${nap}`);
      await until(() => expect(processesWith(nap)).toBeGreaterThan(5));

      await program.kill();
      held[Symbol.dispose]();

      expect(processesWith(nap)).toBe(0);
      expect(program.condition()).toBe('gone');
      expect(groupsOf(id)).toEqual([]);
      expect(readdirSync(world.folder.at('sandbox'))).not.toContain(`body-${id}`);
    },
  );

  test.each(['auto', 'off'] as const)(
    'that uses more memory than it may is ended, and it is known why; with control groups: %s',
    async (groups) => {
      await using world = newWorld(groups);
      const script = 'sleep 0.3; exec tail /dev/zero';

      const { program, held, stops } = await world.start(script);

      expect(await program.ended).toEqual({ kind: 'killed', signal: 'SIGKILL' });
      expect(stops[0] ?? held.ended()).toBe('memory');
    },
  );

  test('that fills its workspace is stopped for it', async () => {
    await using world = newWorld();
    const script = 'i=0; while :; do head -c 4194304 /dev/zero > f$i; i=$((i+1)); done';

    const { program, stops } = await world.start(script);

    await program.ended;
    expect(stops).toEqual(['workspace']);
  });

  test('hands over a listener before it runs: what it connects to there is us', async () => {
    await using world = newWorld();
    const talk =
      "require('net').connect(3128,'127.0.0.1').on('data',(d)=>{console.log('heard '+d);process.exit()})";
    const node = '/run/aos/node';
    const argv = [existsNodeInUsr ? process.execPath : node, '-e', talk] as const;
    const command = { argv, cwd: '/workspace', env: { AOS_TEST_MARK: mark } };

    const { program, server, said } = await world.start('', { command });
    server?.on('connection', (socket) => socket.end('hello'));

    expect(await program.ended).toEqual({ kind: 'exited', code: 0 });
    expect(said()).toBe('heard hello\n');
  });

  test('that cannot be put behind the wall is not started', async () => {
    await using world = newWorld();
    const gone = { from: world.folder.at('gone'), to: '/gone', writable: false };
    const view = { ...world.orderFor('').view, sees: [gone] };

    const attempt = world.start('echo never', { view });

    await expect(attempt).rejects.toMatchObject({
      code: 'sandbox.not-started',
      message: expect.stringContaining('gone'),
    });
  });

  test('outlives who started it, and is adopted, held to its limits and ended by another', async () => {
    await using world = newWorld();
    const outbox = world.folder.at('outbox');
    mkdirSync(outbox);
    const startedAt = realClock.now();
    const script = 'until [ -e go ]; do sleep 0.02; done; exec tail /dev/zero';
    const record = await startAndDie(world, world.orderFor(script));
    const adopted = world.programs.adopt(record);
    const { id, pid } = record;
    const stops: SandboxLimit[] = [];
    const stop = (by: SandboxLimit) => {
      stops.push(by);
      void adopted.kill();
    };
    expect(adopted.condition()).toBe('running');
    expect(record.sandboxed).toBe(true);

    const { workspace } = world;
    const own = { id, startedAt, workspace, limits, pid };
    for (const folder of [workspace, outbox]) {
      // While nobody watched.
      writeFileSync(`${folder}/big`, Buffer.alloc(limits.workspaceBytes + 1));
      const full: SandboxLimit[] = [];
      const noted = { ...own, stop: (by: SandboxLimit) => void full.push(by) };
      using _ = world.sandboxes.holdBody({ ...noted, mail: [outbox], mailLimits: limits });
      await until(() => expect(full).toEqual(['workspace']));
      rmSync(`${folder}/big`);
    }
    const held = world.sandboxes.holdBody({ ...noMail, ...own, stop });
    const go = spawn('sh', ['-c', ': > "$1"/go', 'sh', world.workspace]);
    await once(go, 'close');

    expect((await adopted.ended).kind).not.toBe('exited');
    expect(stops[0] ?? held.ended()).toBe('memory');
    await adopted.kill();
    held[Symbol.dispose]();
    expect(groupsOf(id)).toEqual([]);
  });

  test('of which only the id is known is killed with all that it started', async () => {
    await using world = newWorld();
    const nap = `${7200 + starts}.${process.pid}`;
    const order = world.orderFor(`setsid sleep ${nap} & exec sleep ${nap}`);
    const { id, statusFolder } = await startAndDie(world, order);

    await world.programs.adopt({ id, pid: 0, startTime: '', statusFolder }).kill();

    expect(processesWith(nap)).toBe(0);
  });
});

const existsNodeInUsr = process.execPath.startsWith('/usr/');

/** Starts it from another process, which is then killed. */
async function startAndDie(
  { folder, places, options }: ReturnType<typeof newWorld>,
  order: BodyOrder,
): Promise<ProgramRecord> {
  const from = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const code = `
    import { realClock } from ${from('../../engines/clock.ts')};
    import { realRandom } from ${from('../../engines/clock.ts')};
    import { openPrograms } from ${from('../../engines/process/programs.ts')};
    import { BubblewrapSandboxes } from ${from('../bubblewrap-sandboxes.ts')};
    const { order, places, folder } = JSON.parse(process.argv[1]);
    const engines = { clock: realClock, random: realRandom, log: { error() {} } };
    const sandbox = await new BubblewrapSandboxes({ ...engines, folder }).prepareBody(order);
    const { record } = await openPrograms(engines).start({ ...places, sandbox });
    console.log(JSON.stringify(record));`;
  const told = { order, places: places(order.id), folder: options.folder };
  const args = ['--input-type=module', '-e', code, JSON.stringify(told)];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: folder.path,
  });
  const closed = once(child, 'close');
  const [line] = await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await closed;
  return JSON.parse(String(line));
}
