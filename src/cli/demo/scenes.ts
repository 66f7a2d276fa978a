/** The scenes of the demo, in the order in which they are played. */
import type { DaemonEndpoint } from '../../app/daemon.ts';
import { fileCapability } from '../../app/home/scripts.ts';
import type { WireBudget } from '../../gateway/contract/contract.ts';
import { shellWord } from '../../kernel/text/quote.ts';
import { isOver } from '../agent/goal-words.ts';
import { counted, table } from '../core/words.ts';
import type { DemoFile, Stage } from './stage.ts';
import { demoFailed, type Narrator, type Watch } from './watch.ts';

export interface Show {
  readonly stage: Stage;
  readonly tell: Narrator;
  readonly watch: Watch;
  readonly signal: AbortSignal;
}

/** Of the three agents, by their ids. */
export interface DemoGoals {
  readonly lead: string;
  readonly counter: string;
  readonly child: string;
}

export async function makeFolder({ stage, tell }: Show): Promise<readonly DemoFile[]> {
  tell.scene('A folder with six files');
  const files = await stage.build();
  tell.say(`In ${stage.files}, with made-up contents:`);
  tell.rows([files.map(({ name }) => name).join('  ')]);
  tell.done('folder', { folder: stage.files, files: files.map(({ name }) => name) });
  return files;
}

export async function startDaemon({ stage, tell }: Show): Promise<DaemonEndpoint> {
  tell.scene('A daemon of its own');
  const address = await stage.startDaemon();
  tell.say(
    `Process ${address.pid}, on a new home, so that your own agents are left alone. In another terminal you can watch; each scene says what to type:`,
  );
  tell.typed(`export AOS_HOME=${shellWord(stage.home)}`, 'aos top');
  tell.done('daemon', { home: stage.home, pid: address.pid });
  return address;
}

const goal = 'Count the lines and words of the six files, and write a report.';
const leadBudget = ['tokens=40000', 'tool_calls=30', 'children=1'];

/** The id of lead's goal. */
export async function makeTeam({ stage, tell, signal, watch }: Show): Promise<string> {
  const { client, files } = stage;
  tell.scene('Two agents, and what they may do');
  tell.say(
    'Both run on the scripted model: no intelligence, but a script that each follows step by step. What is around them is the real thing. They may do this, and nothing else:',
  );
  await client.spawn(
    'counter',
    {
      model: `scripted:${stage.scriptOf('counter')}`,
      standing: true,
      grants: [
        ...['orders.csv', 'stock.csv'].map((name) => fileCapability(files, name, 'read')),
        fileCapability(files, 'counts.txt', 'write'),
        'message:lead:send',
      ],
    },
    { signal },
  );
  const { operation } = await client.spawn(
    'lead',
    {
      ...{ model: `scripted:${stage.scriptOf('lead')}`, goal, budget: leadBudget },
      grants: [
        fileCapability(files, '*', 'read'),
        // A script is a file, which its child is to follow.
        fileCapability(stage.scripts, 'checker.json', 'read'),
        'message:counter:send',
        'agent:checker:spawn',
      ],
      asking_grants: [fileCapability(files, 'report.md', 'write')],
      max_output_tokens: 1000,
    },
    { signal },
  );
  if (operation === null) throw demoFailed('The goal of lead was not taken');
  watch.follow(operation);
  const { items } = await client.grants({ limit: '100' }, { signal });
  const rows = items
    .map(({ agent, capability, asks }) => ({ agent, capability, asks }))
    .toSorted((one, other) => (grantWords(one) < grantWords(other) ? -1 : 1));
  tell.rows(rows.map((one) => grantWords(one)));
  tell.say(`The goal of lead: ${goal}`);
  tell.typed('aos cap ls', `aos inspect lead`);
  tell.done('team', { operation, goal, grants: rows });
  return operation;
}

function grantWords(grant: {
  readonly agent: string;
  readonly capability: string;
  readonly asks: boolean;
}): string {
  const { agent, capability, asks } = grant;
  return `${agent.padEnd(7)}  ${capability}${asks ? '  (asks each time)' : ''}`;
}

export async function readFiles({ tell, watch }: Show, lead: string): Promise<void> {
  tell.scene('lead reads');
  const calls = await watch.until('lead has not read the four texts', async () => {
    const made = await watch.calls(lead, 'file.read');
    return made.length < 4 ? undefined : made;
  });
  if (calls.some(({ isError }) => isError)) throw demoFailed('lead could not read the texts');
  tell.say('It has read the three notes and the letter, each by a call of file.read.');
  tell.typed('aos tool calls');
  tell.done('read', { agent: 'lead', files: calls.length });
}

