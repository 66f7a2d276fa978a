import { describe, expect, test } from 'vitest';
import type { MessageKind } from './message.ts';
import { parseOrchestratorRequest } from './orchestrator-request.ts';

function refusal(why: string | RegExp) {
  return expect.objectContaining({
    code: 'message.malformed',
    message: expect.stringMatching(why),
    fix: expect.any(String),
  });
}

describe('spawn', () => {
  const spawn = (body: string) => parseOrchestratorRequest('spawn', body);

  test('the body of the protocol is read line by line', () => {
    const request = spawn(
      [
        'NAME: WorkerAgent',
        'CLI: claude',
        'PROMPT: You are a worker agent. Complete the assigned task.',
        'WORKING_DIR: /path/to/project',
        'ENV: KEY1=value1,KEY2=value2',
        '',
      ].join('\n'),
    );

    expect(request).toEqual({
      kind: 'spawn',
      name: 'WorkerAgent',
      cli: 'claude',
      prompt: 'You are a worker agent. Complete the assigned task.',
      workingDir: '/path/to/project',
      env: { KEY1: 'value1', KEY2: 'value2' },
    });
  });

  test('a name and a program are enough', () => {
    expect(spawn('CLI: claude --fast\r\nNAME: a\r\n')).toEqual({
      kind: 'spawn',
      name: 'a',
      cli: 'claude --fast',
      env: {},
    });
  });

  test('a prompt goes on until the next field', () => {
    const request = spawn(
      'NAME: a\nPROMPT: Do this:\n\n  Name: of the file\nthen stop.\n\nCLI: claude',
    );

    expect(request).toMatchObject({
      prompt: 'Do this:\n\n  Name: of the file\nthen stop.',
      cli: 'claude',
    });
  });

  test('a value of ENV may have "=" in it, and a variable may be called __proto__', () => {
    const request = spawn('NAME: a\nCLI: b\nENV: A=b=c, D= ,__proto__=x');

    expect(request).toHaveProperty(
      'env',
      Object.fromEntries([
        ['A', 'b=c'],
        ['D', ''],
        ['__proto__', 'x'],
      ]),
    );
    expect(JSON.stringify(request)).toContain('"__proto__":"x"');
  });

  test.each([
    ['', 'needs NAME'],
    ['NAME: a', 'needs CLI'],
    ['NAME: a\nCLI:', 'needs CLI'],
    ['NAME:\nCLI: b', 'needs NAME'],
    ['NAME: root\nCLI: b', 'reserved'],
    ['NAME: a/b\nCLI: b', 'letters, digits'],
    ['NAME: a\nNAME: b\nCLI: c', 'NAME twice'],
    ['NAME: a\nCLI: b\nPROMPT: x\nCLI: c', 'CLI twice'],
    ['NAME: a\nCLI: b\nMODEL: c', '^Line 3 .* means nothing: "MODEL: c"'],
    ['NAME: a\nCLI: b\nUNSANDBOXED: true', '^Line 3 .* means nothing: "UNSANDBOXED: true"'],
    ['NAME: a\nCLI: b\nSEES: /', '^Line 3 .* means nothing: "SEES: /"'],
    ['hello\nNAME: a\nCLI: b', '^Line 1 '],
    ['NAME: a\nCLI: b\u0007', 'control character'],
    ['NAME: a\nCLI: b\u2028c', 'control character'],
    ['NAME: a\nCLI: b\nWORKING_DIR: project', 'absolute'],
    ['NAME: a\nCLI: b\nWORKING_DIR:', 'absolute'],
    ['NAME: a\nCLI: b\nWORKING_DIR: ~/project', 'absolute'],
    ['NAME: a\nCLI: b\nWORKING_DIR: /work/../etc', 'leads upward'],
    ['NAME: a\nCLI: b\nENV: KEY', 'sets no variable'],
    ['NAME: a\nCLI: b\nENV: A=1,', 'sets no variable'],
    ['NAME: a\nCLI: b\nENV: =1', 'sets no variable'],
    ['NAME: a\nCLI: b\nENV: A B=1', 'sets no variable'],
    ['NAME: a\nCLI: b\nENV: A=1,A=2', 'twice'],
    ['NAME: a\nCLI: b\nENV: PATH=/tmp', 'no message may set'],
    ['NAME: a\nCLI: b\nENV: X=1, path=/tmp', 'no message may set'],
    ['NAME: a\nCLI: b\nENV: LD_PRELOAD=/tmp/x.so', 'no message may set'],
    ['NAME: a\nCLI: b\nENV: NODE_OPTIONS=--import=x', 'no message may set'],
    ['NAME: a\nCLI: b\nENV: AOS_HOME=/tmp', 'no message may set'],
  ])('%j is refused: %s', (body, why) => {
    expect(() => spawn(body)).toThrow(refusal(why));
  });

  test('a variable that only begins like a withheld one may be set', () => {
    expect(spawn('NAME: a\nCLI: b\nENV: PATHS=1,NODES=2')).toMatchObject({
      env: { PATHS: '1', NODES: '2' },
    });
  });
});

