import { type Config } from "../../config/config.ts";
import { type Listener } from "../../wire/tcp.ts";
import { type BoundListener, probeListeners } from "./listener-plan.ts";

/** Milliseconds between two probes of a port that is in use. */
const LOOK_MS = 20;

/**
 * Chooses the TCP ports that workers will share. A port from the kernel is held until the workers have bound it: else
 * another program could get it meanwhile.
 */
export class HeldPorts {
  #held: Listener[] = [];

  /** The endpoints of a configuration. Throws as `probeListeners`. Releases the ports of the call before. */
  choose(config: Config, own: readonly BoundListener[] = []): readonly BoundListener[] {
    this.release();
    return probeListeners(config, own, (socket) => this.#held.push(socket));
  }

  /** Chooses the ports, and tries again after an error as long as `isPassing` returns true. */
  async chooseSoon(
    config: Config,
    own: readonly BoundListener[],
    isPassing: () => boolean,
  ): Promise<readonly BoundListener[]> {
    for (;;) {
      try {
        return this.choose(config, own);
      } catch (error) {
        if (!isPassing()) throw error;
        await Bun.sleep(LOOK_MS);
      }
    }
  }

  release(): void {
    for (const socket of this.#held) socket.stop();
    this.#held = [];
  }
}
