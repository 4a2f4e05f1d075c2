import { type OnEvent } from "../../telemetry/event.ts";
import { type Member, serverKey } from "../member.ts";
import { type Failure, type ServerStates } from "../outlier-detection.ts";

/** The texts for failures of requests in events and in the list of servers. */
export const FAILURE_WORDS: Readonly<Record<Failure, string>> = {
  refused: "connections are refused",
  unreachable: "no connection was opened in time",
  broken: "a response was cut off or malformed",
  late: "no response came in time",
};

interface Seen {
  readonly key: string;
  ejections: number;
  isOut: boolean;
}

/**
 * Notices when failed requests have put a server out of rotation, and when it is back. Workers only write that to the
 * shared memory, so that requests do not wait for a message. The watch reads the memory a few times a second.
 */
export class ServerWatch {
  readonly #states: ServerStates;
  readonly #onEvent: OnEvent;
  #seen = new Map<number, Seen>();

  constructor(states: ServerStates, onEvent: OnEvent) {
    this.#states = states;
    this.#onEvent = onEvent;
  }

  /** Reports each server that has left rotation or returned to it since the last call. */
  look(upstreams: Iterable<readonly [upstream: string, members: Iterable<Member>]>): void {
    const seen = new Map<number, Seen>();
    for (const [upstream, members] of upstreams) {
      for (const member of members) seen.set(member.slot, this.#lookAt(upstream, member));
    }
    this.#seen = seen;
  }

  #lookAt(upstream: string, { endpoint, slot, failTimeoutMs }: Member): Seen {
    const server = serverKey(endpoint);
    const key = `${upstream}\n${server}`;
    const now = { key, ejections: this.#states.ejections(slot), isOut: this.#states.isEjected(slot, failTimeoutMs) };
    const before = this.#seen.get(slot);
    const known = before?.key === key ? before : { ejections: 0, isOut: false };
    const what = `upstream ${JSON.stringify(upstream)}: server ${server}`;
    const details = { upstream, server, by_requests: true };
    if (now.ejections !== known.ejections) {
      const { failure } = this.#states.lastFailure(slot);
      const reason = failure === "" ? "" : FAILURE_WORDS[failure];
      const message = `${what} is out of rotation for ${failTimeoutMs} ms: requests to it failed: ${reason}`;
      this.#onEvent({ kind: "server_health", message, details: { ...details, in_rotation: false, reason } });
    }
    if (!now.isOut && (known.isOut || now.ejections !== known.ejections)) {
      const message = `${what} may get requests again`;
      this.#onEvent({ kind: "server_health", message, details: { ...details, in_rotation: true } });
    }
    return now;
  }
}
