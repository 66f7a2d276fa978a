/** Scripts that come with Agent OS, for the scripted model. */
import { printCapability } from '../../kernel/capability/capability-text.ts';
import type { ScriptText } from '../../models/scripted/script.ts';

/** By their names: `scripted:hello`. */
export const bundledScripts: Readonly<Record<string, string>> = {
  hello: JSON.stringify({
    scripted_model: 1,
    name: 'hello',
    turns: [
      { say: 'I follow a script, and call one tool.', call: [{ tool: 'tool.list', args: {} }] },
      {
        say: 'I am the scripted model: I follow a script and understand nothing. Your goal was: {{goal}}\nThe runtime around me is real: this run is in the journal, was counted against a budget, and would go on after a crash.',
      },
    ],
  }),
};

export interface DemoPlaces {
  /** Where the files are that the team works on, by a path without symlinks. */
  readonly files: string;
  /** The file that the script of the child is in. */
  readonly checkerScript: string;
}

/** For a file of the demo, or with `*` for all of them, however its folder is called. */
export function fileCapability(files: string, name: string, action: 'read' | 'write'): string {
  const folders = files.split('/').filter((part) => part !== '');
  const last = name === '*' ? ('any' as const) : { name };
  const segments = [...folders.map((folder) => ({ name: folder })), last];
  return printCapability({
    ...{ resource: 'file', actions: [action], constraints: {} },
    target: { kind: 'path', segments, subtree: false },
  });
}

/** Those of `aos demo`: the numbers in what they say come from the files, by templates. */
export function demoScripts(places: DemoPlaces): Readonly<Record<string, ScriptText>> {
  return {
    lead: leadScript(places),
    counter: counterScript(places),
    checker: checkerScript(places),
  };
}

// So that a person can read along.
const pauseMs = 300;

function leadScript({ files, checkerScript: script }: DemoPlaces): ScriptText {
  return {
    scripted_model: 1,
    name: 'lead',
    turns: [
      {
        delay_ms: pauseMs,
        say: 'I read the notes and the letter.',
        call: ['monday.txt', 'tuesday.txt', 'wednesday.txt', 'letter.txt'].map((name) =>
          reading(files, name),
        ),
      },
      {
        delay_ms: pauseMs,
        say: 'The two tables are for counter.',
        call: [
          {
            tool: 'message.send',
            args: { to: 'counter', body: 'Please count the lines and words of the two tables.' },
          },
        ],
      },
      {
        // Long enough to look at the budget before a part of it is given away.
        delay_ms: 2 * pauseMs,
        say: 'Somebody should count the orders a second time.',
        call: [spawningChecker(files, script)],
      },
      { say: 'I wait for what they find.', repeat: 20 },
    ],
    rules: leadRules(files),
  };
}

function leadRules(files: string): NonNullable<ScriptText['rules']> {
  return [
    { when: { last_contains: 'STATE: failed' }, say: 'My child failed: {{last}}' },
    {
      // Counter tells before it writes, and checker reads what it has written: when checker
      // is done, no message is on its way that could come in between.
      when: { last_contains: 'CHILD: checker' },
      delay_ms: pauseMs,
      say: 'All is counted. I read what counter has written down.',
      call: [reading(files, 'counts.txt')],
    },
    {
      when: { last_contains: 'counts.txt","size_bytes"' },
      delay_ms: pauseMs,
      say: 'I write the report.',
      call: [
        {
          tool: 'file.write',
          args: { path: `${files}/report.md`, content: reportText.join('\n') },
        },
      ],
    },
    {
      when: { last_contains: 'report.md","' },
      say: 'The report is written: six files, with the lines and words of each.',
    },
    { when: { last_contains: 'report.md' }, say: 'There is no report. {{last}}' },
    { when: { last_contains: 'denied' }, say: 'There is no report. {{last}}' },
  ];
}

// Results 1 to 4 are the files that lead has read, the last one is what counter wrote.
const reportText = [
  '# Six files',
  '',
  '| file | lines | words | counted by |',
  '| --- | --- | --- | --- |',
  reportRow('monday.txt', 1, 'lead'),
  reportRow('tuesday.txt', 2, 'lead'),
  reportRow('wednesday.txt', 3, 'lead'),
  reportRow('letter.txt', 4, 'lead'),
  '{{last | json content | trim}}',
  '',
];

function reportRow(name: string, result: number, agent: string): string {
  return `| ${name} | ${linesOf(result)} | ${wordsOf(result)} | ${agent} |`;
}

function linesOf(result: number): string {
  return `{{result ${result} | json content | lines}}`;
}

function wordsOf(result: number): string {
  return `{{result ${result} | json content | words}}`;
}

function reading(files: string, name: string) {
  return { tool: 'file.read', args: { path: `${files}/${name}` } };
}

function spawningChecker(files: string, script: string) {
  return {
    tool: 'agent.spawn',
    args: {
      name: 'checker',
      goal: 'Count the lines and words of orders.csv again.',
      model: `scripted:${script}`,
      grants: ['counts.txt', 'orders.csv'].map((name) => fileCapability(files, name, 'read')),
      budget: ['tokens=8000', 'tool_calls=10'],
      max_output_tokens: 400,
    },
  };
}

function counterScript({ files }: DemoPlaces): ScriptText {
  const told = (name: string, result: number): string =>
    `${name} has ${linesOf(result)} lines and ${wordsOf(result)} words`;
  return {
    scripted_model: 1,
    name: 'counter',
    turns: [
      {
        delay_ms: pauseMs,
        say: 'I read both tables.',
        call: [reading(files, 'orders.csv'), reading(files, 'stock.csv')],
      },
      {
        say: 'I answer, and write the numbers down.',
        call: [
          {
            tool: 'message.send',
            args: { to: 'lead', body: `${told('orders.csv', 1)}; ${told('stock.csv', 2)}.` },
          },
          {
            tool: 'file.write',
            args: {
              path: `${files}/counts.txt`,
              content: `${reportRow('orders.csv', 1, 'counter')}\n${reportRow('stock.csv', 2, 'counter')}\n`,
            },
          },
        ],
      },
      { say: 'The tables are counted.' },
    ],
  };
}

function checkerScript({ files }: DemoPlaces): ScriptText {
  return {
    scripted_model: 1,
    name: 'checker',
    // Until counter has written it.
    turns: [{ delay_ms: pauseMs, call: [reading(files, 'counts.txt')], repeat: 20 }],
    rules: [
      {
        when: { last_contains: 'counts.txt","size_bytes"' },
        // The middle of the demo, in which the daemon is killed.
        delay_ms: 2000,
        say: 'I count the orders myself.',
        call: [reading(files, 'orders.csv')],
      },
      {
        when: { last_contains: 'orders.csv","size_bytes"' },
        say: 'orders.csv has {{last | json content | lines}} lines and {{last | json content | words}} words.',
      },
    ],
  };
}
