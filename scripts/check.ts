/** `npm run check`: format, lint, types, unused code and unit tests, in seconds. */
import { runTool, say, type ToolRun } from './run-tool.ts';
import { runStaticChecks } from './static-checks.ts';

const started = performance.now();
const [statics, unit] = await Promise.all([
  runStaticChecks(),
  // On every core: somebody waits for it.
  runTool('vitest', ['run', '--project', 'unit', '--reporter', 'dot', '--maxWorkers', '100%']),
]);
const runs = [...statics, unit];
for (const run of runs) tell(run);
const failed = runs.filter(({ code }) => code !== 0);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
say(
  failed.length === 0
    ? `check passed in ${seconds} s`
    : `check failed in ${seconds} s: ${failed.map(({ name }) => name).join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function tell({ name, code, output, seconds }: ToolRun): void {
  if (code !== 0) say(output);
  say(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
}
