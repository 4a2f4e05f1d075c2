import { isDeepStrictEqual } from "node:util";
import type * as Embedded from "../../../payments/evm/embedded-facilitator.ts";
import type * as GasWatches from "../../../payments/facilitator/gas-watch.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { CHAINS } from "../../telemetry/metrics/metrics.ts";
import { priceWarnings } from "../check/check-prices.ts";
import { readEmbedded, settleTimeoutOf, verifyTimeoutOf } from "../../../payments/facilitator/chain-settings.ts";
import { type OwnOptions } from "../../../payments/facilitator/create-own.ts";
import { type FacilitatorObserver } from "../../../payments/facilitator/facilitator-observer.ts";
import { Facilitators, type Lease } from "../../../payments/facilitator/facilitators.ts";
import type * as HttpFacilitators from "../../../payments/facilitator/http-facilitator.ts";
import { type SimulatedTransfers } from "../../../store/simulated-transfers.ts";
import { type Config } from "../../config/config.ts";
import { diagnosticText } from "../../config/diagnostic.ts";
import {
  facilitatorDiagnostics,
  type FacilitatorDiagnostic,
  requireFacilitators,
} from "../check/check-facilitators.ts";
import { secretDiagnostics, secretWarnings } from "../check/check-secrets.ts";
import { OwnFacilitator } from "./own-facilitator.ts";

/** Loaded when a worker reaches the embedded facilitator by its socket (bench start). */
const httpFacilitators = (): typeof HttpFacilitators => require("../../../payments/facilitator/http-facilitator.ts");

/** Loaded with an embedded facilitator (bench start). */
const embeddeds = (): typeof Embedded => require("../../../payments/evm/embedded-facilitator.ts");

/** Loaded as `embedded` is. */
const gasWatches = (): typeof GasWatches => require("../../../payments/facilitator/gas-watch.ts");

export interface ProcessFacilitatorsOptions {
  /** The embedded facilitator with this process's key. One of several workers has the supervisor's socket. */
  readonly embedded: { readonly own: OwnFacilitator } | { readonly socket: string };
  readonly simulatedTransfers: () => SimulatedTransfers;
  readonly observer: FacilitatorObserver;
  readonly counts?: Pick<Counts, "set"> | undefined;
  readonly log: (message: string) => void;
}

/** The facilitators of one process. A configuration is prepared first, then committed or rolled back. */
export class ProcessFacilitators {
  readonly #options: ProcessFacilitatorsOptions;
  readonly all: Facilitators;
  #gas: { readonly settings: OwnOptions; readonly stop: () => void } | undefined;
  #prepared: { readonly lease: Lease; readonly before: OwnOptions | undefined } | undefined;

  constructor(options: ProcessFacilitatorsOptions) {
    const { embedded, simulatedTransfers, observer, log } = options;
    this.#options = options;
    this.all = new Facilitators({
      simulatedTransfers,
      observer,
      log,
      now: Date.now,
      random: Math.random,
      environment: process.env,
      embedded: (chains) =>
        "own" in embedded
          ? embedded.own.facilitator
          : new (httpFacilitators().HttpFacilitator)({
              url: `unix:${embedded.socket}`,
              isOwn: true,
              timeoutMs: verifyTimeoutOf(chains),
              settleTimeoutMs: settleTimeoutOf(chains),
            }),
    });
  }

  /** In the process with the key for the whole server: it manages that facilitator, and checks all others. */
  get #own(): OwnFacilitator | undefined {
    const { embedded } = this.#options;
    return "own" in embedded ? embedded.own : undefined;
  }

  /** Rejects if secrets are missing or a required facilitator is not fit; then nothing has changed. */
  async prepare(config: Config): Promise<void> {
    const own = this.#own;
    if (own === undefined) return;
    const secrets = secretDiagnostics(config, process.env);
    if (secrets.length > 0) throw new Error(secrets.map(diagnosticText).join("\n"));
    for (const warning of secretWarnings(config, process.env)) this.#options.log(`warning: ${diagnosticText(warning)}`);
    const before = own.settings;
    const lease = this.all.lease(config.x402);
    this.#prepared = { lease, before };
    try {
      const next = embeddedOf(config);
      // Payments under way need the old facilitator until the new configuration is in place.
      if (next !== undefined) await own.use(next);
      await requireFacilitators(config, lease, this.#options.log);
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  async commit(config: Config): Promise<void> {
    this.#prepared?.lease.close();
    this.#prepared = undefined;
    // The environment of a worker does not have the key: only the process that owns the facilitator reads it.
    const own = this.#own;
    if (own === undefined) return;
    const settings = embeddedOf(config);
    if (settings === undefined) await own.use(undefined);
    this.#watchGas(settings);
    void this.#warnOfPrices(config);
  }

  #watchGas(settings: OwnOptions | undefined): void {
    if (isDeepStrictEqual(this.#gas?.settings, settings)) return;
    this.#gas?.stop();
    this.#gas = undefined;
    const { counts, log } = this.#options;
    const before = settings === undefined ? 0 : settings.chains.length;
    for (const i of CHAINS.slice(before))
      for (const metric of ["gasBalance", "gasLow"] as const) counts?.set(metric, 0, i);
    if (settings === undefined) return;
    const { chains } = settings;
    const accounts = embeddeds().accountsOf(settings);
    const stop = gasWatches().watchGas(
      () => gasWatches().readGas(chains, accounts),
      log,
      (all) => {
        for (const [i, { network }] of chains.entries()) {
          const read = all.flatMap((gas) => (gas.network === network && "wei" in gas ? [gas] : []));
          // A chain that cannot be asked keeps its numbers.
          if (read.length < accounts.length) continue;
          counts?.set("gasBalance", Math.min(...read.map(({ balance }) => Number(balance))), i);
          counts?.set("gasLow", read.filter(({ isLow }) => isLow).length, i);
        }
      },
    );
    this.#gas = { settings, stop };
  }

  async #warnOfPrices(config: Config): Promise<void> {
    for (const warning of await priceWarnings(config, embeddedOf(config))) {
      this.#options.log(`warning: ${diagnosticText(warning)}`);
    }
  }

  async rollback(): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    prepared?.lease.close();
    if (prepared !== undefined) await this.#own?.use(prepared.before);
  }

  /** Lets settlements under way end within `graceMs` milliseconds. */
  async close(graceMs: number): Promise<void> {
    this.#prepared?.lease.close();
    this.#prepared = undefined;
    this.#gas?.stop();
    await this.#own?.close(graceMs);
  }
}

/** Checks the facilitators of a configuration that is not served, and returns what is wrong. */
export async function checkFacilitators(config: Config): Promise<FacilitatorDiagnostic[]> {
  const own = new OwnFacilitator();
  const facilitators = new ProcessFacilitators({
    embedded: { own },
    simulatedTransfers: () => {
      throw new Error("Cannot record a simulated transfer: the gateway serves nothing");
    },
    observer: { asked() {}, breakerChanged() {} },
    log() {},
  });
  const lease = facilitators.all.lease(config.x402);
  try {
    const settings = embeddedOf(config);
    if (settings !== undefined) await own.use(settings);
    const costly = (await priceWarnings(config, settings)).map((warning) => ({ ...warning, what: "costly" as const }));
    return [...(await facilitatorDiagnostics(config, lease)), ...costly];
  } finally {
    lease.close();
    await facilitators.close(0);
  }
}

function embeddedOf({ x402 }: Config): OwnOptions | undefined {
  return x402.enabled && !x402.test_mode ? readEmbedded(x402, process.env) : undefined;
}
