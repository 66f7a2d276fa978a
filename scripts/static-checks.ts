import { runTool, type ToolRun } from './run-tool.ts';

/** Format, lint, types and unused code, all at once. */
export function runStaticChecks(): Promise<ToolRun[]> {
  const colors = process.stdout.isTTY ? '--colors=force' : '--colors=off';
  return Promise.all([
    runTool('biome', ['ci', '--error-on-warnings', colors, '.']),
    runTool('tsc', []),
    runTool('knip', []),
  ]);
}
