/** The doors of the daemon. */
import type { KeptPromise, NamedTest } from './promise.ts';

const fuzz: NamedTest = {
  file: 'tests/attack/gateway-fuzz.test.ts',
  title: `of \${requests} requests (seed \${seed}) none \${title}`,
};

export const gatewayPromises: readonly KeptPromise[] = [
  {
    id: 'gateway.handle',
    says: 'But on the socket of the owner, nobody is answered without a handle.',
    guard: {
      file: 'src/gateway/server/server.slow.test.ts',
      title: 'no route of the contract answers without a handle, but for those that are open',
    },
    proof: {
      file: 'tests/attack/tool-doors.test.ts',
      title: 'none answers to a handle that is forged',
    },
    bug: {
      what: 'whoever comes over TCP is taken for the owner',
      file: 'src/gateway/server/authenticate.ts',
      find: "if (door.kind === 'owner') return owner;",
      put: "if (door.kind !== 'agent') return owner;",
    },
  },
  {
    id: 'gateway.revoked',
    says: 'A handle that was revoked is refused from then on.',
    guard: {
      file: 'src/gateway/server/server.slow.test.ts',
      title: 'a handle is refused from the moment it is revoked',
    },
    proof: {
      file: 'tests/attack/tool-doors.test.ts',
      title: 'none answers to a handle that was replaced, also one that was just used',
    },
    bug: {
      what: 'a handle stays remembered when it is revoked',
      file: 'src/gateway/server/authenticate.ts',
      find: '      this.#commits++;\n      this.#remembered.clear();',
      put: '      this.#commits++;',
    },
  },
  {
    id: 'gateway.own',
    says: 'An agent sees itself and what concerns it, and acts for nobody else.',
    guard: {
      file: 'src/gateway/server/server.slow.test.ts',
      title: 'an agent sees itself and nobody else, and may not do what is for the owner',
    },
    proof: {
      file: 'tests/attack/tool-doors.test.ts',
      title: 'an agent acts for nobody else, the owner included',
    },
    bug: {
      what: 'only outsiders are kept from what is for the owner',
      file: 'src/gateway/server/admit.ts',
      find: "if (who === 'owner' && caller.kind !== 'owner')",
      put: "if (who === 'owner' && caller.kind === 'grantee')",
    },
  },
  {
    id: 'gateway.pages',
    says: 'A page of another site reaches nothing through the browser, whatever its name resolves to.',
    guard: {
      file: 'src/gateway/server/server.slow.test.ts',
      title: 'TCP refuses %s, also where no handle is needed',
    },
    proof: {
      file: 'tests/attack/network-daemon.test.ts',
      title: 'is not asked by a host that a page names, which is how a browser is turned round',
    },
    bug: {
      what: 'the host is looked at only where there is an origin',
      file: 'src/gateway/server/request-head.ts',
      find: "if (door.kind === 'tcp' && !door.origins.has(host.toLowerCase())) {",
      put: "if (door.kind === 'tcp' && origin !== undefined && !door.origins.has(host.toLowerCase())) {",
    },
  },
  {
    id: 'gateway.key',
    says: 'A request that is sent again with its key is done once.',
    guard: {
      file: 'src/gateway/server/idempotency.test.ts',
      title: 'the same request with the same key is done once, and told again',
    },
    proof: {
      file: 'tests/e2e/gateway-curl.test.ts',
      title: 'what is sent again with its key is done once',
    },
    bug: {
      what: 'a key is freed once its request is done',
      file: 'src/gateway/server/idempotency.ts',
      find: 'endRequest(tx, request, { status, answer })',
      put: 'freeRequest(tx, request)',
    },
  },
  {
    id: 'gateway.contract',
    says: 'docs/openapi.json says what the daemon takes and gives.',
    guard: {
      file: 'src/gateway/openapi/openapi.test.ts',
      title:
        'docs/openapi.json is what the contract says (AOS_TEST_WRITE_OPENAPI=1 writes it; then npm run fix)',
    },
    proof: fuzz,
    bug: {
      what: 'the daemon takes longer names of channels than it says',
      file: 'src/verbs/groups.ts',
      find: 'name: z.string().max(200)',
      put: 'name: z.string().max(300)',
    },
  },
  {
    id: 'gateway.answers',
    says: 'Whatever comes is answered as docs/openapi.json says, and breaks nothing.',
    guard: fuzz,
    proof: fuzz,
    bug: {
      what: 'a refusal has no title',
      file: 'src/gateway/server/problem.ts',
      find: 'title: titles[kind],',
      put: '',
    },
  },
];
