import { AosError } from '../errors.ts';
import { fileAgentName } from '../files/file-agent-name.ts';
import { quote } from '../text/quote.ts';

const lawful = /^[a-zA-Z][a-zA-Z0-9_-]{0,62}$/;

// `owner` would be confused with the human; the others are taken by the protocol. An
// agent may be called Lead: it then is whom messages to `Lead` reach.
const reserved: ReadonlySet<string> = new Set([
  '__orchestrator__',
  'system',
  'root',
  'admin',
  'owner',
  // Whose the memories of spaces are.
  'shared',
]);

/** Throws `agent.bad-name`, with the rule that is broken, unless an agent may be called so. */
export function checkAgentName(name: string): void {
  const broken = brokenRule(name);
  if (broken === undefined) return;
  throw new AosError('agent.bad-name', {
    message: `An agent cannot be called ${quote(shortened(name))}: ${broken}`,
    fix: 'Choose a letter followed by at most 62 letters, digits, "_" or "-", such as "jean-2"',
  });
}

/** The same for one that is to be made: those that come with the system have their names already. */
export function checkNewAgentName(name: string): void {
  checkAgentName(name);
  if (name.toLowerCase() !== fileAgentName) return;
  throw new AosError('agent.bad-name', {
    message: `An agent cannot be called ${quote(name)}: that is the one that comes with Agent OS`,
    fix: 'Choose another name; whoever writes to file_agent is answered',
  });
}

function brokenRule(name: string): string | undefined {
  if (reserved.has(name.toLowerCase())) return 'that name is reserved';
  if (lawful.test(name)) return undefined;
  if (name === '') return 'a name has at least one character';
  if (!/^[a-zA-Z]/.test(name)) return 'a name begins with a letter from a to z';
  if (!/^[a-zA-Z0-9_-]*$/.test(name)) return 'a name has letters, digits, "_" and "-" only';
  return `a name has at most 63 characters, and this one has ${name.length}`;
}

// A name of a megabyte must not become a sentence of a megabyte.
function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}
