/** The last scenes of the demo: a human is asked, the report is checked, and what it all was. */
import type { WireApproval } from '../../gateway/contract/contract.ts';
import { printAmount } from '../../kernel/agent/budget.ts';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { isOver } from '../agent/goal-words.ts';
import { counted, table } from '../core/words.ts';
import type { DemoGoals, Show } from './scenes.ts';
import { type DemoFile, wrongRows } from './stage.ts';
import { demoFailed } from './watch.ts';

/** What the person who watches says; `unasked` where there is none. */
export type HumanVerdict = 'yes' | 'no' | 'unasked';

/** Whether it was approved. */
export async function askHuman(
  { stage, tell, signal, watch }: Show,
  ask: (approval: WireApproval) => Promise<HumanVerdict>,
): Promise<boolean> {
  const { client } = stage;
  tell.scene('lead asks a human');
  const { id } = await watch.until('nobody asks for an approval', async () => {
    const { items } = await client.approvals({}, { signal });
    return items.find(({ state }) => state === 'waiting');
  });
  const approval = await client.approval(id, { signal });
  tell.say(
    'It wants to write the report, which it may only when a human has agreed to exactly this:',
  );
  tell.quoted(approval.shown);
  tell.typed('aos approvals', `aos approvals approve ${id.slice(0, 16)}`);
  const verdict = await ask(approval);
  if (verdict === 'no') {
    await client.deny(id, { hash: approval.hash, reason: 'the human said no' }, { signal });
    tell.say('Denied. lead is told, and writes nothing.');
  } else {
    await client.approve(id, { hash: approval.hash, scope: 'once' }, { signal });
    tell.say(
      verdict === 'unasked'
        ? 'Nobody is asked here, so the demo says yes in your place.'
        : 'Approved, this once.',
    );
  }
  tell.done('approval', { id, shown: approval.shown, verdict });
  return verdict !== 'no';
}

interface Written {
  readonly lead: string;
  readonly files: readonly DemoFile[];
  readonly isApproved: boolean;
}

export async function checkReport(
  { stage, tell, signal, watch }: Show,
  { lead, files, isApproved }: Written,
): Promise<void> {
  tell.scene('The report');
  const { state, error } = await watch.until('lead is not done', async () => {
    const found = await stage.client.goal(lead, { signal });
    return isOver(found) ? found : undefined;
  });
  const path = `${stage.files}/report.md`;
  if (!isApproved) {
    if ((await stage.engines.disk.stat(path)) !== undefined) {
      throw demoFailed('lead has written a report that was denied');
    }
    tell.say('There is none, as you wanted.');
    tell.done('report', { path: null, report: null });
    return;
  }
  const [written] = await watch.calls(lead, 'file.write');
  if (written === undefined || written.isError || state !== 'completed') {
    const why = written?.text ?? error?.message ?? 'lead did not write it';
    throw demoFailed(`There is no report: ${why.replaceAll('\n', '. ')}`);
  }
  const report = await textAt({ stage }, path);
  const wrong = wrongRows(report, files);
  if (wrong.length > 0) throw demoFailed(`The report is wrong about ${wrong.join(', ')}`);
  tell.quoted(report);
  tell.good('The demo has counted for itself: every number is right.');
  tell.done('report', { path, report });
}

const largestReport = 64 * 1024;

async function textAt({ stage }: Pick<Show, 'stage'>, path: string): Promise<string> {
  return Buffer.from(await readWholeFile(stage.engines.disk, path, largestReport)).toString();
}

interface Played {
  readonly goals: DemoGoals;
  readonly isApproved: boolean;
}

export async function sumUp(show: Show, { goals, isApproved }: Played): Promise<void> {
  const { stage, tell, signal, watch } = show;
  tell.scene('What happened');
  const ids = Object.values(goals);
  const whole = await Promise.all(ids.map((id) => stage.client.goal(id, { signal })));
  const steps = (await Promise.all(ids.map((id) => watch.steps(id)))).flat();
  const messages = steps.flatMap((step) => (step.kind === 'mail' ? step.messages : [])).length;
  const calls = await checkCalls(show, { isApproved });
  // What the child has used is in what its parent has.
  const paid = whole.filter(({ parent }) => parent === null).flatMap(({ budget }) => budget ?? []);
  const tokens = paid.reduce((sum, { tokens: { used } }) => sum + used, 0);
  const cost = paid.reduce((sum, { cost: { used } }) => sum + used, 0);
  const effects = `2 messages sent, 1 child, ${counted(isApproved ? 2 : 1, 'file')} written`;
  tell.rows(
    table([
      ['3 agents', 'lead, counter and checker, all on the scripted model'],
      [counted(steps.length, 'step'), 'in their journals'],
      [counted(messages, 'message'), 'read by them, one of them that the child is done'],
      [counted(calls, 'tool call'), `${effects}: none twice`],
      ['1 approval', isApproved ? 'given' : 'denied'],
      ['1 kill', 'survived: what was done stayed done, and was not done again'],
      [counted(tokens, 'token'), `for ${printAmount('cost', cost)}: a script is free`],
    ]).split('\n'),
  );
  tell.done('end', {
    ...{ agents: ids.length, steps: steps.length, messages, approvals: 1, calls },
    ...{ kills: 1, tokens, cost, scripted: true },
  });
}

/** How many there were. Throws when one was made twice, or is left in the middle. */
async function checkCalls(
  { stage, signal }: Show,
  { isApproved }: Pick<Played, 'isApproved'>,
): Promise<number> {
  const { items } = await stage.client.calls({ limit: '1000' }, { signal });
  const twice = items.find(({ effect, runs }) => effect !== 'read' && runs > 1);
  if (twice !== undefined) throw demoFailed(`${twice.tool} was run ${twice.runs} times`);
  const times = (tool: string) =>
    items.filter((call) => call.tool === tool && call.state === 'answered').length;
  const expected = { 'message.send': 2, 'agent.spawn': 1, 'file.write': isApproved ? 2 : 1 };
  for (const [tool, wanted] of Object.entries(expected)) {
    if (times(tool) !== wanted)
      throw demoFailed(`${tool} was done ${times(tool)} times, not ${wanted}`);
  }
  return items.length;
}
