/** `aos completion`, and the words that a shell asks for by it. */
import { Argument, type Command } from 'commander';
import type { Context } from '../core/context.ts';

/**
 * Each script asks the hidden command `__complete` at every TAB, so it never goes
 * stale. What follows the cursor is not passed on.
 */
const scripts = {
  bash: `_aos() {
  local IFS=$'\\n'
  COMPREPLY=($(aos __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _aos aos`,
  zsh: `#compdef aos
_aos() {
  local -a found
  found=("\${(@f)$(aos __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "\${found[1]}" ]] && compadd -- "\${found[@]}" || _files
}
compdef _aos aos`,
  fish: `function __aos_complete
  set -l words (commandline -opc) (commandline -ct)
  aos __complete -- $words[2..] 2>/dev/null
end
complete -c aos -n 'test (count (__aos_complete)) -gt 0' -f -a '(__aos_complete)'`,
};

const shells = Object.keys(scripts).filter(isShell);

function isShell(name: string): name is keyof typeof scripts {
  return Object.hasOwn(scripts, name);
}

export function defineCompletion(command: Command, context: Context): void {
  command
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(aos completion bash)              # in ~/.bashrc\n  source <(aos completion zsh)               # in ~/.zshrc, after compinit\n  aos completion fish | source               # in ~/.config/fish/config.fish',
    )
    .action((shell: keyof typeof scripts) => {
      const text = scripts[shell];
      context.print({ data: { shell, script: text }, text });
    });
}

/** Hidden: the shells' scripts call it on every TAB. */
export function defineComplete(command: Command, context: Context): void {
  command
    .argument('[words...]', 'the words after "aos", the last one being typed')
    .allowUnknownOption()
    .helpOption(false)
    .action((words: string[]) => {
      const found = candidates(context.wholeProgram(), words);
      if (found.length > 0) context.words(found.join('\n'));
    });
}

/** What may stand where the last word is, for a tree of commands. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? '';
  const place = placeAfter(program, words.slice(0, -1));
  if (place.awaits === 'value') return [];
  const all = typed.startsWith('-') ? optionsOf(place.command) : namesAt(place);
  return all.filter((candidate) => candidate.startsWith(typed));
}

interface CompletionPlace {
  /** The command that the words lead to. */
  readonly command: Command;
  /** How many of its arguments are there already. */
  readonly argumentsGiven: number;
  /** The value of an option, or anything else. */
  readonly awaits: 'value' | 'word';
}

function placeAfter(program: Command, words: readonly string[]): CompletionPlace {
  let place: CompletionPlace = { command: program, argumentsGiven: 0, awaits: 'word' };
  for (const word of words) place = step(place, word);
  return place;
}

function step(place: CompletionPlace, word: string): CompletionPlace {
  const { command, argumentsGiven, awaits } = place;
  if (awaits === 'value') return { ...place, awaits: 'word' };
  if (word.startsWith('-')) {
    return { ...place, awaits: wantsValue(command, word) ? 'value' : 'word' };
  }
  const child = command.commands.find((candidate) => candidate.name() === word);
  return child === undefined
    ? { ...place, argumentsGiven: argumentsGiven + 1 }
    : { command: child, argumentsGiven: 0, awaits: 'word' };
}

function wantsValue(command: Command, word: string): boolean {
  return lineage(command)
    .flatMap(({ options }) => options)
    .some(({ long, short, required }) => required && (word === long || word === short));
}

function namesAt({ command, argumentsGiven }: CompletionPlace): string[] {
  const choices = command.registeredArguments[argumentsGiven]?.argChoices ?? [];
  const children = command.createHelp().visibleCommands(command);
  return [...children.map((child) => child.name()), ...choices];
}

function optionsOf(command: Command): string[] {
  const options = lineage(command).flatMap(({ options }) => options);
  return [...options.map(({ long, short }) => long ?? short ?? ''), '--help'];
}

function lineage(command: Command): Command[] {
  return command.parent === null ? [command] : [command, ...lineage(command.parent)];
}
