import { type SimulatedTransfers } from "../../store/simulated-transfers.ts";
import type * as SimulatedFacilitators from "./simulated-facilitator.ts";
import { type ChainSettings, readChains } from "./chain-settings.ts";
import type * as ChainReaders from "../evm/chain-reader.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { isFacilitatorUrl } from "./facilitator-call.ts";
import type * as HttpFacilitators from "./http-facilitator.ts";
import { type Environment, readSecretHeaders, type SecretHeader } from "./secrets.ts";

/** Loaded on first use, like `simulatedFacilitators`. */
const chainReaders = (): typeof ChainReaders => require("../evm/chain-reader.ts");

/** Loaded on first use, like `simulatedFacilitators`. */
const httpFacilitators = (): typeof HttpFacilitators => require("./http-facilitator.ts");

/** Each of these modules is loaded on first use, because most gateways sell nothing (bench start). */
const simulatedFacilitators = (): typeof SimulatedFacilitators => require("./simulated-facilitator.ts");

/** The part of `x402` that chooses the facilitator. */
export interface FacilitatorSettings {
  /** Empty if no common facilitator is set. */
  readonly facilitator_url: string;
  readonly facilitator_timeout_ms: number;
  readonly facilitator_headers: readonly SecretHeader[];
  readonly test_mode: boolean;
  readonly embedded: { readonly enabled: boolean };
  readonly chains: readonly ChainSettings[];
}

/** The services from which a facilitator is created. */
export interface FacilitatorDeps {
  /** The recorded transfers of test mode, opened on first use. */
  readonly simulatedTransfers: () => SimulatedTransfers;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly environment: Environment;
  /** The facilitator with the gateway's own key, in this process or behind a socket. */
  readonly embedded: (chains: readonly ChainSettings[]) => Facilitator;
  readonly onBreaker?: ((isOpen: boolean) => void) | undefined;
}

/** The kind of facilitator that a route uses. */
export type Choice =
  | { readonly kind: "simulated" }
  | { readonly kind: "embedded" }
  | { readonly kind: "http"; readonly url: string; readonly headers: readonly SecretHeader[] };

/**
 * Chooses a route's facilitator. The order is: test mode, the route's own facilitator (`routeUrl`, empty if not set),
 * the embedded one, the common one. Throws if none is set, or if the URL is invalid; then the route cannot sell.
 */
export function chooseFacilitator(settings: FacilitatorSettings, routeUrl: string): Choice {
  const { facilitator_url: globalUrl, facilitator_headers: headers, embedded, test_mode: testMode } = settings;
  if (testMode) return { kind: "simulated" };
  if (routeUrl === "" && embedded.enabled) return { kind: "embedded" };
  const url = routeUrl || globalUrl;
  if (url === "") {
    throw new Error(
      "Cannot accept payments: x402.facilitator_url is not set, x402.embedded is off, and so is x402.test_mode",
    );
  }
  // The error does not contain the URL, because it may contain a key.
  if (!isFacilitatorUrl(url))
    throw new Error("Cannot accept payments: x402.facilitator_url is not an http or https URL");
  return { kind: "http", url, headers: globalUrl === "" || sameOrigin(url, globalUrl) ? headers : [] };
}

/** The common facilitator's secret headers are not sent to another origin. */
function sameOrigin(a: string, b: string): boolean {
  return a === b || (URL.parse(a)?.origin === URL.parse(b)?.origin && URL.parse(a)?.origin !== "null");
}

/** Creates every facilitator. Throws if a secret is missing. */
export function createFacilitator(choice: Choice, settings: FacilitatorSettings, deps: FacilitatorDeps): Facilitator {
  if (choice.kind === "simulated")
    return simulatedFacilitators().createSimulatedFacilitator(deps.simulatedTransfers(), deps.now);
  if (choice.kind === "embedded") return deps.embedded(settings.chains);
  const facilitator = new (httpFacilitators().HttpFacilitator)({
    url: choice.url,
    headers: readSecretHeaders(deps.environment, choice.headers),
    timeoutMs: settings.facilitator_timeout_ms,
    ...(deps.onBreaker === undefined ? {} : { onBreaker: deps.onBreaker }),
  });
  if (settings.chains.length === 0) return facilitator;
  return withChains(
    facilitator,
    chainReaders().createChainReader(readChains(settings.chains, deps.environment), deps.now),
  );
}

/** The chain decides the outcome of a payment. The facilitator is asked only if no chain can be asked. */
function withChains(facilitator: Facilitator, reader: ChainReaders.ChainReader): Facilitator {
  return {
    supported: () => facilitator.supported(),
    verify: (payment, requirements) => facilitator.verify(payment, requirements),
    settle: (payment, requirements) => facilitator.settle(payment, requirements),
    async find(payment, requirements) {
      const outcome = await reader.find(payment, requirements);
      return outcome.kind === "unknown" ? facilitator.find(payment, requirements) : outcome;
    },
    close: () => facilitator.close(),
  };
}
