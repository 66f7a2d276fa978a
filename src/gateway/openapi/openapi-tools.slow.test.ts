/** What others make of docs/openapi.json: a validator and a generator that know nothing of ours. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const modules = join(root, 'node_modules');
const committed = join(root, 'docs', 'openapi.json');
const { resolve } = createRequire(import.meta.url);

test('docs/openapi.json is valid OpenAPI 3.1', async () => {
  const validator = new Validator();

  const { valid, errors } = await validator.validate(committed);

  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  expect(validator.version).toBe('3.1');
  // Throws where a reference leads nowhere.
  expect(validator.resolveRefs()).toHaveProperty('paths');
});

test('a document with a fault is not', async () => {
  const document = JSON.parse(readFileSync(committed, 'utf8'));
  document.paths['/livez'].get.parameters = [{ name: 'verbose', in: 'nowhere' }];

  const { valid } = await new Validator().validate(document);

  expect(valid).toBe(false);
});

test('openapi-typescript makes types of it that a compiler takes', async () => {
  await using folder = temporaryFolder();
  const types = folder.at('openapi.ts');

  const made = runNode([
    ...['--import', withOlderCompiler(), join(modules, 'openapi-typescript', 'bin', 'cli.js')],
    ...[committed, '--output', types],
  ]);

  expect(made).toMatchObject({ status: 0 });
  expect(readFileSync(types, 'utf8')).toContain('GetOperationResponse: {');
  writeFileSync(folder.at('use.ts'), useOfTypes);
  const checked = runNode([
    ...[join(modules, 'typescript', 'bin', 'tsc'), '--ignoreConfig', '--noEmit', '--strict'],
    ...['--allowImportingTsExtensions', '--module', 'nodenext', folder.at('use.ts')],
  ]);
  expect(checked).toMatchObject({ status: 0, stdout: '' });
});

const useOfTypes = `
import type { components, operations } from './openapi.ts';
type Got = components['schemas']['GetOperationResponse'];
type Answered = operations['operation']['responses'][200]['content']['application/json'];
export const names = (got: Got): string[] => got.artifacts.artifacts.map(({ name }) => name);
export const same = (answered: Answered): Got => answered;
// @ts-expect-error: there is no such status
export const wrong: Got['status'] = 'lost';
`;

/** It writes with the factory of TypeScript 5 and 6, which 7 does not have. */
function withOlderCompiler(): string {
  const compiler = pathToFileURL(resolve('@ts-morph/common/dist/typescript.js')).href;
  const hook = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve: (name, context, next) =>
        next(name === 'typescript' ? ${JSON.stringify(compiler)} : name, context),
    });`;
  return `data:text/javascript,${encodeURIComponent(hook)}`;
}

function runNode(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}
