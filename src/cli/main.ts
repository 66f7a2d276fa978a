/** The start of the `aos` command. */
import { start } from './start.ts';

// No await: the bundle is CommonJS, which starts faster and has none at the top.
void start(process.argv.slice(2)).then((exitCode) => {
  // Once everything is written. A process that ends by itself first takes its whole
  // inside apart, which takes it longer than many a command.
  process.stdout.write('', () => process.exit(exitCode));
});
