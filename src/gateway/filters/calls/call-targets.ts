import { type TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type ForwardTarget } from "../../proxy/target.ts";
import { type Upstream } from "../../upstream/upstream.ts";
import { callTarget } from "./call-target.ts";

export interface CallableUpstreams {
  find(name: string): Upstream | undefined;
}

interface Offered {
  readonly upstreams: CallableUpstreams;
  readonly serviceName: string;
  readonly made: Map<string, ForwardTarget>;
}

/** The forwarding targets for calls of filters, for each upstream of the active configuration. */
export class CallTargets {
  readonly #wheel: TimerWheel;
  #current: Offered | undefined;
  /** The upstreams of a configuration that is being loaded. Its filters can make calls while they start. */
  #next: Offered | undefined;

  constructor(wheel: TimerWheel) {
    this.#wheel = wheel;
  }

  /** Called when a configuration with these upstreams is being loaded. */
  offer(upstreams: CallableUpstreams, serviceName: string): void {
    this.#next = { upstreams, serviceName, made: new Map() };
  }

  /** Makes the configuration that was loaded last the active one. */
  use(): void {
    this.#current = this.#next ?? this.#current;
    this.#next = undefined;
  }

  /** Undefined if there is no upstream of that name. */
  of(name: string): ForwardTarget | undefined {
    return this.#find(this.#current, name) ?? this.#find(this.#next, name);
  }

  #find(offered: Offered | undefined, name: string): ForwardTarget | undefined {
    if (offered === undefined) return undefined;
    const { upstreams, serviceName, made } = offered;
    const known = made.get(name);
    if (known !== undefined) return known;
    const upstream = upstreams.find(name);
    if (upstream === undefined) return undefined;
    const target = callTarget(upstream, { wheel: this.#wheel, serviceName });
    made.set(name, target);
    return target;
  }
}
