/** Operations and artifacts as a person reads them. */
import type { Answer } from '../../gateway/contract/contract.ts';
import { oneLine, printable } from '../../kernel/text/quote.ts';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import { indented } from '../core/indented.ts';
import { table } from '../core/table.ts';
import { trimLines } from '../core/trim-lines.ts';
import { counted } from '../core/words.ts';

export type Operation = Answer<'operation'>;
export type Artifacts = Answer<'artifacts'>;
export type Artifact = Artifacts['artifacts'][number];

export function operationsText(
  items: readonly Operation[],
  shortOf: (id: string) => string,
): string {
  const rows = items.map(({ id, status, started_at, artifacts, result }) => [
    shortOf(id),
    status,
    started_at ?? '-',
    artifactsWords(artifacts),
    beginningOf(result?.summary ?? ''),
  ]);
  return trimLines(table(rows));
}

function artifactsWords({ count, total_size }: Pick<Artifacts, 'count' | 'total_size'>): string {
  return count === 0 ? 'no artifacts' : `${counted(count, 'artifact')} (${sizeText(total_size)})`;
}

const mostShown = 60;

function beginningOf(summary: string): string {
  const line = oneLine(summary.trim());
  return line.length > mostShown ? `${line.slice(0, mostShown)}…` : line;
}

export function operationText(operation: Operation): string {
  const { id, status, started_at, finished_at, result, artifacts } = operation;
  const rows: [string, string | undefined][] = [
    ['operation', id],
    ['status', status],
    ['started', started_at],
    ['finished', finished_at],
    ['took', result === undefined ? undefined : `${result.execution_time} s`],
    ['artifacts', artifactsWords(artifacts)],
  ];
  const facts = table(
    rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const listed = artifacts.count === 0 ? '' : `\n${indented(artifactsText(artifacts))}`;
  const summary = result === undefined ? '' : `\n\n${printable(result.summary.trimEnd())}`;
  return `${facts}${listed}${summary}`;
}

export function artifactsText({ artifacts }: Artifacts): string {
  const rows = artifacts.map((artifact) => [
    oneLine(artifact.name),
    sizeText(artifact.size),
    oneLine(artifact.content_type),
    `expires ${artifact.expires_at}`,
    sealWords(artifact),
  ]);
  return trimLines(table(rows));
}

/** Who can open it. */
function sealWords({ e2e, encryption_key_encrypted }: Artifact): string {
  if (e2e) return 'no key of the home opens it';
  return encryption_key_encrypted === null ? 'sealed for somebody else' : '';
}
