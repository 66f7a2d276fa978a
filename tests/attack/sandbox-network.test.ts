/** What a program in a sandbox tries with the network: none at all, or one that is asked. */
import { expect, test } from 'vitest';
import { rawServer, webServer } from '../support/http-world.ts';
import { limitMs } from '../support/limits.ts';
import {
  type Executed,
  longTest,
  oneSandboxDaemon,
  outcomes,
  type SandboxDaemon,
  underEachDaemon,
} from '../support/sandbox-daemon.ts';
import { until } from '../support/until.ts';

/** Says these bytes to a place, and prints what comes back; perl is on every machine. */
function sayTo(place: string, bytes: string): readonly string[] {
  const script = `use IO::Socket::INET; $SIG{ALRM} = sub { print "silence"; exit }; alarm 5;
    my $s = IO::Socket::INET->new(PeerAddr => $ARGV[0], Timeout => 3) or do { print "no way: $!"; exit };
    print $s $ARGV[1]; local $/; print <$s>`;
  return ['-e', script, place, bytes];
}

const proxy = '127.0.0.1:3128';
const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const tunnelTo = (place: string) => `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`;
const statusOf = ({ stdout = '' }: Executed) => /^HTTP\/1\.1 (\d+)/.exec(stdout)?.[1] ?? stdout;

