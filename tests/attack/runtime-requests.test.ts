/** What agents ask `__orchestrator__` for and may not have. Each is refused with the reason, and audited. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lookIntoInbox, putIntoOutbox } from '../support/message-files.ts';
import { processesWith } from '../support/runtime-home.ts';
import { sharedToolHome, type ToolHome } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

const words = `86403.${process.pid}`;
const worker = `NAME: worker\nCLI: sleep ${words}`;

const agents = sharedToolHome();

/** The answer to each of these bodies, in their order. */
async function ask(
  { home, agent: callerOf }: ToolHome,
  called: string,
  kind: string,
  bodies: readonly string[],
): Promise<string[]> {
  const answers: string[] = [];
  const { name: agent } = callerOf(called);
  for (const body of bodies) {
    const before = lookIntoInbox(home, agent).length;
    putIntoOutbox(home, agent, `TO: __orchestrator__\nKIND: ${kind}\nFROM: Lead\n\n${body}\n`);
    const answer = await until(() => {
      const found = lookIntoInbox(home, agent)[before];
      if (found === undefined) throw new Error('nobody has answered yet');
      return found;
    });
    answers.push(`${answer.headers['KIND']} ${answer.body}`);
  }
  return answers;
}

async function nobodyIsThere({ client }: ToolHome): Promise<void> {
  const all = await Array.fromAsync(client.agents());
  const others = all.filter(({ name }) => !/^(jean|sam)-\d+$/.test(name));
  expect(others.filter(({ state }) => state !== 'terminated')).toEqual([]);
  expect(processesWith(words)).toEqual([]);
}

test('a spawn and a release without the grant are denied, and stand in the audit', async () => {
  const home = await agents('jean', 'sam');

  const [jean, sam] = [home.agent('jean').name, home.agent('sam').name];

  const [spawn] = await ask(home, 'jean', 'spawn', [worker]);
  const [release] = await ask(home, 'jean', 'release', [`NAME: ${sam}`]);

  expect(spawn).toMatch(/^nack .*agent:worker:spawn/s);
  expect(release).toMatch(/^nack /);
  expect(release).toContain(`agent:${sam}:release`);
  const denials = await home.events('capability.denied', { actor: `agent:${jean}` });
  expect(denials.map(({ subject }) => subject)).toEqual([
    ...['agent:worker:spawn', `agent:${sam}:release`],
  ]);
  expect(await home.client.agentDetails(sam)).toMatchObject({ state: 'pending' });
  await nobodyIsThere(home);
});

test('a spawn with variables that load code, odd names or odd words is refused', async () => {
  const home = await agents('jean', 'sam');
  await home.grant('jean', 'agent:*:spawn');
  const bodies = [
    `${worker}\nENV: LD_PRELOAD=/tmp/x.so`,
    `${worker}\nENV: A=b,PATH=/tmp`,
    `${worker}\nENV: NODE_OPTIONS=--import=/tmp/x`,
    `${worker}\nENV: AOS_HANDLE=x`,
    `NAME: ../worker\nCLI: sleep ${words}`,
    `NAME: owner\nCLI: sleep ${words}`,
    `NAME: __orchestrator__\nCLI: sleep ${words}`,
    `NAME: ${home.agent('sam').name}\nCLI: sleep ${words}`,
    'NAME: worker\nCLI: ',
    `NAME: worker\nCLI: sleep "${words}`,
    `${worker}\nNAME: other`,
    `${worker}\nUSER: root`,
  ];

  const answers = await ask(home, 'jean', 'spawn', bodies);

  expect(answers).toEqual(bodies.map(() => expect.stringMatching(/^nack \S/)));
  await nobodyIsThere(home);
});

test('a folder outside of the grants is denied, also by way of ".." and of a link', async () => {
  const home = await agents('jean', 'sam');
  const inside = home.folder.at('inside');
  const outside = home.folder.at('outside');
  for (const folder of [inside, outside]) mkdirSync(folder);
  symlinkSync(outside, join(inside, 'link'));
  await home.grant('jean', 'agent:*:spawn', `file:${inside}/**:read,write`);
  const script = home.folder.at('mark.sh');
  writeFileSync(script, `touch marked\nexec sleep ${words}\n`);
  const folders = [outside, `${inside}/../outside`, '/', home.home, 'inside', `${inside}/link`];

  const answers = await ask(
    ...([home, 'jean', 'spawn'] as const),
    folders.map((folder) => `NAME: worker\nCLI: sh ${script}\nWORKING_DIR: ${folder}`),
  );

  expect(answers).toEqual(folders.map(() => expect.stringMatching(/^nack \S/)));
  expect(existsSync(join(outside, 'marked'))).toBe(false);
  expect(processesWith(words)).toEqual([]);
});

test('a program that an agent asked for gets nothing of what the agent may do', async () => {
  const home = await agents('jean', 'sam');
  await home.grant('jean', 'agent:*:spawn', 'memory:**:write');

  const [answer] = await ask(home, 'jean', 'spawn', [worker]);

  expect(answer).toMatch(/^ack STARTED: worker/);
  const { items } = await home.client.grants({ agent: 'worker' });
  expect(items.map(({ capability, origin }) => `${origin} ${capability}`)).toEqual([
    expect.stringMatching(/^default message:/),
  ]);
  await home.client.killAgent('worker');
});
