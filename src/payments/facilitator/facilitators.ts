import { readChains, readClusters } from "./chain-settings.ts";
import {
  type Choice,
  chooseFacilitators,
  createFacilitator,
  nameOfUrl,
  type FacilitatorDeps,
  type FacilitatorSettings,
} from "./create-facilitator.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { type FacilitatorObserver, observe } from "./facilitator-observer.ts";
import { FailoverFacilitator, type Member } from "./failover-facilitator.ts";
import { KindsWatch } from "../x402/kinds.ts";
import type * as ChainReaders from "../evm/chain-reader.ts";
import { isSolana } from "../x402/networks.ts";
import type * as SolanaReaders from "../solana-node/solana-reader.ts";
import { type Environment } from "./secrets.ts";

/** Loaded on first use, because most gateways sell nothing (bench start). */
const chainReaders = (): typeof ChainReaders => require("../evm/chain-reader.ts");
const solanaReaders = (): typeof SolanaReaders => require("../solana-node/solana-reader.ts");

/** The facilitators of a route, and the kinds that they listed last. */
export interface RouteFacilitator {
  readonly facilitator: FailoverFacilitator;
  readonly kinds: Pick<FailoverFacilitator, "current" | "failure" | "renew">;
}

/**
 * The keys of a route's `x402` that choose its facilitator. `facilitator_refresh_s` is the time between two checks of
 * its supported kinds, in seconds.
 */
export interface FacilitatorsSettings extends FacilitatorSettings {
  readonly facilitator_refresh_s: number;
}

export interface FacilitatorsDeps extends Omit<FacilitatorDeps, "onBreaker"> {
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Monotonic milliseconds. */
  readonly steady?: () => number;
  readonly observer: FacilitatorObserver;
  readonly log: (message: string) => void;
}

export interface Lease {
  /** The facilitators for this `facilitator_url`; equal settings share it. Throws without a facilitator. */
  forRoute(routeUrl: string): RouteFacilitator;
  /** Call it when the configuration is no longer used. Calls in progress continue. */
  close(): void;
}

interface FacilitatorEntry extends RouteFacilitator {
  readonly key: string;
  readonly watches: readonly KindsWatch[];
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
        return used.getOrInsertComputed(routeUrl, () => this.#take(settings, routeUrl));
      },
      close: () => {
        for (const entry of used.values()) this.#release(entry);
        used.clear();
      },
    };
  }

  get size(): number {
    return this.#entries.size;
  }

  #take(settings: FacilitatorsSettings, routeUrl: string): FacilitatorEntry {
    const choices = chooseFacilitators(settings, routeUrl);
    // The current secrets are part of the key, so that a changed secret creates a new facilitator.
    const { facilitator_timeout_ms: timeoutMs, facilitator_refresh_s: refreshS, embedded, chains } = settings;
    const isEmbedded = choices.some(({ kind }) => kind === "embedded");
    const secrets = secretsOf(choices, chains, this.#deps.environment);
    const key = JSON.stringify([choices, timeoutMs, refreshS, isEmbedded && embedded, chains, secrets]);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.users += 1;
      return known;
    }
    const created = choices.map((choice) => this.#create(choice, settings));
    const chain = this.#chainOf(choices, settings);
    // Nothing throws from here on, so no watch is left behind.
    const members = created.map((one) => this.#watched(one, settings, choices.length > 1));
    const facilitator = new FailoverFacilitator(members, { chain, log: this.#deps.log });
    const entry = { key, facilitator, kinds: facilitator, watches: members.map(({ kinds }) => kinds), users: 1 };
    this.#entries.set(key, entry);
    return entry;
  }

  #create(choice: Choice, settings: FacilitatorsSettings): Omit<Member, "kinds"> {
    const { observer } = this.#deps;
    const { name, place } = choice;
    let isAway = false;
    const made = createFacilitator(choice, settings, {
      ...this.#deps,
      onBreaker: (isOpen) => {
        isAway = isOpen;
        observer.breakerChanged(isOpen, { name, place });
      },
    });
    const alias = choice.kind === "http" ? nameOfUrl(choice.url) : name;
    return { name, alias, facilitator: observe(made, observer), isAway: () => isAway };
  }

  #watched(
    created: Omit<Member, "kinds">,
    settings: FacilitatorsSettings,
    isNamed: boolean,
  ): Member & { readonly kinds: KindsWatch } {
    const { random, log } = this.#deps;
    const kinds = new KindsWatch(created.facilitator, {
      refreshMs: settings.facilitator_refresh_s * 1000,
      random,
      log: (message) => log(`payment: ${isNamed ? `${created.name}: ` : ""}${message}`),
    });
    return { ...created, kinds };
  }

  /** The chains decide the outcome of payments that other programs settle. The embedded facilitator asks them itself. */
  #chainOf(choices: readonly Choice[], { chains }: FacilitatorsSettings): Pick<Facilitator, "find"> | undefined {
    if (chains.length === 0 || !choices.some(({ kind }) => kind === "http")) return undefined;
    const { environment, now, steady, observer } = this.#deps;
    const reader = chainReaders().createChainReader(readChains(chains, environment), now);
    const clusters = readClusters(chains, environment);
    const solana = clusters.length === 0 ? undefined : new (solanaReaders().SolanaReader)(clusters, steady);
    return {
      async find(payment, requirements) {
        const onSolana = isSolana(payment.accepted.network) ? solana : undefined;
        const outcome = await (onSolana?.find(payment) ?? reader.find(payment, requirements));
        if (outcome.kind !== "unknown") observer.asked("find", "ok");
        return outcome;
      },
    };
  }

  #release(entry: FacilitatorEntry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    this.#entries.delete(entry.key);
    for (const watch of entry.watches) watch.close();
    entry.facilitator
      .close()
      .catch((error: unknown) =>
        this.#deps.log(`payment: a facilitator did not close: ${error instanceof Error ? error.name : typeof error}`),
      );
  }
}

function secretsOf(
  choices: readonly Choice[],
  chains: FacilitatorsSettings["chains"],
  environment: Environment,
): unknown {
  const headers = choices.flatMap((choice) => (choice.kind === "http" ? choice.headers : []));
  const names = [...headers.map(({ value_env }) => value_env), ...chains.map(({ rpc_url_env }) => rpc_url_env)];
  return names.map((name) => environment[name] ?? "");
}