underEachDaemon((mode) => {
  const long = longTest(mode);
  const daemon = oneSandboxDaemon(mode, {
    agents: ['jean', 'lee', 'sam', 'mia'],
    settings: { sandboxesReady: 2 },
  });
  const say = (agent: string, place: string, bytes: string) =>
    daemon().execute(agent, { program: 'perl', args: sayTo(place, bytes) });

  test('without a grant there is no network: no card, no route, no resolver, no proxy', async () => {
    await using server = await webServer((_, response) => response.end('reached'));
    const port = new URL(daemon().daemon.url).port;
    const places = [
      ['a server of this machine', `127.0.0.1:${server.port}`],
      ['the daemon', `127.0.0.1:${port}`],
      ['the proxy', proxy],
      ['a public address', '192.0.2.1:80'],
      ['the metadata of a cloud', '169.254.169.254:80'],
      ['a gateway', '10.0.0.1:80'],
    ] as const;

    const ends = await outcomes(
      places,
      async ([, place]) => (await say('jean', place, 'x')).stdout,
    );
    const { stdout } = await daemon().sh('jean', 'cat /proc/net/dev /proc/net/route; env; ls /etc');

    for (const [what] of places)
      expect([what, ends[what]]).toEqual([
        what,
        expect.stringMatching(/^no way: (Network is unreachable|Connection refused)/),
      ]);
    expect(server.seen).toEqual([]);
    expect(stdout).not.toMatch(/eth|wlan|resolv\.conf|_PROXY/i);
  });

  test('no name can be looked up, with a grant or without', async () => {
    await daemon().grant('sam', 'http:example.com:443/*:*');
    const look = `perl -MSocket -e 'print defined(inet_aton("secret.example.com")) ? "found" : "none"'; getent hosts example.com; perl -e 'use IO::Socket::INET; my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "192.0.2.53:53"); print $s && send($s, "x", 0) ? "sent" : "kept"'`;

    for (const agent of ['jean', 'sam']) {
      expect((await daemon().sh(agent, look)).stdout).toBe('nonekept');
    }
  });

  long('with a grant for one place, that is all that can be asked', async () => {
    await using server = await webServer(({ url }, response) => response.end(`reached ${url}`));
    await using other = await webServer((_, response) => response.end('evil'));
    const [host, evil] = [`127.0.0.1:${server.port}`, `127.0.0.1:${other.port}`];
    await daemon().grant('lee', `http:${host}/open/*:get`);
    const tries = [
      ['the place', get(`http://${host}/open/a`), '200'],
      ['another path of it', get(`http://${host}/closed`), '403'],
      ['a path that climbs out', get(`http://${host}/open/../closed`), /40[03]/],
      ['a path that climbs out in code', get(`http://${host}/open/%2e%2e/closed`), /40[03]/],
      [
        'another method',
        `POST http://${host}/open/a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        '403',
      ],
      ['another port', get(`http://${evil}/open/a`), '403'],
      ['another host', get('http://example.com/open/a'), '403'],
      ['the metadata of a cloud', get('http://169.254.169.254/latest'), '403'],
      ['this machine by another name', get(`http://localhost:${server.port}/open/a`), '403'],
      ['this machine by a number', get(`http://2130706433:${server.port}/closed`), /40[03]/],
      ['the daemon', get(`${daemon().daemon.url}/api/v1/status`), '403'],
      ['a place with another before it', get(`http://${host}@${evil}/open/a`), /40[03]/],
      ['a place behind a backslash', get(`http://${host}\\@${evil}/open/a`), /40[03]/],
      ['a tunnel to the place, which knows no paths', tunnelTo(host), '403'],
      ['a tunnel elsewhere', tunnelTo(evil), '403'],
      ['a tunnel to another port', tunnelTo('127.0.0.1:22'), '403'],
      ['a request without a host', get('/open/a'), '400'],
      ['another protocol', 'SSH-2.0-x\r\n\r\n', '400'],
      [
        'two requests in one',
        get(`http://${host}/open/a`).replace('close', 'keep-alive') + get(`http://${host}/closed`),
        /200|400|^$/,
      ],
    ] as const;

    const ends = await outcomes(tries, async ([, bytes]) =>
      statusOf(await say('lee', proxy, bytes)),
    );

    for (const [what, , told] of tries)
      expect([what, ends[what]]).toEqual([what, expect.stringMatching(told)]);
    expect(other.seen).toEqual([]);
    expect(server.seen.map(({ url }) => url).filter((url) => url !== '/open/a')).toEqual([]);
  });

  test('a redirect to another place is another request', async () => {
    await using other = await webServer((_, response) => response.end('evil'));
    await using server = await webServer((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${other.port}/` }).end();
    });
    await daemon().grant('lee', `http:127.0.0.1:${server.port}/*:get`);

    const first = await say('lee', proxy, get(`http://127.0.0.1:${server.port}/`));
    const second = await say('lee', proxy, get(`http://127.0.0.1:${other.port}/`));

    expect([statusOf(first), statusOf(second)]).toEqual(['302', '403']);
    expect(other.seen).toEqual([]);
  });

  test('who goes past the proxy has no way, and the variables are only a hint', async () => {
    await using server = await webServer((_, response) => response.end('reached'));
    await daemon().grant('lee', `http:127.0.0.1:${server.port}/*:get`);

    const past = await say('lee', `127.0.0.1:${server.port}`, get('/'));
    const { stdout } = await daemon().sh(
      'lee',
      'env; unset HTTP_PROXY http_proxy; cat /proc/net/dev',
    );
    const other = await say('lee', '192.0.2.1:80', 'x');

    expect(past.stdout).toMatch(/^no way/);
    expect(other.stdout).toMatch(/^no way/);
    expect(stdout).toContain('HTTP_PROXY=http://127.0.0.1:3128');
    expect(stdout).not.toMatch(/eth0/);
    expect(server.seen).toEqual([]);
  });

  test('other families of sockets stay closed with a grant, and no descriptor is left over', async () => {
    await daemon().grant('lee', 'http:example.com:443/*:*');
    const script = 'for my $f (1, 16, 17, 40) { print socket(S, $f, 1, 0) ? "open " : "closed " }';

    const { stdout } = await daemon().execute('lee', { program: 'perl', args: ['-e', script] });
    const look = await daemon().sh(
      'lee',
      'ls /proc/self/fd; cat /proc/[0-9]*/environ | tr "\\0" "\\n"; ls /run/aos; test -w /run/aos && echo open; test -w /run/aos/node && echo open',
    );

    expect(stdout).toBe('closed closed closed closed ');
    expect(look.stdout).toMatch(/^0\n1\n2\n3\n/);
    expect(look.stdout).not.toMatch(/NODE_CHANNEL|AOS_|open/);
  });

  long('a thousand connections to the proxy: the daemon keeps answering', async () => {
    await using server = await webServer((_, response) => response.end('reached'));
    await daemon().grant('lee', `http:127.0.0.1:${server.port}/*:get`);
    const flood = `use IO::Socket::INET; my @s; for (1..1000) { my $s = IO::Socket::INET->new(PeerAddr => "${proxy}", Timeout => 2); push @s, $s if $s; print $s "GET http://127.0" if $s } print scalar @s`;

    const tookMs: number[] = [];
    const flooding = daemon().execute('lee', { program: 'perl', args: ['-e', flood] });
    let isOver = false;
    void flooding.finally(() => {
      isOver = true;
    });
    while (!isOver) tookMs.push(await statusMs(daemon()));
    const { exit_code } = await flooding;

    const sorted = tookMs.toSorted((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    process.stdout.write(
      `status during 1,000 connections (${mode}): p99 ${p99.toFixed(1)} ms of ${sorted.length}\n`,
    );
    expect(exit_code).toBe(0);
    expect(p99).toBeLessThan(limitMs(1000));
    const after = await say('lee', proxy, get(`http://127.0.0.1:${server.port}/`));
    expect(statusOf(after)).toBe('200');
  });

  const held: readonly (readonly [how: string, bytes: (place: string) => string])[] = [
    ['a tunnel', tunnelTo],
    ['a request', (place) => get(`http://${place}/`)],
  ];

  test.each(held)(
    '%s that is open ends within a second when its grant is revoked',
    async (_, bytes) => {
      await using server = await rawServer(() => {});
      const place = `127.0.0.1:${server.port}`;
      const [grant = ''] = await daemon().grant('sam', `http:${place}/*:*`);

      const end = await endsOnRevoke(daemon(), 'sam', {
        grant,
        place,
        server,
        bytes: bytes(place),
      });

      expect(end.tookMs).toBeLessThan(limitMs(1000));
      const events = await daemon().events('sandbox.connection-closed');
      expect(events.at(-1)).toMatchObject({
        subject: 'agent:sam',
        data: { why: 'revoked', grant, host: '127.0.0.1', port: server.port },
      });
    },
  );

  long('the same through a grant that was handed on, when the first one is revoked', async () => {
    await using server = await rawServer(() => {});
    const place = `127.0.0.1:${server.port}`;
    const [grant = ''] = await daemon().grant('sam', `http:${place}/*:*`);
    await daemon()
      .agent('sam')
      .client.delegate({ to: 'mia', capability: `http:${place}/*:*` });

    const bytes = tunnelTo(place);
    const end = await endsOnRevoke(daemon(), 'mia', { grant, place, server, bytes });

    expect(end.tookMs).toBeLessThan(limitMs(1000));
    const events = await daemon().events('sandbox.connection-closed');
    expect(events.at(-1)).toMatchObject({ subject: 'agent:mia', data: { why: 'revoked' } });
  });
});

interface HeldConnection {
  readonly grant: string;
  readonly place: string;
  readonly server: { readonly connections: readonly { readonly destroyed: boolean }[] };
  readonly bytes: string;
}

/** The program holds a connection, through a proxy that somebody then forbids it. */
async function endsOnRevoke(
  daemon: SandboxDaemon,
  agent: string,
  { grant, server, bytes }: HeldConnection,
): Promise<{ readonly tookMs: number }> {
  const script = `use IO::Socket::INET; my $s = IO::Socket::INET->new(PeerAddr => "${proxy}") or die;
    print $s $ARGV[0]; alarm 15; 1 while sysread($s, my $b, 4096); print "closed"`;
  const running = daemon.execute(agent, { program: 'perl', args: ['-e', script, bytes] });
  await until(() => expect(server.connections).toHaveLength(1));

  const beganMs = performance.now();
  await daemon.client.revoke(grant);
  const { stdout } = await running;
  const tookMs = performance.now() - beganMs;
  expect(stdout).toBe('closed');
  return { tookMs };
}

async function statusMs({ client }: SandboxDaemon): Promise<number> {
  const beganMs = performance.now();
  await client.status();
  return performance.now() - beganMs;
}
