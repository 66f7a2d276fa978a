/** `aos tool`: lists the tools, and what each takes. */
import type { Command } from 'commander';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote, safeJson } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { table, trimLines } from '../core/words.ts';
import { defineCall } from './call.ts';
import { defineCalls } from './journal.ts';

export function defineTool(command: Command, context: Context): void {
  command
    .command('ls')
    .description('list the tools, or tell what one takes')
    .argument('[name]', 'a tool, such as http.fetch')
    .addHelpText('after', '\nExamples:\n  aos tool ls\n  aos tool ls file.read')
    .action((name: string | undefined) => list(context, name));
  defineCall(command.command('call'), context);
  defineCalls(command.command('calls'), context);
}

type WireTool = Answer<'tools'>['items'][number];

async function list(context: Context, wanted: string | undefined): Promise<void> {
  const tools = await withHome(context, { holder: 'aos tool ls' }, (client) =>
    client.tools({ signal: context.signal }),
  );
  if (wanted === undefined) {
    const rows = tools.items.map(({ name, summary }) => [oneLine(name), oneLine(summary)]);
    context.print({ data: tools, text: table(rows) });
    return;
  }
  const tool = tools.items.find(({ name }) => name === wanted);
  if (tool === undefined) throw unknownTool(wanted, tools.items);
  const { name, summary, input_schema } = tool;
  const text = `${oneLine(name)}: ${oneLine(summary)}\n${argumentsText(input_schema)}`;
  context.print({ data: tool, text });
}

function unknownTool(typed: string, items: readonly WireTool[]): AosError {
  const names = items.map(({ name }) => name);
  return new AosError('tool.unknown', {
    message: `There is no tool ${quote(typed.slice(0, 100))}.${didYouMean(typed, names)}`,
    fix: 'aos tool ls',
  });
}

type Schema = Readonly<Record<string, unknown>>;

/** A line for each argument: its name, what it is, whether it is needed, what it is for. */
function argumentsText(schema: Schema): string {
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {});
  if (properties.length === 0) return '  It takes no arguments.';
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const rows = properties.map(([name, value]) => {
    const property = isSchema(value) ? value : {};
    return [
      `  ${oneLine(name)}`,
      typeWords(property),
      needWords(property, { isRequired: required.includes(name) }),
      oneLine(String(property['description'] ?? '')),
    ];
  });
  return trimLines(table(rows));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function needWords(property: Schema, { isRequired }: { readonly isRequired: boolean }): string {
  if ('default' in property) return `${safeJson(property['default'])} if not said`;
  return isRequired ? 'required' : 'optional';
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
};

function typeWords(property: Schema): string {
  const { type, enum: choices, anyOf, items } = { ...noType, ...property };
  if ('const' in property) return safeJson(property['const']);
  if (Array.isArray(choices)) return choices.map(safeJson).join(' or ');
  if (Array.isArray(anyOf)) {
    return anyOf.map((one: unknown) => typeWords(isSchema(one) ? one : {})).join(' or ');
  }
  if (type === 'array' && isSchema(items)) return `list of ${typeWords(items)}`;
  const word = typeof type === 'string' ? oneLine(typeNames[type] ?? type) : 'anything';
  return `${word}${rangeWords(property)}`;
}

const noType: Readonly<Record<'type' | 'enum' | 'anyOf' | 'items', unknown>> = {
  type: undefined,
  enum: undefined,
  anyOf: undefined,
  items: undefined,
};

/** What is as far as numbers go says nothing. */
function rangeWords({ minimum, maximum }: Schema): string {
  const least = boundOf(minimum);
  const most = boundOf(maximum);
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` from ${least} on`;
  return most === undefined ? '' : ` up to ${most}`;
}

function boundOf(bound: unknown): number | undefined {
  if (typeof bound !== 'number' || Math.abs(bound) >= Number.MAX_SAFE_INTEGER) return undefined;
  return bound;
}
