import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCapability } from '../../../tests/support/capability-arbitrary.ts';
import { times } from '../../../tests/support/tier.ts';
import { AosError } from '../errors.ts';
import { parseCapability, printCapability } from './capability-text.ts';

/** Every capability that the design document of the agents prints, and to what it parses. */
const printed = {
  'file:/home/user/data/*:read': 'file:/home/user/data/*:read',
  'http:api.example.com:*': 'http:api.example.com:443/*:*',
  'shell:*:execute{timeout:30s}': 'shell:*:execute{timeout:30s}',
  'agent:spawn{max:5}': 'agent:*:spawn{max:5}',
  'capability://file/Users/data/*?action=read': 'file:/Users/data/*:read',
  'capability://http/api.anthropic.com/*?action=request&rate=100/min':
    'http:api.anthropic.com:443/*:request{rate:100/min}',
  'capability://shell?action=execute&timeout=30s&allowlist=ls,cat,grep':
    'shell:*:execute{allowlist:cat,grep,ls,timeout:30s}',
  'capability://agent?action=spawn&max=3': 'agent:*:spawn{max:3}',
  // Its general form, of a resource that there is.
  'capability://file/path?action=read,write&constraint=timeout:30s':
    'file:/path:read,write{timeout:30s}',
};

const more = {
  'capability://file/home/u/data/*?action=read&timeout=30s':
    'file:/home/u/data/*:read{timeout:30s}',
  'file:/:read': 'file:/:read',
  'file:/**:*': 'file:/**:*',
  'file:/a%20b/%3A%7B%7D%2A:write': 'file:/a%20b/%3A%7B%7D%2A:write',
  'file:/Ünïcode/名前:read': 'file:/Ünïcode/名前:read',
  'file:/x:write,read': 'file:/x:read,write',
  'http:example.com:8443:get': 'http:example.com:8443/*:get',
  'http:example.com/:get': 'http:example.com:443/:get',
  'http:example.com/v1/users:get,request': 'http:example.com:443/v1/users:request',
  'http:*.example.com:*': 'http:*.example.com:443/*:*',
  'http:[::1]:8080:request': 'http:[::1]:8080/*:request',
  'http:127.0.0.1:80:request': 'http:127.0.0.1:80/*:request',
  'http:xn--bcher-kva.example:get': 'http:xn--bcher-kva.example:443/*:get',
  'http:*:get': 'http:*:443/*:get',
  'message:*:send': 'message:*:send',
  'message:#build:send': 'message:#build:send',
  'message:__orchestrator__:send': 'message:__orchestrator__:send',
  'tool:file.*:call': 'tool:file.*:call',
  'memory:working/**:read': 'memory:working/**:read',
  'secret:github:use': 'secret:github:use',
  'file:/x:read{size:1048576B}': 'file:/x:read{size:1MiB}',
  'file:/x:read{timeout:60000ms,max:0}': 'file:/x:read{max:0,timeout:1m}',
  'file:/x:read{expires:2030-01-31T12:00:00Z}': 'file:/x:read{expires:2030-01-31T12:00:00Z}',
  'shell:*:execute{allowlist:ls,cat,timeout:5s}': 'shell:*:execute{allowlist:cat,ls,timeout:5s}',
  'shell:*:execute{allowlist:ls,/workspace/a%2Cb,timeout:5s}':
    'shell:*:execute{allowlist:/workspace/a%2Cb,ls,timeout:5s}',
  'shell:g++:execute': 'shell:g++:execute',
  'shell:python3.*:execute': 'shell:python3.*:execute',
  'shell:/build.sh:execute': 'shell:/build.sh:execute',
  'shell:/workspace/build.sh:execute{max:1}': 'shell:/workspace/build.sh:execute{max:1}',
  'shell:/workspace/a%20b/%2A.sh:execute': 'shell:/workspace/a%20b/%2A.sh:execute',
  'shell:/usr/lib/git-core/git:execute': 'shell:/usr/lib/git-core/git:execute',
  'capability://shell/workspace/build.sh?action=execute': 'shell:/workspace/build.sh:execute',
  'capability://shell/git?action=execute': 'shell:git:execute',
  'capability://shell?action=execute&allowlist=ls,/workspace/x':
    'shell:*:execute{allowlist:/workspace/x,ls}',
};

test.each(Object.entries({ ...printed, ...more }))('%s is %s', (text, canonical) => {
  const parsed = parseCapability(text);

  expect(printCapability(parsed)).toBe(canonical);
  expect(parseCapability(canonical)).toEqual(parsed);
});