describe('release', () => {
  const release = (body: string) => parseOrchestratorRequest('release', body);

  test('the body of the protocol is read line by line', () => {
    expect(release('NAME: WorkerAgent\nREASON: Task completed successfully\n')).toEqual({
      kind: 'release',
      name: 'WorkerAgent',
      reason: 'Task completed successfully',
    });
  });

  test.each([
    ['', 'needs NAME'],
    ['REASON: done', 'needs NAME'],
    ['NAME: *', 'begins with a letter'],
    ['NAME: a\nCLI: b', '^Line 2 '],
  ])('%j is refused: %s', (body, why) => {
    expect(() => release(body)).toThrow(refusal(why));
  });
});

describe('continuity', () => {
  const continuity = (body: string) => parseOrchestratorRequest('continuity', body);

  test.each([
    ['ACTION: save\n\n{"a":1}\n', { action: 'save', key: 'state', state: '{"a":1}\n' }],
    ['ACTION: save\nKEY: plan.v2\n\n\nx', { action: 'save', key: 'plan.v2', state: '\nx' }],
    ['KEY: k\r\nACTION: save\r\n\r\nx\r\n', { action: 'save', key: 'k', state: 'x\r\n' }],
    ['ACTION: save\nstep 3', { action: 'save', key: 'state', state: 'step 3' }],
    ['ACTION: save\n\nKEY: not mine', { action: 'save', key: 'state', state: 'KEY: not mine' }],
    ['ACTION: save', { action: 'save', key: 'state', state: '' }],
    ['ACTION: load', { action: 'load', key: 'state', state: '' }],
    ['ACTION: load\nKEY: k\n\n', { action: 'load', key: 'k', state: '' }],
  ])('%j is understood', (body, request) => {
    expect(continuity(body)).toEqual({ kind: 'continuity', ...request });
  });

  test.each([
    ['', 'needs ACTION'],
    ['save', 'needs ACTION'],
    ['ACTION:\n\nx', 'needs ACTION'],
    ['ACTION: sav', 'Did you mean "save"'],
    ['ACTION: save\nACTION: load', 'ACTION twice'],
    ['ACTION: save\nKEY: a b', '^KEY is "a b"'],
    ['ACTION: save\nKEY:', '^KEY is ""'],
    ['ACTION: save\nKEY: ../x', '^KEY is'],
    [`ACTION: save\nKEY: ${'k'.repeat(101)}`, '^KEY is'],
    ['ACTION: load\n\nx', 'A load has no state'],
  ])('%j is refused: %s', (body, why) => {
    expect(() => continuity(body)).toThrow(refusal(why));
  });
});

describe('status', () => {
  const status = (body: string) => parseOrchestratorRequest('status', body);

  test.each([
    ['active', { status: 'active', text: 'active' }],
    [
      'STATUS: inactive\nback at nine\n',
      { status: 'inactive', text: 'STATUS: inactive\nback at nine' },
    ],
    ['terminated\r\n', { status: 'terminated', text: 'terminated' }],
    ['half of it is done', { text: 'half of it is done' }],
    ['', { text: '' }],
  ])('%j is understood', (body, report) => {
    expect(status(body)).toEqual({ kind: 'status', ...report });
  });

  test('a STATUS that there is not is refused', () => {
    expect(() => status('STATUS: actve')).toThrow(refusal('Did you mean "active"'));
  });
});

test.each<[MessageKind]>([
  ['message'],
  ['request'],
  ['response'],
  ['event'],
  ['stream'],
  ['ack'],
  ['nack'],
])('__orchestrator__ does not take the kind %s', (kind) => {
  expect(() => parseOrchestratorRequest(kind, 'NAME: a')).toThrow(refusal(`of the kind ${kind}`));
});
