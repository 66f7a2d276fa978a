/** The environment of an agent's program: little of ours, what was ordered, and who it is. */
import { AosError } from '../errors.ts';
import { quote } from '../text/quote.ts';

// They decide which program runs, and what is loaded into it.
const withheld =
  /^(?:(?:PATH|HOME|IFS|ENV|BASH_ENV|SHELLOPTS|JAVA_TOOL_OPTIONS)$|LD_|DYLD_|NODE_|AOS_|GIT_|PYTHON|PERL5|RUBY)/i;

/** Whether a variable is withheld: no order of a program may set it. */
export function isWithheld(name: string): boolean {
  return withheld.test(name);
}

// What says where things are and how a person writes; nothing that opens anything.
const passedOn = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TERM|TZ|TMPDIR)$/;
const usualPath = '/usr/local/bin:/usr/bin:/bin';

// The system takes no variable of 128 KiB; a longer goal is in the inbox all the same.
const longestGoal = 30_000;

export interface EnvironmentOrder {
  readonly name: string;
  /** The folder that the agent sees as its home. */
  readonly home: string;
  readonly socket: string;
  readonly handle: string;
  readonly goal?: string | undefined;
  /** What its spec says. */
  readonly own: Readonly<Record<string, string>>;
  /** Our own environment, or as much of it as there is. */
  readonly machine: Readonly<Record<string, string | undefined>>;
}

/** Throws `agent.bad-spec` for a variable that no order may set. */
export function programEnvironment(order: EnvironmentOrder): Record<string, string> {
  const { name, home, socket, handle, goal, own, machine } = order;
  for (const [variable, value] of Object.entries(own)) checkVariable(variable, value);
  return {
    PATH: usualPath,
    ...passedOnFrom(machine),
    ...own,
    AGENT_RELAY_NAME: name,
    AOS_AGENT: name,
    AOS_HOME: home,
    AOS_SOCKET: socket,
    AOS_HANDLE: handle,
    ...(goal === undefined || !fits(goal) ? {} : { AOS_GOAL: goal }),
  };
}

function passedOnFrom(machine: EnvironmentOrder['machine']): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(machine)) {
    if (value !== undefined && value !== '' && passedOn.test(name)) chosen[name] = value;
  }
  return chosen;
}

function fits(goal: string): boolean {
  return goal.length <= longestGoal && !goal.includes('\0');
}

function checkVariable(name: string, value: string): void {
  const isName = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/.test(name);
  if (isName && !isWithheld(name) && !value.includes('\0')) return;
  throw new AosError('agent.bad-spec', {
    message: `The environment sets ${quote(name.slice(0, 80))}, ${isName ? 'which no order may set so' : 'which is no name of a variable'}`,
    fix: isName
      ? 'Leave it out: PATH and whatever begins with LD_, NODE_ or AOS_ cannot be set'
      : 'A name has letters, digits and "_", and does not begin with a digit',
  });
}

/**
 * `claude --model "big one"` as the words of a command. Quotes hold a word together, and that
 * is all that is special: there is no shell, so nothing is expanded.
 */
export function commandWords(text: string): readonly [string, ...string[]] {
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const [whole = ''] = /^(?:"[^"]*"|'[^']*'|[^\s"'])+/.exec(rest) ?? [];
    if (whole === '') throw badCommand(text, 'a quote in it does not end');
    words.push(whole.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
    rest = rest.slice(whole.length).trimStart();
  }
  const [program, ...others] = words;
  if (program === undefined || program === '') throw badCommand(text, 'it names no program');
  if (text.includes('\0')) throw badCommand(text, 'there is a NUL in it');
  return [program, ...others];
}

function badCommand(text: string, why: string): AosError {
  return new AosError('agent.bad-spec', {
    message: `${quote(text.slice(0, 200))} cannot be run: ${why}`,
    fix: 'Write the program and its arguments, as in: claude --model "big one"',
  });
}
