import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../tests/sim/random.ts';
import { hasSandbox } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import type { CommandSpec } from '../../kernel/agent/agent.ts';
import { newId } from '../../kernel/new-id.ts';
import type { RunningBody } from '../../kernel/sandbox.ts';
import { NoSandboxes } from '../../sandbox/no-sandboxes.ts';
import { defaultSettings } from '../config/settings.ts';
import { openHomeBodies } from './bodies.ts';
import { composeEngines, type Engines } from './compose.ts';
import { openHome } from './open-home.ts';
import { openHomeSandboxes } from './sandboxes.ts';

async function openBodies(changes: Partial<Engines> = {}) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const engines = { ...composeEngines(), ...changes };
  const open = opened.use(
    await openHome(engines, folder.at('home'), { holder: 'test', onLost: () => {} }),
  );
  const log = { error: () => {} };
  const sandboxes = opened.use(openHomeSandboxes(engines, defaultSettings, { open, log }));
  const environment = { PATH: `${folder.at('bin')}:/usr/bin:/bin`, HOME: folder.path };
  const bodies = openHomeBodies(engines, { open, sandboxes, environment });
  const kept = opened.move();
  return { folder, open, bodies, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const spec = (changes: Partial<CommandSpec> = {}): CommandSpec => ({
  ...{ body: 'command', argv: ['true'], env: {}, restart: 'never' },
  ...changes,
});

const asOwner = { name: 'new', by: 'owner' };
const asJean = { name: 'new', by: 'agent:jean' };

test('where no wall stands, a program is refused with what to do, and none is looked for', async () => {
  await using at = await openBodies({ openSandboxes: () => new NoSandboxes('plan9') });
  const refused = {
    code: 'sandbox.unavailable',
    message: expect.stringContaining('plan9'),
    fix: expect.stringContaining('or as the owner: --unsandboxed'),
  };

  await expect(at.bodies.check(spec(), asOwner)).rejects.toMatchObject(refused);
  await expect(at.bodies.orderFor('jean', spec())).rejects.toMatchObject(refused);
});

test('one that its owner lets run without a wall needs none', async () => {
  await using at = await openBodies({ openSandboxes: () => new NoSandboxes('plan9') });

  await at.bodies.check(spec({ unsandboxed: true }), asOwner);

  expect(await at.bodies.orderFor('jean', spec({ unsandboxed: true }))).toBeUndefined();
});

test('what a program has written counts from when it was made, also before this daemon', async () => {
  const held: RunningBody[] = [];
  class Holding extends NoSandboxes {
    override holdBody(body?: RunningBody) {
      if (body !== undefined) held.push(body);
      return super.holdBody();
    }
  }
  await using at = await openBodies({ openSandboxes: () => new Holding('test') });

  at.bodies.hold('jean', { id: newId(1234, seededRandom('body')), pid: 1, stop: () => {} });

  expect(held).toMatchObject([{ startedAt: 1234 }]);
});

test.skipIf(!hasSandbox)(
  'what cannot be started, or would see too much, is refused early',
  async () => {
    await using at = await openBodies();
    const project = at.folder.at('project');
    mkdirSync(`${project}/.git`, { recursive: true });
    const refusals: readonly [Partial<CommandSpec>, string][] = [
      [{ argv: ['no-such-program'] }, 'program.missing'],
      [{ cwd: at.folder.at('gone') }, 'program.bad-folder'],
      [{ cwd: at.folder.path }, 'sandbox.bad-folder'],
      [{ cwd: '/' }, 'sandbox.bad-folder'],
      [{ cwd: project, writable: true }, 'sandbox.bad-folder'],
      [{ sees: [at.folder.at('gone')] }, 'sandbox.bad-folder'],
      [{ sees: [at.folder.at('home', 'keys')] }, 'sandbox.bad-folder'],
    ];

    for (const [changes, code] of refusals) {
      const attempt = at.bodies.check(spec(changes), asOwner);
      await expect(attempt, JSON.stringify(changes)).rejects.toMatchObject({ code });
    }
    await at.bodies.check(spec({ cwd: project, sees: [project] }), asOwner);
  },
);

test.skipIf(!hasSandbox)('only the owner shows a folder by naming a program in it', async () => {
  await using at = await openBodies();
  for (const name of ['tools', 'bin']) {
    mkdirSync(at.folder.at(name));
    writeFileSync(at.folder.at(name, 'run'), '#!/bin/sh\n', { mode: 0o755 });
  }
  const byPath = spec({ argv: [at.folder.at('tools', 'run')] });

  await at.bodies.check(byPath, asOwner);
  await at.bodies.check(spec({ argv: ['run'] }), asJean);
  await expect(at.bodies.check(byPath, asJean)).rejects.toMatchObject({
    code: 'sandbox.bad-folder',
  });
});
