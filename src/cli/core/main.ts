/** The start of the `aos` command, and of `agent-transfer`. */
import { basename } from 'node:path';
import { start } from './start.ts';

// No await: the bundle is CommonJS, which starts faster and has none at the top.
const [, program = '', ...argv] = process.argv;
const name = basename(program, '.cjs') === 'agent-transfer' ? 'agent-transfer' : 'aos';
void start(name, argv).then((exitCode) => {
  // Once everything is written. A process that ends by itself first takes its whole
  // inside apart, which takes it longer than many a command.
  process.stdout.write('', () => process.exit(exitCode));
});
