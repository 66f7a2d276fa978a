/** What an agent is made of, as its row keeps it. */

export const restartPolicies = ['never', 'on-failure', 'always'] as const;
export type RestartPolicy = (typeof restartPolicies)[number];

export type AgentSpec = ModelSpec | CommandSpec;

export interface ModelSpec {
  readonly body: 'model';
  /** As a catalog of models knows it, such as `anthropic:claude-sonnet-4-5`. */
  readonly model: string;
  /** What it is told before its goal. */
  readonly instructions: string;
  /** Names of tools, or areas as `file.*`; all of them where nothing is said. */
  readonly tools?: readonly string[] | undefined;
  /** The most tokens of one answer. */
  readonly max_output_tokens: number;
  readonly restart: RestartPolicy;
  /** It is there for whoever sends it messages, and is not over when a goal is. */
  readonly is_standing: boolean;
}

export interface CommandSpec {
  readonly body: 'command';
  readonly argv: readonly [string, ...string[]];
  /** Absolute; its workspace where nothing is said. */
  readonly cwd?: string | undefined;
  /** Besides what every program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** What it is to do, which it finds in its inbox. */
  readonly prompt?: string | undefined;
  readonly restart: RestartPolicy;
  /** It runs as the owner, behind no wall. The owner's choice alone, as the two below. */
  readonly unsandboxed?: true | undefined;
  /** Folders of the host that it sees, read-only, at the same paths. */
  readonly sees?: readonly string[] | undefined;
  /** It may write to `cwd`. */
  readonly writable?: true | undefined;
  /** Where the paths in it led when it was spawned: what is shown later is what was meant then. */
  readonly leads?: Readonly<Record<string, string>> | undefined;
}

/** Whether the wall is around its program; null for one that is no program of this machine. */
export function sandboxOf(spec: AgentSpec | undefined): 'on' | 'off' | null {
  if (spec?.body !== 'command') return null;
  return spec.unsandboxed === true ? 'off' : 'on';
}

/** As a row has it; undefined for one that was not spawned. Only spawning writes it. */
export function readSpec(text: string | null | undefined): AgentSpec | undefined {
  return text == null ? undefined : (JSON.parse(text) as AgentSpec);
}