/** What somebody might try so that it is read as more, or as something else, than it looks. */
const hostile: readonly string[] = [
  ...[
    '',
    ':',
    '::',
    'file',
    'file:',
    'file::read',
    'file:read',
    'file:/x',
    'file:/x:',
    'file:/x:all',
  ],
  ...[
    'FILE:/x:read',
    'File:/x:read',
    ' file:/x:read',
    'file:/x:read ',
    'file:/x:READ',
    'files:/x:read',
  ],
  ...[
    'file:x:read',
    'file:~/x:read',
    'file:./x:read',
    'file:/x/:read',
    'file://x:read',
    'file:/x//y:read',
  ],
  ...[
    'file:/a/../b:read',
    'file:/..:read',
    'file:/a/./b:read',
    'file:/a/%2E%2E/b:read',
    'file:/a/%2e%2e:read',
  ],
  ...[
    'file:/a%2Fb:read',
    'file:/a%2fb:read',
    'file:/a%5Cb:read/',
    'file:/a%00b:read',
    'file:/a%0Ab:read',
  ],
  ...[
    'file:/a%41b:read',
    'file:/a%zzb:read',
    'file:/a%2:read',
    'file:/a%:read',
    'file:/a%c0%af:read',
  ],
  ...[
    'file:/a*:read',
    'file:/*a:read',
    'file:/**/a:read',
    'file:/a/***:read',
    'file:/a b:read',
    'file:/a\\b:read',
  ],
  ...[
    'file:/a\nb:read',
    'file:/a\u202eb:read',
    'file:/a\u0000:read',
    'file:/\ud800:read',
    'file:/a?b:read',
  ],
  ...[
    'file:/x:read,read',
    'file:/x:read,*',
    'file:/x:*,read',
    'file:/x:read,',
    'file:/x:,read',
    'file:/x:get',
  ],
  ...[
    'file:/x:read{',
    'file:/x:read}',
    'file:/x:read{}',
    'file:/x:read{}{}',
    'file:/x:{max:1}',
    'file:/x{max:1}:read',
  ],
  ...[
    'file:/x:read{max}',
    'file:/x:read{max:}',
    'file:/x:read{max:-1}',
    'file:/x:read{max:01}',
    'file:/x:read{max:1e3}',
  ],
  ...[
    'file:/x:read{max:1,max:2}',
    'file:/x:read{max:1,}',
    'file:/x:read{,max:1}',
    'file:/x:read{MAX:1}',
    'file:/x:read{min:1}',
  ],
  ...[
    'file:/x:read{timeout:30}',
    'file:/x:read{timeout:0s}',
    'file:/x:read{timeout:-1s}',
    'file:/x:read{timeout:1.5s}',
  ],
  ...[
    'file:/x:read{timeout:99999999999999999d}',
    'file:/x:read{size:10Mb}',
    'file:/x:read{rate:100}',
    'file:/x:read{rate:0/min}',
  ],
  ...[
    'file:/x:read{rate:1/week}',
    'file:/x:read{expires:tomorrow}',
    'file:/x:read{expires:2030-02-30T00:00:00Z}',
  ],
  ...[
    'file:/x:read{expires:2030-01-31}',
    'file:/x:read{expires:2030-01-31T12:00:00+02:00}',
    'file:/x:read{allowlist:ls}',
  ],
  ...[
    'shell:*:execute{allowlist:}',
    'shell:*:execute{allowlist:ls,ls}',
    'shell:*:execute{allowlist:/bin/ls}',
  ],
  ...[
    'shell:/:execute',
    'shell://build.sh:execute',
    'shell:/workspace/:execute',
    'shell:/workspace//x:execute',
    'shell:/workspace/../x:execute',
    'shell:/workspace/./x:execute',
  ],
  ...[
    'shell:/workspace/%2E%2E/x:execute',
    'shell:/workspace/a%2Fb:execute',
    'shell:/workspace/a%00b:execute',
    'shell:/workspace/a\nb:execute',
    'shell:/workspace/a b:execute',
  ],
  ...[
    'shell:/workspace/*:execute',
    'shell:/workspace/**:execute',
    'shell:/workspace/a*:execute',
    'shell:/workspace/a.*:execute',
    'shell:/*:execute',
  ],
  ...[
    'shell:/usr/bin/git:execute',
    'shell:/usr/local/bin/git:execute',
    'shell:/bin/sh:execute',
    'shell:./x:execute',
    'shell:workspace/x:execute',
    'shell:+x:execute',
  ],
  ...[
    'capability://shell//build.sh?action=execute',
    'capability://shell/?action=execute',
    'capability://shell/usr/bin/git?action=execute',
    'tool:/workspace/x:call',
    'message:g++:send',
  ],
  ...[
    'shell:*:execute{allowlist:/workspace/*}',
    'shell:*:execute{allowlist:/workspace/../x}',
    'shell:*:execute{allowlist:/workspace/x,/workspace/x}',
  ],
  `shell:/${'a'.repeat(256)}:execute`,
  ...['shell:*:execute{allowlist:ls;rm}', 'shell:*:execute{allowlist:-rf}', 'shell:rm -rf:execute'],
  ...[
    'http:read',
    'http::get',
    'http:/x:get',
    'http:HOST:get',
    'http:host.:get',
    'http:.host:get',
    'http:a..b:get',
  ],
  ...[
    'http:user@host:get',
    'http:user:pw@host:get',
    'http:host#x:get',
    'http:host\\@evil:get',
    'http:bücher.example:get',
  ],
  ...[
    'http:-a.example:get',
    'http:a-.example:get',
    'http:*.*.example:get',
    'http:a.*:get',
    'http:a*.example:get',
    'http:*.:get',
  ],
  ...[
    'http:127.1:get',
    'http:2130706433:get',
    'http:0x7f.1:get',
    'http:0177.0.0.1:get',
    'http:127.0.0.01:get',
    'http:256.0.0.1:get',
  ],
  ...[
    'http:1.2.3:get',
    'http:1.2.3.4.5:get',
    'http:0x7f000001:get',
    'http:host.0x1:get',
    'http:[::1:get',
    'http:[::1]]:get',
  ],
  ...[
    'http:[0:0:0:0:0:0:0:1]:get',
    'http:[::FFFF]:get',
    'http:[::ffff:127.0.0.1]:get',
    'http:[fe80::1%25eth0]:get',
    'http:[]:get',
  ],
  ...[
    'http:host:0:get',
    'http:host:65536:get',
    'http:host:080:get',
    'http:host:80a:get',
    'http:host:-1:get',
    'http:host:80:80:get',
  ],
  ...[
    'http:host/a/../b:get',
    'http:host/a%2Fb:get',
    'http:host//a:get',
    'http:host/*/a:get',
    'http:host/a?b:get',
    'http:host/a/:get',
  ],
  ...[
    'message:two words:send',
    'message:a/b:send',
    'message:#a#b:send',
    'message:a*:send',
    'tool:*.read:call',
    'tool:a..*b:call',
  ],
  ...[
    'secret:use',
    'secret:*/x:use',
    'memory:/x:read',
    'memory:a/../b:read',
    'agent::spawn',
    'agent:*:spawn:x',
  ],
  ...[
    'capability:file/x?action=read',
    'capability:///x?action=read',
    'capability://file/x',
    'capability://file/x?',
    'capability://file?action=read',
  ],
  ...[
    'CAPABILITY://file/x?action=read',
    'capability://file/x?action=',
    'capability://file/x?action=read&action=write',
  ],
  ...[
    'capability://file/x?action=read&',
    'capability://file/x?action=read&max',
    'capability://file/x?action=read&max=1&constraint=max:2',
  ],
  ...[
    'capability://file/x?action=read#x',
    'capability://file/x?action=read?max=1',
    'capability://user@file/x?action=read',
  ],
  ...[
    'capability://file/x?action=read&=1',
    'capability://http/host/%2e%2e/x?action=get',
    'capability://http?action=get',
  ],
  `file:/${'a'.repeat(256)}:read`,
  `file:/${'a/'.repeat(3000)}a:read`,
  `http:${'a.'.repeat(200)}com:get`,
];

