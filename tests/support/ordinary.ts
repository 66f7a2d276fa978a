/** What somebody sees who may not do everything, also where the tests may. */
import { execFileSync } from 'node:child_process';
import { isRoot } from './machine.ts';

const without = ['setpriv', '--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all'];

/** Runs a module under the same uid, without any capability; what it prints as JSON. */
export function runAsOrdinary(script: string): unknown {
  const argv = [process.execPath, '--input-type=module', '-e', script];
  const [program = '', ...args] = isRoot ? [...without, ...argv] : argv;
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' }));
}
