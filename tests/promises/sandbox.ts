/** The wall around what agents run, and the ways through it. */
import type { KeptPromise } from './promise.ts';

export const sandboxPromises: readonly KeptPromise[] = [
  {
    id: 'sandbox.host',
    says: 'What an agent runs sees its workspace and the programs of the machine, and nothing else of the host.',
    guard: {
      file: 'src/sandbox/box/body.slow.test.ts',
      title: 'has its workspace, its variables and nothing of the host',
    },
    proof: {
      file: 'tests/attack/sandbox-isolation.test.ts',
      title: 'a search from the root finds nothing of the home',
    },
    bug: {
      what: 'the whole /etc of the host is mounted',
      file: 'src/sandbox/launch/launcher-arguments.ts',
      find: "{ from: host.etc, to: '/etc', writable: false }",
      put: "{ from: '/etc', to: '/etc', writable: false }",
    },
  },
  {
    id: 'sandbox.apart',
    says: 'Agents reach neither the files, nor the sockets, nor the processes of each other.',
    guard: {
      file: 'tests/attack/sandbox-isolation.test.ts',
      title: 'the workspace of another agent is not there',
    },
    proof: {
      file: 'tests/attack/sandbox-isolation.test.ts',
      title: 'its processes are not there, and neither are those of the daemon',
    },
    bug: {
      what: 'a sandbox that stands ready is not kept for one agent',
      file: 'src/sandbox/launch/box-files.ts',
      find: `\`\${view.principal}\\n\${JSON.stringify([view, listens, limits])}\``,
      put: 'JSON.stringify([view.sees, view.unixSockets, listens])',
    },
  },
  {
    id: 'sandbox.closed',
    says: 'Where the wall does not hold, nothing is run.',
    guard: {
      file: 'src/sandbox/bubblewrap-sandboxes.slow.test.ts',
      title: 'it starts programs without any wall',
    },
    proof: {
      file: 'tests/attack/sandbox-unavailable.test.ts',
      title: 'the daemon starts, refuses to run anything, and says how to mend it',
    },
    bug: {
      what: 'the self-test counts however it ends',
      file: 'src/sandbox/launch/examine.ts',
      find: "end.kind === 'exited' && end.code === isolatedExitCode",
      put: "end.kind === 'exited'",
    },
  },
  {
    id: 'sandbox.ends',
    says: 'When a call is over, all that it started is gone, also when the daemon is killed.',
    guard: {
      file: 'src/sandbox/bubblewrap-sandboxes.slow.test.ts',
      title: 'whoever called has ended it',
    },
    proof: {
      file: 'tests/attack/sandbox-ends.test.ts',
      title: 'when the daemon is killed, all are gone within a second, and what waited for a call',
    },
    bug: {
      what: 'it is ended by a signal that the first process of a namespace ignores',
      file: 'src/sandbox/box/box.ts',
      find: "process.kill(pid, 'SIGKILL')",
      put: "process.kill(pid, 'SIGTERM')",
    },
  },
  {
    id: 'sandbox.first',
    says: 'No program reaches the first process of its sandbox, whoever the daemon runs as.',
    guard: {
      file: 'tests/attack/sandbox-kernel.test.ts',
      title: 'memory of the first process is neither read nor written, by a call or a program',
    },
    proof: {
      file: 'tests/attack/sandbox-limits.test.ts',
      title: 'the first process inside is under the limits, by what doctor says holds them',
    },
    bug: {
      what: 'the program itself is the first process',
      file: 'src/sandbox/launch/inner-script.ts',
      find: 'if (uid !== undefined) return words;',
      put: 'if (uid !== 0) return words;',
    },
  },
  {
    id: 'sandbox.limits',
    says: 'A program that wants more memory or processes than it may is stopped, and it is said by what.',
    guard: {
      file: 'src/sandbox/bubblewrap-sandboxes.slow.test.ts',
      title: 'processes are counted all the same, and memory is watched',
    },
    proof: {
      file: 'tests/attack/sandbox-limits.test.ts',
      title: 'a program that wants too much memory is stopped, and said so',
    },
    bug: {
      what: 'only the outermost process is counted',
      file: 'src/sandbox/watch/watch-memory.ts',
      find: 'for (const child of children.get(pid) ?? []) pids.add(child);',
      put: '',
    },
  },
  {
    id: 'sandbox.kernel',
    says: 'Calls to the kernel that attacks are made of are refused, and nobody inside is root.',
    guard: {
      file: 'src/sandbox/launch/seccomp/filter.slow.test.ts',
      title: 'refuses what attacks are made of, to whoever has every right',
    },
    proof: {
      file: 'tests/attack/sandbox-kernel.test.ts',
      title: 'it runs without any power of root, and cannot get new ones',
    },
    bug: {
      what: 'the filter for x64 lets ptrace through',
      file: 'src/sandbox/launch/seccomp/prebuilt.ts',
      find: 'AAAWUAAAAGAAAAAQAFAAYAAAAAAP9/NQAAC',
      put: 'AAAWUAAAAGAAAAAAD/fwYAAAAAAP9/NQAAC',
    },
  },
  {
    id: 'sandbox.no-way-round',
    says: 'No agent can have a program run without the wall.',
    guard: {
      file: 'src/runtime/spawn.test.ts',
      title: 'is refused as %s to an agent, and nothing is made',
    },
    proof: {
      file: 'src/cli/agent/spawn-sandbox.slow.test.ts',
      title: 'no agent can ask for it: not by its handle, not by a message, not by a tool',
    },
    bug: {
      what: 'the list of what the owner alone may choose has a hole',
      file: 'src/runtime/spawn.ts',
      find: "(['unsandboxed', 'sees', 'writable'] as const)",
      put: "(['sees', 'writable'] as const)",
    },
  },
  {
    id: 'network.none',
    says: 'A program without a grant has no network.',
    guard: {
      file: 'src/sandbox/bubblewrap-sandboxes.slow.test.ts',
      title: 'without one there is nobody to connect to',
    },
    proof: {
      file: 'tests/attack/sandbox-network.test.ts',
      title: 'without a grant there is no network: no card, no route, no resolver, no proxy',
    },
    bug: {
      what: 'the network of the host is not left',
      file: 'src/sandbox/launch/launcher-arguments.ts',
      find: "'--unshare-pid', '--unshare-net', '--unshare-ipc'",
      put: "'--unshare-pid', '--unshare-ipc'",
    },
  },
  {
    id: 'network.asked',
    says: 'Every request of a program is held against its grants, and a refusal is on record.',
    guard: {
      file: 'src/sandbox/proxy/serve-sandbox.slow.test.ts',
      title: 'who is not granted: 403 with the command, on record',
    },
    proof: {
      file: 'tests/attack/sandbox-network.test.ts',
      title: 'with a grant for one place, that is all that can be asked',
    },
    bug: {
      what: 'a refusal is kept from the record where there is room for it',
      file: 'src/sandbox/proxy/passage.ts',
      find: '!isPermitted && !this.#owner.mayRecordRefusal()',
      put: '!isPermitted && this.#owner.mayRecordRefusal()',
    },
  },
  {
    id: 'network.address',
    says: 'A name is looked up once and the checked address dialled; this machine and its network need a grant that names them.',
    guard: {
      file: 'src/sandbox/proxy/serve-sandbox.slow.test.ts',
      title: 'of this machine or its network has to be granted too',
    },
    proof: {
      file: 'tests/attack/http-address.test.ts',
      title:
        'a name that answers differently the second time is asked once, and the checked address dialled',
    },
    bug: {
      what: 'for an address of this machine the grant of its name is enough',
      file: 'src/security/egress/check-address.ts',
      find: 'permits.push(await permitPrivate(asker, there, host));',
      put: 'permits.push(await permitPrivate(asker, action, host));',
    },
  },
  {
    id: 'network.redirect',
    says: 'A redirect is a new request, with a new question.',
    guard: {
      file: 'tests/attack/http-redirect.test.ts',
      title: '%s is a new request, and refused before it is resolved',
    },
    proof: {
      file: 'tests/attack/http-redirect.test.ts',
      title: '%s is a new request, and refused before it is resolved',
    },
    bug: {
      what: 'a redirect is held against the grant of the request before it',
      file: 'src/toolbox/http/fetch.ts',
      find: 'permit = await permitRequest(call, actionFor(next));',
      put: 'permit = await permitRequest(call, actionFor(outgoing));',
    },
  },
];
