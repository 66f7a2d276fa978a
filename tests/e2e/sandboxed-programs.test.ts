/** Programs as agents behind their walls, on the real daemon: what they see, reach, and do not. */
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasSandbox } from '../support/machine.ts';
import { lookIntoInbox } from '../support/message-files.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { endOf } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

// One for all: each test has a program of its own, which is over when the test is.
let home: RelayHome;

beforeAll(async () => {
  home = await relayHome('samantha', 'boss');
  await home.daemon.client.setLead('boss');
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

const logOf = (name: string): string =>
  readFileSync(join(home.home, 'logs', 'agents', `${name}.log`), 'utf8');

/** What it wrote when it was over. */
async function run(name: string, cli: readonly string[], more: object = {}) {
  await home.daemon.client.spawn(name, { cli: [...cli], restart: 'on-failure', ...more });
  await until(async () =>
    expect(await home.daemon.client.agentDetails(name)).toMatchObject({ state: 'completed' }),
  );
  return logOf(name);
}

const askSocket = `
  const http = require('node:http');
  const headers = { authorization: 'Bearer ' + process.env.AOS_HANDLE };
  const path = '/api/v1/agents';
  http.get({ socketPath: process.env.AOS_SOCKET, path, headers }, (answer) => {
    answer.resume();
    console.log('answered', answer.statusCode);
  }).on('error', (error) => console.log(error.message));`;

describe.skipIf(!hasSandbox)('a program behind its wall', () => {
  test('sees its workspace, its outbox and its inbox, and nothing of others', async () => {
    const places = [
      ...['ledger.db', 'keys', 'config.json', 'run/aos.sock', 'run/agents/samantha.sock', 'agents'],
      ...['agents/samantha/outbox', 'agents/samantha/workspace', 'agents/worker/workspace'],
    ].flatMap((place) => [join(home.home, place), `/aos/${place}`]);
    const look = `
      for place in ${places.join(' ')}; do test -e "$place" && echo "sees $place"; done
      ls /aos/agents /aos/agents/worker; cat /aos/agents/worker/inbox/*; pwd -P; cd ~; pwd -P
      cd "$AOS_HOME/agents/worker/workspace" && echo mine > here && cat ~/here
      echo "$AOS_HOME $AOS_SOCKET $USER $TMPDIR $PATH"`;

    const said = await run('worker', ['sh', '-c', look], { goal: 'Paint it.' });

    expect(said.match(/^sees .*/gm)).toEqual([
      'sees /aos/run/aos.sock',
      'sees /aos/agents',
      'sees /aos/agents/worker/workspace',
    ]);
    expect(said).toContain('worker\n\n/aos/agents/worker:\ninbox\noutbox\nworkspace\n');
    expect(said).toContain('Paint it.');
    expect(said).toContain('/workspace\n/workspace\nmine\n');
    expect(said).toContain('/aos /aos/run/aos.sock agent /tmp /usr/local/bin:/usr/bin:/bin\n');
  });

  test('sends by the script of the seed, as printed', async () => {
    const folder = home.folder.at('scripts');
    mkdirSync(folder);
    cpSync(join(import.meta.dirname, '..', 'support', 'appendix-a.sh'), join(folder, 'send.sh'));
    chmodSync(join(folder, 'send.sh'), 0o755);

    await run('sender', [join(folder, 'send.sh')]);

    await until(() =>
      expect(lookIntoInbox(home.home, 'boss')).toMatchObject([{ headers: { FROM: 'sender' } }]),
    );
  });

  test('has no network but one that asks for every host', async () => {
    const ask = `
      const net = require('node:net');
      net.connect(80, '1.1.1.1').on('error', ({ code }) => {
        console.log('direct', code);
        const proxy = net.connect(Number(new URL(process.env.HTTP_PROXY).port), '127.0.0.1');
        proxy.end('GET http://example.com/ HTTP/1.1\\r\\nHost: example.com\\r\\n\\r\\n');
        proxy.on('data', (bytes) => console.log('proxy', String(bytes).split('\\r')[0]));
      });`;

    const said = await run('caller', ['node', '-e', ask]);

    expect(said).toMatch(/^direct ENETUNREACH\nproxy HTTP\/1.1 403/);
  });

  test('may be a script that node runs, in a folder of its own, also by a symlink', async () => {
    const folder = home.folder.at('tool', 'node_modules', 'tool');
    mkdirSync(folder, { recursive: true });
    mkdirSync(home.folder.at('bin'));
    writeFileSync(join(folder, 'part.cjs'), 'module.exports = "a part";\n');
    const script = '#!/usr/bin/env node\nconsole.log("has", require("./part.cjs"), __dirname);\n';
    writeFileSync(join(folder, 'cli.cjs'), script, { mode: 0o755 });
    symlinkSync(join(folder, 'cli.cjs'), home.folder.at('bin', 'tool'));

    const said = await run('scripted', [home.folder.at('bin', 'tool')]);

    expect(said).toBe(`has a part ${folder}\n`);
  });

  test('works in a folder of the host that it can read and not write', async () => {
    const cwd = home.folder.at('project');
    mkdirSync(join(cwd, '.git'), { recursive: true });
    chmodSync(home.folder.path, 0o755);
    writeFileSync(join(cwd, 'notes'), 'read me\n');
    for (const path of [cwd, join(cwd, 'notes')]) chmodSync(path, 0o755);
    const cli = ['sh', '-c', 'pwd; cat notes; touch new || echo closed'];

    const said = await run('reader', cli, { cwd });

    expect(said).toContain(`${cwd}\nread me\n`);
    expect(said).toMatch(/closed\n$/);
  });

  test('is refused where it would see too much, and nothing is left of it', async () => {
    const { client } = home.daemon;
    writeFileSync(home.folder.at('beside-the-home'), '#!/bin/sh\n', { mode: 0o755 });

    for (const asked of [
      ...['/', '/var', '/etc', home.folder.path, home.home, join(home.home, 'keys')].map((cwd) => ({
        ...{ cli: ['true'], cwd },
      })),
      { cli: [home.folder.at('beside-the-home')] },
    ]) {
      expect([asked, await endOf(client.spawn('curious', asked))]).toEqual([
        asked,
        'sandbox.bad-folder',
      ]);
    }
    expect(await endOf(client.agentDetails('curious'))).toBe('agent.unknown');
  });

  // The last one: it takes the daemon of the others away.
  test('reaches its daemon by its socket, also one that was started later', async () => {
    const again = `const ask = () => {${askSocket}}; ask(); setInterval(ask, 100);`;
    await home.daemon.client.spawn('patient', { cli: ['node', '-e', again] });
    await until(() => expect(logOf('patient')).toContain('answered 200'));

    await home.daemon.kill();
    await using next = await startDaemon(home.home);

    await until(() => expect(logOf('patient')).toMatch(/ECONN.*answered 200/s));
    const events = await Array.fromAsync(next.client.events({ subject: 'agent:patient' }));
    expect(events.map(({ kind }) => kind)).toContain('sandbox.network-lost');
    // One that is killed leaves its programs running.
    await next.stop();
  });
});