/** The id of counter's goal. */
export async function exchangeMessages({ tell, watch }: Show, lead: string): Promise<string> {
  tell.scene('lead and counter talk');
  const question = await watch.until('lead has not written to counter', async () =>
    bodyOf(await watch.calls(lead, 'message.send')),
  );
  tell.say('lead to counter:');
  tell.quoted(question);
  const { counter, answer } = await watch.until('counter has not answered', async () => {
    const id = await watch.goalOf('counter');
    const body = id === undefined ? undefined : bodyOf(await watch.calls(id, 'message.send'));
    return id === undefined || body === undefined ? undefined : { counter: id, answer: body };
  });
  tell.say('counter, who was woken by that, to lead:');
  tell.quoted(answer);
  tell.typed('aos inspect counter');
  tell.done('messages', { question, answer });
  return counter;
}

function bodyOf(calls: Awaited<ReturnType<Watch['calls']>>): string | undefined {
  const [made] = calls;
  if (made === undefined || made.isError) return undefined;
  const { args } = made.call;
  const hasBody = typeof args === 'object' && args !== null && 'body' in args;
  return hasBody && typeof args.body === 'string' ? args.body : undefined;
}

/** The id of the child's goal. */
export async function spawnChild({ stage, tell, signal, watch }: Show): Promise<string> {
  const budgetOf = async (agent: string): Promise<WireBudget | undefined> =>
    (await stage.client.agentDetails(agent, { signal })).budget ?? undefined;
  const before = await budgetOf('lead');
  tell.scene('lead has a child');
  const child = await watch.until('lead has no child', () => watch.goalOf('checker'));
  const after = await watch.until('the child has no budget', () => budgetOf('lead'));
  const own = await watch.until('the child has no budget', () => budgetOf('checker'));
  const { items } = await stage.client.grants({ agent: 'checker' }, { signal });
  tell.say('checker is to count the orders again. It may read two files:');
  tell.rows(items.map(grantWords).toSorted());
  tell.say(
    'What it may spend is taken out of what lead may spend, who also spends a little itself meanwhile:',
  );
  const rows = [
    ['', 'tokens', 'tool calls', 'children'],
    // Where lead was faster than the look at it, there is nothing to show.
    ...(before?.children.used === 0 ? [['lead has left, before', ...leftIn(before)]] : []),
    ['checker gets', ...limitsIn(own)],
    ['lead has left, after', ...leftIn(after)],
  ];
  tell.rows(table(rows).split('\n'));
  tell.typed('aos ps', 'aos inspect checker');
  tell.done('child', { before: before ?? null, given: own, after });
  return child;
}

const shownResources = ['tokens', 'tool_calls', 'children'] as const;

function leftIn(budget: WireBudget): string[] {
  return shownResources.map((one) => {
    const { limit, used } = budget[one];
    return limit === null ? 'any' : String(limit - used);
  });
}

function limitsIn(budget: WireBudget): string[] {
  return shownResources.map((one) => String(budget[one].limit ?? 'any'));
}

/** In the middle of the child's work, when no process is writing anything. */
export async function killDaemon(
  { stage, tell, signal, watch }: Show,
  { pid, goals }: { readonly pid: number; readonly goals: DemoGoals },
): Promise<void> {
  const { client } = stage;
  tell.scene('The daemon is killed');
  await watch.until('counter is not done', async () =>
    isOver(await client.goal(goals.counter, { signal })) ? true : undefined,
  );
  await watch.until('nobody has come to the middle', async () => {
    const { state } = await client.goal(goals.lead, { signal });
    const asked = (await watch.steps(goals.child)).filter(({ kind }) => kind === 'asked');
    return state === 'waiting' && asked.length > 1 ? true : undefined;
  });
  const isAtIt = !isOver(await client.goal(goals.child, { signal }));
  const before = await client.steps(goals.lead, { limit: 1000 }, { signal });
  await stage.killDaemon(pid, signal);
  tell.say(
    `kill -9 ${pid}, while ${isAtIt ? 'checker counts and ' : ''}lead waits. It had no time to save anything.`,
  );
  const address = await stage.startDaemon();
  const after = await client.steps(goals.lead, { limit: 1000 }, { signal });
  const kept = JSON.stringify(after.items.slice(0, before.items.length));
  if (kept !== JSON.stringify(before.items)) throw demoFailed('The journal of lead has changed');
  tell.say(
    `A new one is up as process ${address.pid}. The journal of lead has the same ${counted(before.items.length, 'step')} as before, and everybody goes on from where they were.`,
  );
  const answer = await watch.until('checker is not done', async () => {
    const { result } = await client.goal(goals.child, { signal });
    return result ?? undefined;
  });
  if ((await watch.steps(goals.child)).some(({ kind }) => kind === 'lost')) {
    tell.say(
      'The answer that checker waited for went with the daemon, so its model was asked again. Then checker told lead:',
    );
  } else tell.say('Then checker told lead:');
  tell.quoted(answer);
  tell.typed(`aos inspect ${goals.child.slice(0, 16)}`);
  tell.done('kill', { killed: pid, started: address.pid, steps_kept: before.items.length, answer });
}
