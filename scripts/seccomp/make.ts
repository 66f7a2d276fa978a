/** Writes the filters of the sandbox anew: `node scripts/seccomp/make.ts`, after a rule was changed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, say } from '../run-tool.ts';
import { prebuiltSource } from './prebuilt-source.ts';

const path = join('src', 'sandbox', 'launch', 'seccomp', 'prebuilt.ts');
writeFileSync(join(root, path), prebuiltSource());
say(`wrote ${path}`);
