/**
 * A process of its own: asks the file agent over a folder for what comes in as JSON, one after the
 * other, with every yes.
 */
import { readFileSync } from 'node:fs';
import { fileAgentWorld } from './file-agent-world.ts';

const [root = ''] = process.argv.slice(2);

await using world = await fileAgentWorld({ root });
const answers = [];
for (const request of JSON.parse(readFileSync(0, 'utf8'))) {
  answers.push(await world.confirm(request));
}
process.stdout.write(JSON.stringify(answers));
