/** Scripts that come with Agent OS, for the scripted model: `scripted:hello`. */
export const bundledScripts: Readonly<Record<string, string>> = {
  hello: JSON.stringify({
    scripted_model: 1,
    name: 'hello',
    turns: [
      { say: 'I follow a script, and call one tool.', call: [{ tool: 'tool.list', args: {} }] },
      {
        say: 'I am the scripted model: I follow a script and understand nothing. Your goal was: {{goal}}\nThe runtime around me is real: this run is in the journal, was counted against a budget, and would go on after a crash.',
      },
    ],
  }),
};
