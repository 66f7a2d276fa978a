/** `npm run fix`: repairs what a tool can repair, and writes the table of promises. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promises } from '../tests/promises/promises.ts';
import { withTable } from '../tests/promises/table.ts';
import { root, runTool, say } from './run-tool.ts';

const page = join(root, 'docs', 'reliability.md');
writeFileSync(page, withTable(readFileSync(page, 'utf8'), promises));
const { code, output } = await runTool('biome', ['check', '--write', '.']);
say(output);
process.exitCode = code;
