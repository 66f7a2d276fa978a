/** The start of the `aos` command. */
import { start } from './start.ts';

// No await: the bundle is CommonJS, which starts faster and has none at the top.
void start(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
