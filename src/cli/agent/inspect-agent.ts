import type { WireAgentDetails } from '../../gateway/contract/contract.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, printable, quote, shellWord } from '../../kernel/text/quote.ts';
import { shortIds } from '../core/id-word.ts';
import { indented } from '../core/indented.ts';
import { modelWords } from '../core/model-word.ts';
import { table } from '../core/table.ts';
import { counted, durationWords } from '../core/words.ts';
import { agoWords, budgetText, goalRow } from './goal-words.ts';

export function agentText(agent: WireAgentDetails, now: Instant): string {
  const { budget, operations, log_tail, log_path } = agent;
  const parts = [
    table(factsOf(agent, now).map((row) => row.map(oneLine))),
    ...(budget === null ? [] : [budgetText(budget)]),
    ...(operations.length === 0 ? [] : [goalsText(agent, now)]),
    ...(log_tail === null || log_tail === ''
      ? []
      : [`its last words, from ${quote(log_path ?? '')}:\n${indented(printable(log_tail))}`]),
  ];
  return parts.join('\n\n');
}

function factsOf(agent: WireAgentDetails, now: Instant): string[][] {
  const { reason, parent, children, last_seen_at } = agent;
  return [
    ['agent', agent.name],
    ['state', stateOf(agent, now)],
    ...(reason === null ? [] : [['why', reason]]),
    ...(agent.health === null ? [] : [['health', 'frozen: its program is stopped by a signal']]),
    ['body', agent.body],
    ...bodyFacts(agent),
    ...leaseFacts(agent),
    ['presence', agent.status],
    ['address', agent.address],
    ['made', `${agent.registered_at}, ${agoWords(agent.registered_at, now)}`],
    ...(agent.spawned_by === null ? [] : [['spawned by', agent.spawned_by]]),
    ...(last_seen_at === null ? [] : [['last seen', agoWords(last_seen_at, now)]]),
    ...(parent === null ? [] : [['parent', parent]]),
    ...(children.length === 0 ? [] : [['children', children.join(', ')]]),
  ];
}

function stateOf({ state, state_at }: WireAgentDetails, now: Instant): string {
  if (state_at === null) return state;
  return `${state} for ${durationWords(Math.max(0, now - Date.parse(state_at)))}`;
}

function bodyFacts(agent: WireAgentDetails): string[][] {
  const { model, scripted, argv, cwd, pid, restart, restarts, log_path } = agent;
  const label = model === null ? '' : modelWords(model);
  const again = restarts.length === 0 ? '' : `, was restarted ${counted(restarts.length, 'time')}`;
  return [
    ...(model === null
      ? []
      : [
          [
            'model',
            scripted && label === model ? `${model} (scripted model: follows a script)` : label,
          ],
        ]),
    ...(argv === null ? [] : [['program', argv.map(shellWord).join(' ')]]),
    ...(cwd === null ? [] : [['folder', agent.writable ? `${cwd}, which it may write to` : cwd]]),
    ...wallFacts(agent),
    ...(pid === null ? [] : [['pid', String(pid)]]),
    ...(restart === null ? [] : [['restart', `${restart}${again}`]]),
    ...(log_path === null ? [] : [['log', log_path]]),
  ];
}

function wallFacts(agent: WireAgentDetails): string[][] {
  const { sandbox, sandbox_rung, sees, uid, network } = agent;
  const works = sandbox_rung === null ? 'on' : `on (${sandbox_rung})`;
  return [
    ...(sandbox === null
      ? []
      : [['sandbox', sandbox === 'on' ? works : "off: the owner's choice"]]),
    ...(sees.length === 0 ? [] : [['sees', sees.map(shellWord).join(' ')]]),
    ...(uid === null ? [] : [['uid', String(uid)]]),
    ...(sandbox === 'on' ? [['network', network ? 'by its http grants' : 'none']] : []),
  ];
}

function leaseFacts({ lease, state }: WireAgentDetails): string[][] {
  if (lease !== null) {
    const { owner, token, renewals } = lease;
    return [['lease', `held by ${owner}, token ${token}, renewed ${counted(renewals, 'time')}`]];
  }
  return state === 'running' ? [['lease', 'none']] : [];
}

function goalsText({ operations }: WireAgentDetails, now: Instant): string {
  const shortOf = shortIds(operations.map(({ id }) => id));
  const rows = operations.map((goal) => goalRow(goal, shortOf, now));
  return `goals:\n${indented(table(rows))}`;
}
