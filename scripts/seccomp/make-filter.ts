/**
 * Makes the filter of an architecture out of the rules.
 *
 * A call is found by halving the numbers, so none costs more than about eight comparisons.
 * Those that are allowed whatever their arguments cost none: the kernel runs a filter of
 * such simple instructions once for each number and remembers.
 */
import {
  answer,
  architectureOffset,
  argumentOffset,
  type Block,
  branch,
  callOffset,
  encode,
  keepBits,
  load,
} from './bpf.ts';
import { type Architecture, architectures, highestKnown, numberOf } from './numbers.ts';
import { type Answer, type FilterKind, type Rules, rulesFor, type Verdict } from './rules.ts';

// SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, and SECCOMP_RET_ERRNO with its number.
const answerValues: Readonly<Record<Answer, number>> = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  EPERM: 0x50000 + 1,
  ENOSYS: 0x50000 + 38,
  EPROTONOSUPPORT: 0x50000 + 93,
  EOPNOTSUPP: 0x50000 + 95,
  EAFNOSUPPORT: 0x50000 + 97,
  EDQUOT: 0x50000 + 122,
};

/** What bubblewrap takes by `--seccomp`. */
export function makeFilter(architecture: Architecture, kind: FilterKind): Uint8Array {
  const known = search(spansOf(architecture, rulesFor(kind)));
  return encode([
    load(architectureOffset),
    ...branch('jumpIfEqual', architectures[architecture].auditNumber, {
      yes: [load(callOffset), ...known],
      // Numbers mean other calls there, so no rule holds. A program made for it cannot run
      // without calls, and one that mixes them is an attack: there is nobody to say no to.
      no: compile('kill'),
    }),
  ]);
}

/** Numbers that follow each other and get the same. */
interface Span {
  readonly from: number;
  readonly verdict: Verdict;
}

/** Never empty; the last goes on for ever. */
type Spans = readonly [Span, ...Span[]];

function spansOf(architecture: Architecture, rules: Rules): Spans {
  const verdicts = verdictsOf(architecture, rules);
  const spans: [Span, ...Span[]] = [{ from: 0, verdict: verdicts[0] ?? 'ENOSYS' }];
  for (const [from, verdict] of verdicts.entries()) {
    if (verdict !== spans.at(-1)?.verdict) spans.push({ from, verdict });
  }
  return spans;
}

// One for each number, and one for all that are higher: new calls, and those of x32, which
// are the same numbers with bit 30 and are told that this kernel does not have it.
function verdictsOf(architecture: Architecture, rules: Rules): Verdict[] {
  const verdicts: Verdict[] = Array.from({ length: highestKnown + 1 }, () => 'allow');
  for (const [first, last] of architectures[architecture].unused) {
    verdicts.fill('ENOSYS', first, last + 1);
  }
  for (const [name, verdict] of rules) {
    const number = numberOf(name, architecture);
    if (number !== undefined) verdicts[number] = verdict;
  }
  return [...verdicts, 'ENOSYS'];
}

function search(spans: Spans): Block {
  const [first, ...others] = spans;
  const middle = Math.floor(others.length / 2);
  const [upper, ...above] = others.slice(middle);
  if (upper === undefined) return compile(first.verdict);
  return branch('jumpIfAtLeast', upper.from, {
    yes: search([upper, ...above]),
    no: search([first, ...others.slice(0, middle)]),
  });
}

function compile(verdict: Verdict): Block {
  if (typeof verdict === 'string') return answer(answerValues[verdict]);
  const { argument, bits, cases, otherwise } = verdict;
  const compared = cases
    .flatMap(({ values, verdict }) => values.map((value) => ({ value, yes: compile(verdict) })))
    .reduceRight<Block>(
      (no, { value, yes }) => branch('jumpIfEqual', value, { yes, no }),
      compile(otherwise),
    );
  const looked = load(argumentOffset(argument));
  return bits === undefined ? [looked, ...compared] : [looked, keepBits(bits), ...compared];
}
