/** `aos doctor`: what is wrong with a home, and what to do. */
import { Argument, type Command } from 'commander';
import { examine } from '../../app/doctor/examine.ts';
import { checkNames, type DoctorFinding } from '../../app/doctor/finding.ts';
import { composeEngines } from '../../app/home/compose.ts';
import { version } from '../../app/version.ts';
import { AosError } from '../../kernel/errors.ts';
import { findById } from '../../kernel/text/suggest.ts';
import type { Context } from '../core/context.ts';
import { paint, type Terminal, type Tone } from '../core/report.ts';

export function defineDoctor(command: Command, context: Context): void {
  command
    .addArgument(checkArgument())
    .addHelpText(
      'after',
      '\nEach line says ok, warning or failed, why, and the command that mends it.\nExit code 0 when nothing failed, 7 when something did.\n\nExamples:\n  aos doctor\n  aos doctor sandbox\n  aos doctor --json',
    )
    .action(async (typed: string | undefined) => {
      const names = typed === undefined ? checkNames : [findById('check', typed, checkNames)];
      const { environment, signal } = context;
      const engines = composeEngines();
      // As a daemon does, or the sandbox that is tried would show what this shell left open.
      if (names.includes('sandbox')) engines.closeInherited();
      const findings = await examine(
        { ...engines, environment, flags: context.flags(), signal },
        names,
      );
      tell(context, findings);
    });
}

function checkArgument(): Argument {
  const argument = new Argument('[check]', 'look at one thing only; its first letters will do');
  // The choices are for help and completion; the parser would insist on whole words.
  return argument.choices(checkNames).argParser((typed) => typed);
}

function tell({ terminal, print, words }: Context, findings: readonly DoctorFinding[]): void {
  const lines = findings.map((finding) => line(terminal, finding)).join('\n');
  const failed = findings.filter(({ state }) => state === 'failed');
  if (failed.length === 0) {
    const all = findings.length === checkNames.length;
    const text = all ? `${lines}\n\nAgent OS ${version} is ready on this machine.` : lines;
    print({ data: { checks: findings }, text });
    return;
  }
  words(`${lines}\n`);
  const names = failed.map(({ check }) => check).join(', ');
  throw new AosError('doctor.failed', {
    message: `${failed.length} of ${findings.length} checks failed: ${names}`,
    fix: 'Do what the lines marked "failed" say, then run "aos doctor" again',
    details: { checks: findings },
  });
}

const tones: Record<DoctorFinding['state'], Tone> = {
  ok: 'good',
  warning: 'warn',
  failed: 'bad',
  skipped: 'dim',
};

function line({ colorOut }: Terminal, { check, state, says, fix }: DoctorFinding): string {
  const mark = paint(colorOut, tones[state], state.padEnd(7));
  const first = `${mark}  ${check.padEnd(11)} ${paint(false, 'dim', says)}`;
  return fix === undefined
    ? first
    : `${first}\n${' '.repeat(21)}${paint(colorOut, 'dim', 'try:')} ${paint(false, 'dim', fix)}`;
}
