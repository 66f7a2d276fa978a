/** `npm run fix`: repairs what a tool can repair. */
import { runTool, say } from './run-tool.ts';

const { code, output } = await runTool('biome', ['check', '--write', '.']);
say(output);
process.exitCode = code;
