import type { Clock, DiskView } from '../../kernel/ports.ts';
import type {
  Sandboxes,
  SandboxLimits,
  SandboxNetwork,
  SandboxView,
} from '../../kernel/sandbox.ts';

/** What shell.execute needs from outside. */
export interface ShellDeps {
  readonly disk: DiskView;
  readonly clock: Clock;
  readonly sandboxes: Sandboxes;
  readonly limits: SandboxLimits;
  /** What somebody sees in a sandbox; their workspace is there afterwards. */
  viewFor(principal: string): Promise<SandboxView>;
  /** Undefined for who may ask no host at all. */
  networkFor(principal: string): Promise<SandboxNetwork | undefined>;
}
