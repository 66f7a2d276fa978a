/** The sockets of the daemon: the owner's, one for each agent that has a handle, and the TCP port. */
import type { Gateway } from '../../gateway/server/server.ts';
import { agentsWithHandles } from '../../ledger/security/principals.ts';
import type { Log } from '../log.ts';
import type { Engines } from './compose.ts';
import type { OpenHome } from './open-home.ts';
import type { AgentDoors } from './runtime.ts';
import { type HomeSandboxes, removeSocketFolder, showSocketOf } from './sandboxes.ts';

export function agentSocket(name: string): string {
  return `run/agents/${name}.sock`;
}

interface DoorsDeps {
  readonly engines: Engines;
  readonly open: OpenHome;
  readonly log: Log;
}

/** Made before the runtime, which opens doors by it; the gateway joins when it is there. */
export class DaemonDoors implements AgentDoors {
  readonly #deps: DoorsDeps;
  #gateway: Gateway | undefined;

  constructor(deps: DoorsDeps) {
    this.#deps = deps;
  }

  socketOf(name: string): string {
    return agentSocket(name);
  }

  /** Before the gateway is there, nothing is opened: openAll() follows. */
  async open(name: string): Promise<void> {
    await this.#gateway?.openAgentDoor(name, agentSocket(name));
  }

  /** What is left of its socket goes with the next start. */
  async onTerminated(name: string): Promise<void> {
    const { engines, open, log } = this.#deps;
    try {
      await removeSocketFolder(engines.disk, open.home, name);
    } catch (failure) {
      log.warn({ err: failure, agent: name }, 'the socket folder of a terminated agent stays');
    }
  }

  /** Shows a door to its agent's program. The others' doors are opened also where this fails. */
  async show({ ownFolders }: HomeSandboxes, name: string): Promise<void> {
    const { engines, open, log } = this.#deps;
    try {
      await showSocketOf({ ...engines, ...open, ownFolders }, name);
    } catch (failure) {
      log.error({ err: failure, agent: name }, 'the program of an agent cannot reach its socket');
    }
  }

  /** Resolves to the TCP port. */
  async openAll(gateway: Gateway, wantedPort: number): Promise<number> {
    await gateway.openOwnerDoor('run/aos.sock');
    for (const name of await agentsWithHandles(this.#deps.open.ledger.committed)) {
      await gateway.openAgentDoor(name, agentSocket(name));
    }
    return gateway.openTcpDoor({ host: '127.0.0.1', port: wantedPort });
  }

  joinTo(gateway: Gateway): void {
    this.#gateway = gateway;
  }
}
