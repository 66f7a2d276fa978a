import { describe, expect, test } from 'vitest';
import type { Action } from '../kernel/capability/capability.ts';
import { deniedError, grantCommand } from './permit.ts';

const principal = 'agent:al';
const program = (name: string): Action => ({ resource: 'shell', action: 'execute', name });

describe('what a denial tells to do', () => {
  test.each([
    ['git', "aos cap grant al 'shell:git:execute'"],
    ['/workspace/build.sh', "aos cap grant al 'shell:/workspace/build.sh:execute'"],
    ["/workspace/it's", "aos cap grant al 'shell:/workspace/it'\\''s:execute'"],
  ])('is to grant the program %j and no other', (name, fix) => {
    const denied = deniedError(
      { principal, action: program(name) },
      { kind: 'denied', nearest: undefined },
    );

    expect(denied.fix).toBe(fix);
  });

  test.each(['git ', 'git.*', '[', '/workspace/two\nlines', '/'])(
    'is no grant at all where none can name the program %j',
    (name) => {
      const action = program(name);
      const nearest = { grant: 'g', why: 'target' } as const;

      const denied = deniedError({ principal, action }, { kind: 'denied', nearest });

      expect(grantCommand(principal, action)).toBeUndefined();
      expect(denied.fix).toMatch(/^The name of this program cannot be granted/);
      expect(`${denied.message} ${denied.fix}`).not.toMatch(/aos cap|shell:\*|\n/);
    },
  );

  test('nor where a grant that has it by a star is used up', () => {
    const nearest = { grant: 'g', why: 'used-up' } as const;

    const denied = deniedError({ principal, action: program('git ') }, { kind: 'denied', nearest });

    expect(denied).toMatchObject({ code: 'capability.used-up', fix: 'Wait' });
  });

  test('and of a path that cannot be written a star stands for the part', () => {
    const action: Action = { resource: 'file', action: 'read', path: ['data', 'two\nlines'] };

    expect(grantCommand(principal, action)).toBe("aos cap grant al 'file:/data/*:read'");
  });
});
