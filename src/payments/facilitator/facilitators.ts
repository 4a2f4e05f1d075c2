import {
  chooseFacilitator,
  createFacilitator,
  type FacilitatorDeps,
  type FacilitatorSettings,
} from "./create-facilitator.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { type FacilitatorObserver, observe } from "./facilitator-observer.ts";
import { KindsWatch } from "../x402/kinds.ts";
import { type Environment } from "./secrets.ts";

/** The facilitator of a route, and the kinds that it listed last. */
export interface RouteFacilitator {
  readonly facilitator: Facilitator;
  readonly kinds: KindsWatch;
}

/**
 * The keys of a route's `x402` that choose its facilitator. `facilitator_refresh_s` is the time between two checks of
 * its supported kinds, in seconds.
 */
export interface FacilitatorsSettings extends FacilitatorSettings {
  readonly facilitator_refresh_s: number;
}

/** The services from which `Facilitators` creates each facilitator and checks it. */
export interface FacilitatorsDeps extends Omit<FacilitatorDeps, "onBreaker"> {
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly observer: FacilitatorObserver;
  readonly log: (message: string) => void;
}

/** The facilitators of one configuration. */
export interface Lease {
  /** The facilitator for this `facilitator_url`; equal settings share it. Throws without a facilitator. */
  forRoute(routeUrl: string): RouteFacilitator;
  /** Call it when the configuration is no longer used. Calls in progress continue. */
  close(): void;
}

interface FacilitatorEntry extends RouteFacilitator {
  readonly key: string;
  users: number;
}

/** All facilitators of a process. A new configuration keeps the facilitators whose settings have not changed. */
export class Facilitators {
  readonly #deps: FacilitatorsDeps;
  readonly #entries = new Map<string, FacilitatorEntry>();

  constructor(deps: FacilitatorsDeps) {
    this.#deps = deps;
  }

  lease(settings: FacilitatorsSettings): Lease {
    const used = new Map<string, FacilitatorEntry>();
    return {
      forRoute: (routeUrl) => {
        const known = used.get(routeUrl);
        if (known !== undefined) return known;
        const entry = this.#take(settings, routeUrl);
        used.set(routeUrl, entry);
        return entry;
      },
      close: () => {
        for (const entry of used.values()) this.#release(entry);
        used.clear();
      },
    };
  }

  /** The number of facilitators. */
  get size(): number {
    return this.#entries.size;
  }

  #take(settings: FacilitatorsSettings, routeUrl: string): FacilitatorEntry {
    const choice = chooseFacilitator(settings, routeUrl);
    // The current secrets are part of the key, so that a changed secret creates a new facilitator.
    const { facilitator_timeout_ms: timeoutMs, facilitator_refresh_s: refreshS, embedded, chains } = settings;
    const secrets = secretsOf(settings, this.#deps.environment);
    const key = JSON.stringify([choice, timeoutMs, refreshS, choice.kind === "embedded" && embedded, chains, secrets]);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.users += 1;
      return known;
    }
    const { observer, random, log } = this.#deps;
    const made = createFacilitator(choice, settings, {
      ...this.#deps,
      onBreaker: (isOpen) => observer.breakerChanged(isOpen),
    });
    const facilitator = observe(made, observer);
    const kinds = new KindsWatch(facilitator, {
      refreshMs: settings.facilitator_refresh_s * 1000,
      random,
      log: (message) => log(`payment: ${message}`),
    });
    const entry: FacilitatorEntry = { key, facilitator, kinds, users: 1 };
    this.#entries.set(key, entry);
    return entry;
  }

  #release(entry: FacilitatorEntry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    this.#entries.delete(entry.key);
    entry.kinds.close();
    entry.facilitator
      .close()
      .catch((error: unknown) =>
        this.#deps.log(`payment: a facilitator did not close: ${error instanceof Error ? error.name : typeof error}`),
      );
  }
}

function secretsOf({ facilitator_headers: headers, chains }: FacilitatorsSettings, environment: Environment): unknown {
  const names = [...headers.map(({ value_env }) => value_env), ...chains.map(({ rpc_url_env }) => rpc_url_env)];
  return names.map((name) => environment[name] ?? "");
}
