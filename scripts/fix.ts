/** `npm run fix`: repairs what a tool can repair, and writes what is made of something else. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promises } from '../tests/promises/promises.ts';
import { withTable } from '../tests/promises/table.ts';
import { clientFiles } from './client-calls.ts';
import { root, runTool, say } from './run-tool.ts';

const page = join(root, 'docs', 'reliability.md');
writeFileSync(page, withTable(readFileSync(page, 'utf8'), promises));
for (const [path, text] of Object.entries(clientFiles())) writeFileSync(join(root, path), text);
const { code, output } = await runTool('biome', ['check', '--write', '.']);
say(output);
process.exitCode = code;
