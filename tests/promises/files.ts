/** The file agent. */
import type { KeptPromise } from './promise.ts';

export const filePromises: readonly KeptPromise[] = [
  {
    id: 'files.steady-reads',
    says: 'What is read is of one moment: a file that changes meanwhile is read again, or refused.',
    guard: {
      file: 'src/kernel/files/steady-read.test.ts',
      title: 'one in the middle of being written is read when it is whole',
    },
    proof: {
      file: 'src/files/file-agent.slow.test.ts',
      title: 'gives what stands there in the end',
    },
    bug: {
      what: 'a file that was written to a moment ago is taken as it is',
      file: 'src/kernel/files/file-path.ts',
      find: 'if (ageMs < 0 || ageMs > momentMs) return read;',
      put: 'return read;',
    },
  },
  {
    id: 'files.plan',
    says: 'A change that takes something away waits for a yes to its plan, and does what the plan said.',
    guard: {
      file: 'src/files/file-agent.slow.test.ts',
      title: 'that deletes goes to the trash after a yes, and comes back from there',
    },
    proof: {
      file: 'tests/e2e/files-changes.test.ts',
      title: 'does what the plan says, and an undo brings back every name, mode and time',
    },
    bug: {
      what: 'what cannot be undone needs no yes',
      file: 'src/files/change.ts',
      find: 'return plan.isDestructive || options',
      put: 'return options',
    },
  },
  {
    id: 'files.yes',
    says: 'A yes is to one plan, once: where the files have changed since, nothing is done.',
    guard: {
      file: 'src/cli/files/change.slow.test.ts',
      title: 'a yes to the old plan is none to the new one',
    },
    proof: {
      file: 'tests/attack/files-confirmation.test.ts',
      title: 'a file that was to be replaced, and another one than that stands there',
    },
    bug: {
      what: 'a yes is held against the request, and not against its plan',
      file: 'src/files/change.ts',
      find: 'if (row.hash !== hashOfPlan(made.plan)) {',
      put: 'if (row.request !== requestText(work.request)) {',
    },
  },
  {
    id: 'files.undo',
    says: 'What was done can be undone, with names, contents, modes and times.',
    guard: {
      file: 'src/files/file-agent.slow.test.ts',
      title: 'that writes over a file keeps its mode, and undo brings the old one back',
    },
    proof: {
      file: 'tests/e2e/files-changes.test.ts',
      title: 'does what the plan says, and an undo brings back every name, mode and time',
    },
    bug: {
      what: 'what was written over is not brought back',
      file: 'src/files/apply/undo.ts',
      find: "return [{ do: 'trash', from: to, was: made }, ...broughtBack(to, replaced, note)];",
      put: "return [{ do: 'trash', from: to, was: made }];",
    },
  },
  {
    id: 'files.crash',
    says: 'A change of files that was cut off is finished or has never begun, and takes nothing that came after the yes.',
    guard: {
      file: 'src/files/file-agent.slow.test.ts',
      title: 'what came after the yes stays, where a deletion for ever goes on after a crash',
    },
    proof: {
      file: 'tests/crash/file-agent-steps.test.ts',
      title: '%s is finished, or never begun, wherever it is cut',
    },
    bug: {
      what: 'after a crash nobody looks whether a folder is as it was',
      file: 'src/files/apply/remove-steps.ts',
      find: 'await checkUnchanged(run, { from, was });',
      put: 'if (run.before === undefined) await checkUnchanged(run, { from, was });',
    },
  },
  {
    id: 'files.agent',
    says: 'An agent cannot say yes: its change waits for a human.',
    guard: {
      file: 'src/files/file-agent.slow.test.ts',
      title: 'is never given to an agent, which cannot confirm its own plan',
    },
    proof: {
      file: 'tests/attack/files-doors.test.ts',
      title: 'brings no token by any door, waits for a human by each, and the agent is none',
    },
    bug: {
      what: 'an agent is taken for the owner, because its principal has its name in it',
      file: 'src/files/change.ts',
      find: "const isOwner = caller.principal === 'owner';",
      put: "const isOwner = caller.principal !== 'agent';",
    },
  },
  {
    id: 'files.inside',
    says: 'Nothing outside of the root is read or touched, whatever path, pattern or symlink leads there.',
    guard: {
      file: 'tests/attack/files-links.test.ts',
      title: 'by a relative way, by way of proc, and over a chain: OUTSIDE_ROOT',
    },
    proof: {
      file: 'tests/attack/files-race.test.ts',
      title: 'no move takes anything from there, or puts something there',
    },
    bug: {
      what: 'where a symlink leads is not looked at',
      file: 'src/files/follow-path.ts',
      find: '    await onTurn(parts);\n',
      put: '',
    },
  },
  {
    id: 'files.dry-run',
    says: 'A dry run touches nothing.',
    guard: { file: 'src/files/file-agent.slow.test.ts', title: 'of $action touches nothing' },
    proof: {
      file: 'tests/attack/files-kinds.test.ts',
      title: 'a dry run of each of the ten actions leaves a whole home as it is, to the nanosecond',
    },
    bug: {
      what: 'a dry run of what needs no yes is done',
      file: 'src/files/change.ts',
      find: 'if (isDry) return wouldBe(work, made);',
      put: 'if (isDry && needsYes(request, made)) return wouldBe(work, made);',
    },
  },
  {
    id: 'files.sentence',
    says: 'A sentence that asks for a change is understood rightly or asked back.',
    guard: {
      file: 'src/files/language/sentences.test.ts',
      title: 'a sentence that asks for a change is understood rightly or asked back, always',
    },
    proof: {
      file: 'tests/e2e/files-sentences.test.ts',
      title: 'that is not understood is asked about, and nothing is done',
    },
    bug: {
      what: 'words that were not understood are passed over',
      file: 'src/files/language/doubts.ts',
      find: '    left.length > 0 &&\n',
      put: '    left.length > 999 &&\n',
    },
  },
  {
    id: 'files.words',
    says: 'What went wrong is told in plain words, without what the system calls it.',
    guard: { file: 'src/files/refusals.test.ts', title: '%s is said in the words of the seed' },
    proof: {
      file: 'src/files/refusals.test.ts',
      title: '%s is told without what the system calls it',
    },
    bug: {
      what: 'a full disk has no words of its own',
      file: 'src/files/refusals.ts',
      find: "  'disk.full': noSpace,\n",
      put: '',
    },
  },
  {
    id: 'files.both',
    says: 'The file agent acts for whoever asked, under their grants and its own, and has no network.',
    guard: {
      file: 'tests/attack/files-capabilities.test.ts',
      title: 'it takes the grants of both',
    },
    proof: {
      file: 'tests/attack/files-doors.test.ts',
      title: 'is given no way out: not by a grant, a delegation, or a birth',
    },
    bug: {
      what: 'the grants of whoever asked are enough',
      file: 'src/files/file-agent.ts',
      find: 'via === undefined ? own : bothReach(own, await reachOf(via, power))',
      put: 'own',
    },
  },
];
