import { expect, test } from 'vitest';
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

const visible = commands.filter(({ hidden }) => hidden !== true);

test.each(visible)(
  'aos $name --help has an example, or the commands that have',
  async ({ name }) => {
    let said = '';
    const terminal = {
      out: (text: string) => {
        said += text;
      },
      err: () => {},
      colorOut: false,
      colorErr: false,
      columns: 80,
      input: { isTerminal: true, read: async function* () {} },
    };
    const { signal } = new AbortController();
    const environment = { AOS_HOME: '/nonexistent/home' };

    const code = await runProgram({ argv: [name, '--help'], environment, terminal, signal });

    expect(code).toBe(0);
    expect(said).toMatch(/\n(?:Examples?|Commands):\n +\S/);
  },
);
