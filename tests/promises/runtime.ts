/** Agents that live, stop and come back; goals, budgets, and programs. */
import type { KeptPromise, NamedTest } from './promise.ts';

const runtimeSeeds: NamedTest = {
  file: 'tests/sim/runtime-seeds.ts',
  title: `whatever goes wrong in \${words}, every operation ends as it should`,
};

export const runtimePromises: readonly KeptPromise[] = [
  {
    id: 'runtime.no-lie',
    says: 'No agent is shown as running that does not run: after kill -9 each goes on, or has failed with a reason.',
    guard: {
      file: 'src/runtime/command/command-bodies.slow.test.ts',
      title: 'a row that says running and names no program does not say so for long',
    },
    proof: {
      file: 'tests/crash/runtime-no-lie.test.ts',
      title: 'of twenty agents whose daemon is killed each goes on, or has failed with a reason',
    },
    bug: {
      what: 'a row that says running is left alone when it names no program',
      file: 'src/runtime/command/recover-programs.ts',
      find: "else if (state === 'running') await",
      put: "else if (state === 'running' && agent.program !== null) await",
    },
  },
  {
    id: 'runtime.resume',
    says: 'A run that kill -9 cut off goes on from its journal, and has no effect twice.',
    guard: {
      file: 'src/runtime/model/run.test.ts',
      title: 'a run goes on from its journal, and makes no call twice',
    },
    proof: {
      file: 'tests/crash/runtime-chaos.test.ts',
      title:
        'no effect comes twice and no goal is lost through many kills each of two homes (seeds %d, %d)',
    },
    bug: {
      what: 'the key of a call has the time in it',
      file: 'src/runtime/model/run.ts',
      find: 'key: callKey(run.operation.id, turn, place),',
      put: 'key: callKey(run.operation.id, turn, place) + deps.clock.now(),',
    },
  },
  {
    id: 'runtime.goals',
    says: 'A goal that was submitted comes to an end, whatever goes wrong.',
    guard: {
      file: 'src/runtime/scheduler.test.ts',
      title: 'a run that breaks off fails its operation, says so, and frees the slot',
    },
    proof: runtimeSeeds,
    bug: {
      what: 'a run that breaks off is ended only where it does not run',
      file: 'src/runtime/scheduler.ts',
      find: "?.state !== 'running') return;",
      put: "?.state === 'running') return;",
    },
  },
  {
    id: 'runtime.lease',
    says: 'Late writes of a daemon that was taken for dead are refused.',
    guard: {
      file: 'src/runtime/lease-keeper.test.ts',
      title: 'who has lost one is told at the next beat, and its late writes are refused',
    },
    proof: runtimeSeeds,
    bug: {
      what: 'a late write is checked against what this process remembers',
      file: 'src/runtime/lease-keeper.ts',
      find: 'if (await holdsLease(tx, subject, this.#deps.owner, token)) return;',
      put: 'if (this.#held.get(subject)?.token === token) return;',
    },
  },
  {
    id: 'runtime.budget',
    says: 'No model is asked, and no tool called, for which the budget has no room.',
    guard: {
      file: 'src/runtime/model/run.test.ts',
      title: 'of tokens lets no call start that it does not cover',
    },
    proof: {
      file: 'tests/e2e/runtime-budget.test.ts',
      title: 'a goal for two children and 1,000 tokens gets no more of either when it tries %s',
    },
    bug: {
      what: 'the prompt is not counted in what is held',
      file: 'src/runtime/model/ask.ts',
      find: 'tokens: promptTokens + maxOutputTokens,',
      put: 'tokens: maxOutputTokens,',
    },
  },
  {
    id: 'runtime.child',
    says: 'A child gets what was named for it and nothing else, and no more than its parent has.',
    guard: {
      file: 'src/runtime/model/run.test.ts',
      title: 'gets only what is narrower than what its parent holds',
    },
    proof: {
      file: 'tests/attack/runtime-agents.test.ts',
      title: 'gets no grant that is wider than its parent’s, and is not made without it',
    },
    bug: {
      what: 'a grant that asks nobody is given to a child and not delegated',
      file: 'src/runtime/spawn.ts',
      find: 'if (giver === undefined) await',
      put: 'if (giver === undefined || !grant.asks) await',
    },
  },
  {
    id: 'runtime.child-once',
    says: 'A spawn that is made again after a crash is the same child, and its parent hears of its end once.',
    guard: {
      file: 'tests/crash/runtime-steps.test.ts',
      title: 'a run that is cut while it spawns and waits has one child, and hears of it once',
    },
    proof: {
      file: 'tests/crash/runtime-steps.test.ts',
      title: 'a run that is cut while it spawns and waits has one child, and hears of it once',
    },
    bug: {
      what: 'a parent is told only of a child that did not get there',
      file: 'src/runtime/conclude.ts',
      find: 'if (operation.parent !== null) await',
      put: "if (operation.parent !== null && ending.state !== 'completed') await",
    },
  },
  {
    id: 'runtime.fair',
    says: 'Priority 0 comes first, no goal starves, and owners take turns.',
    guard: {
      file: 'src/kernel/agent/operation.test.ts',
      title: 'no goal starves, though one of priority 0 comes in with every start for an hour',
    },
    proof: {
      file: 'src/runtime/scheduler.test.ts',
      title: 'with one slot the owners take turns, though one has many goals',
    },
    bug: {
      what: 'no goal ages as far as priority 0',
      file: 'src/kernel/agent/operation.ts',
      find: 'return Math.max(0, priority -',
      put: 'return Math.max(Math.min(1, priority), priority -',
    },
  },
  {
    id: 'runtime.cancel',
    says: 'A goal that is cancelled, or past its deadline, ends with all that was submitted for it, also where a tool never answers.',
    guard: {
      file: 'src/runtime/scheduler.test.ts',
      title: 'cancel() takes what was submitted for it along',
    },
    proof: {
      file: 'tests/attack/runtime-goals.test.ts',
      title: 'does not keep its goal from being cancelled',
    },
    bug: {
      what: 'what was submitted for a goal that runs is not ended with it',
      file: 'src/runtime/submit.ts',
      find: 'asked.push(...(await endBelow(tx, id, stop)));',
      put: 'else asked.push(...(await endBelow(tx, id, stop)));',
    },
  },
  {
    id: 'runtime.pause',
    says: 'A paused agent stops after its step and is allowed nothing, until it is resumed.',
    guard: {
      file: 'src/runtime/model/run.test.ts',
      title: 'stops a run after its step, and resume goes on from there',
    },
    proof: {
      file: 'tests/attack/runtime-agents.test.ts',
      title: 'that is paused is denied every action, and heard again when it is resumed',
    },
    bug: {
      what: 'a pause that has no reason is none',
      file: 'src/runtime/model/model-runs.ts',
      find: 'wantsPause: () => active.wantsPause !== undefined,',
      put: 'wantsPause: () => active.wantsPause?.reason !== undefined,',
    },
  },
  {
    id: 'runtime.down',
    says: 'When the daemon is stopped, agents on a model stop too, and go on from their last step at the next start.',
    guard: {
      file: 'src/runtime/model/model-runs.test.ts',
      title: 'leaves nothing that says it runs, and the next one goes on with it',
    },
    proof: runtimeSeeds,
    bug: {
      what: 'a run that stops with its daemon is taken for one that broke',
      file: 'src/runtime/model/end-run.ts',
      find: '  if (why === early) return;\n',
      put: '',
    },
  },
  {
    id: 'runtime.data',
    says: 'What an agent reads is framed as data, and no message or memory ends its own frame.',
    guard: {
      file: 'src/kernel/journal/conversation.test.ts',
      title: 'neither a memory nor a message ends its frame by %j',
    },
    proof: {
      file: 'tests/attack/runtime-models.test.ts',
      title: 'reads a message that forges its own end as one message, from whom it is',
    },
    bug: {
      what: 'an end of a frame in capitals counts as none',
      file: 'src/kernel/journal/compact.ts',
      find: "'giu'",
      put: "'gu'",
    },
  },
  {
    id: 'programs.kill',
    says: 'Ending a program ends all that it ever started.',
    guard: {
      file: 'src/engines/process/programs.slow.test.ts',
      title: 'kill() leaves none of 50 grandchildren in sessions of their own that ignore SIGTERM',
    },
    proof: {
      file: 'tests/e2e/runtime-programs.test.ts',
      title: 'leaves none of a hundred that a program started in sessions of their own',
    },
    bug: {
      what: 'processes are not found by their mark',
      file: 'src/engines/process/programs-family.ts',
      find: '|| sessions.has(one.session) || isMarked(one.pid, mark))',
      put: '|| sessions.has(one.session))',
    },
  },
  {
    id: 'programs.outlive',
    says: 'A program goes on when the daemon is killed, and its end is known to the next one.',
    guard: {
      file: 'src/engines/process/programs.slow.test.ts',
      title: 'a program outlives who started it, is adopted with its exit status, and killed',
    },
    proof: {
      file: 'src/runtime/command/command-bodies.slow.test.ts',
      title: 'the next daemon adopts what still runs, paused or not, and ends what has ended',
    },
    bug: {
      what: 'the status that is left is that of the shell’s last step',
      file: 'src/engines/process/programs-shim.ts',
      find: 'echo "$2" > "$1.pending"',
      put: 'echo "$?" > "$1.pending"',
    },
  },
  {
    id: 'programs.why',
    says: 'Whoever spawns a program that cannot be started, or ends at once, hears why.',
    guard: {
      file: 'src/runtime/requests.slow.test.ts',
      title: 'a program that ends at once was not started, and whoever asked hears its last lines',
    },
    proof: {
      file: 'tests/e2e/runtime-programs.test.ts',
      title: 'is told to whoever asked by a message, within a second',
    },
    bug: {
      what: 'the last lines are told only of what was killed',
      file: 'src/runtime/command/end-program.ts',
      find: "isOk(end) || lines === ''",
      put: "end.kind !== 'killed' || lines === ''",
    },
  },
  {
    id: 'programs.restart',
    says: 'A program that is to be started again is so at most three times within a minute; then it has failed, and its parent and the owner are told.',
    guard: {
      file: 'tests/e2e/runtime-programs.test.ts',
      title: 'is started again a few times, then parent and owner hear that it is given up',
    },
    proof: {
      file: 'src/runtime/command/command-bodies.slow.test.ts',
      title: 'a program that fails is started again, and given up when it fails too often',
    },
    bug: {
      what: 'it is started again a fourth time',
      file: 'src/kernel/agent/agent.ts',
      find: 'recent >= intensity.most',
      put: 'recent > intensity.most',
    },
  },
  {
    id: 'programs.down',
    says: 'A daemon that is stopped ends its programs, and the next one starts those again whose policy is not "never".',
    guard: {
      file: 'src/runtime/command/command-bodies.slow.test.ts',
      title: 'a daemon that stops ends its programs, and the next one starts those that may be',
    },
    proof: {
      file: 'src/runtime/command/command-bodies.slow.test.ts',
      title: 'a daemon that stops ends its programs, and the next one starts those that may be',
    },
    bug: {
      what: 'only a program that is always started again comes back',
      file: 'src/runtime/command/command-bodies.ts',
      find: "if (spec.restart === 'never') await turnTo(tx, name, lost);",
      put: "if (spec.restart !== 'always') await turnTo(tx, name, lost);",
    },
  },
  {
    id: 'guests.heartbeat',
    says: 'A guest that tells by heartbeats that it is there is inactive after a minute without, and terminated after a day.',
    guard: {
      file: 'src/relay/presence.slow.test.ts',
      title:
        'a guest that has told by heartbeats is inactive after a minute without, and gone after a day',
    },
    proof: {
      file: 'src/gateway/routes/runtime.slow.test.ts',
      title: 'is taken from a guest itself and from the owner for it, and from nobody else',
    },
    bug: {
      what: 'a guest of which no process is known is never missed',
      file: 'src/relay/presence.ts',
      find: '      if (guest.beats === 1) return this.#leave(guest);\n',
      put: '',
    },
  },
  {
    id: 'guests.gone',
    says: 'A guest whose process is gone is inactive when it is silent, and terminated after a day; what waited for it is dead then, and the senders are told.',
    guard: {
      file: 'src/relay/presence.slow.test.ts',
      title: 'is terminated, and what waits for it is dead, with its senders told',
    },
    proof: {
      file: 'src/relay/presence.slow.test.ts',
      title: 'counts from when it became so, not from when it was last seen',
    },
    bug: {
      what: 'a guest is terminated after two days',
      file: 'src/relay/presence.ts',
      find: 'const reapMs = 24 * 3_600_000;',
      put: 'const reapMs = 48 * 3_600_000;',
    },
  },
  {
    id: 'programs.environment',
    says: 'No order sets a variable that decides what is run or loaded, and no key of the daemon reaches a program.',
    guard: {
      file: 'src/kernel/agent/program.test.ts',
      title: 'an order that sets %s is refused',
    },
    proof: {
      file: 'tests/attack/runtime-steering.test.ts',
      title: 'finds nothing of the daemon’s own environment, and cannot be given what loads code',
    },
    bug: {
      what: 'BASH_ENV may be set',
      file: 'src/kernel/agent/program.ts',
      find: 'ENV|BASH_ENV|',
      put: 'ENV|',
    },
  },
];
