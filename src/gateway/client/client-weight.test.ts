import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the client loads neither an HTTP library nor the schemas, which a command would pay for', () => {
  const client = join(import.meta.dirname, 'client.ts');
  const script = `
    const loaded = [];
    require('node:module').registerHooks({
      load: (url, context, next) => (loaded.push(url), next(url, context)),
    });
    import(${JSON.stringify(client)}).then(() => {
      console.log(JSON.stringify([...loaded, ...process.moduleLoadList]));
    });`;

  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });

  const loaded: string[] = JSON.parse(stdout);
  expect(loaded.some((name) => name.endsWith('client.ts'))).toBe(true);
  expect(
    loaded.filter((name) => /node_modules|NativeModule (?:_?http|net$|tls)/.test(name)),
  ).toEqual([]);
});