test(`at least 60 hostile texts, each once`, () => {
  expect(hostile.length).toBeGreaterThanOrEqual(60);
  expect(new Set(hostile).size).toBe(hostile.length);
});

test.each(hostile)('%j is refused in words', (text) => {
  const parse = () => parseCapability(text);

  expect(parse).toThrow(AosError);
  expect(parse).toThrow(/ is no capability: /);
});

describe('whatever a capability is,', () => {
  test('its print parses to the same, in one way', () => {
    fc.assert(
      fc.property(anyCapability(), (capability) => {
        const text = printCapability(capability);
        expect(parseCapability(text)).toEqual(capability);
        expect(printCapability(parseCapability(text))).toBe(text);
      }),
      { numRuns: times({ fast: 200, full: 2000 }) },
    );
  });

  test('and whatever a text is, it is a capability or told why not', () => {
    const letters = fc.constantFrom(...'file:/*{}%2?&=,.http@[]#capability://ax0 \\'.split(''));
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: letters, maxLength: 40 }),
      fc.tuple(anyCapability(), fc.nat(), fc.string({ maxLength: 3 })).map(([some, at, extra]) => {
        const print = printCapability(some);
        const place = at % (print.length + 1);
        return print.slice(0, place) + extra + print.slice(place + (at % 3));
      }),
    );
    fc.assert(
      fc.property(text, (some) => {
        try {
          const parsed = parseCapability(some);
          expect(parseCapability(printCapability(parsed))).toEqual(parsed);
        } catch (failure) {
          expect(failure).toBeInstanceOf(AosError);
        }
      }),
      { numRuns: times({ fast: 500, full: 5000 }) },
    );
  });
});
