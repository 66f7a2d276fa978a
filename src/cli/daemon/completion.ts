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
