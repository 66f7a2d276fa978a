/** `aos config`: settings, each with where its value is from. */
import type { Command } from 'commander';
import { type Config, loadConfig, type SettingOrigin } from '../../app/config/config.ts';
import { configFileSchema, settingNames } from '../../app/config/settings.ts';
import { composeEngines } from '../../app/home/compose.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import type { CommandOutcome } from '../core/report.ts';
import { table } from '../core/words.ts';

export function defineConfig(command: Command, context: Context): void {
  command
    .command('show')
    .description('show every setting and its value')
    .option('--origin', 'say where each value comes from')
    .addHelpText(
      'after',
      '\nA value comes from a flag (--home, --set), else from an AOS_… variable, else from\nconfig.json in the home folder, else it is the default.\n\nExamples:\n  aos config show --origin\n  AOS_DISK_WARN_PERCENT=70 aos config show --origin\n  aos --set diskWarnPercent=70 config show',
    )
    .action(async ({ origin }: { origin?: true }) => {
      const { environment } = context;
      const config = await loadConfig({
        view: composeEngines().disk,
        environment,
        flags: context.flags(),
      });
      context.print(origin === true ? withOrigins(config) : valuesOnly(config));
    });
  command
    .command('schema')
    .description('print the JSON Schema of config.json')
    .addHelpText(
      'after',
      '\nExample:\n  aos config schema > schema.json   # then: {"$schema": "./schema.json", …}',
    )
    .action(() => {
      const schema = configFileSchema();
      context.print({ data: schema, text: JSON.stringify(schema, undefined, 2) });
    });
}

function valuesOnly({ settings }: Config): CommandOutcome {
  return {
    data: settings,
    text: table(settingNames.map((name) => [name, oneLine(String(settings[name]))])),
  };
}

function withOrigins({ settings, originOf }: Config): CommandOutcome {
  const rows = settingNames.map((name) => ({
    name,
    value: settings[name],
    origin: originOf(name),
  }));
  return {
    data: Object.fromEntries(rows.map(({ name, value, origin }) => [name, { value, origin }])),
    text: table(
      rows.map(({ name, value, origin }) => [name, oneLine(String(value)), originWords(origin)]),
    ),
  };
}

function originWords(origin: SettingOrigin): string {
  return origin.kind === 'default' ? 'default' : oneLine(`${origin.kind} ${origin.name}`);
}
