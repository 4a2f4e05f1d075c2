import { type SimulatedTransfers } from "../../store/simulated-transfers.ts";
import type * as SimulatedFacilitators from "./simulated-facilitator.ts";
import { type ChainSettings } from "./chain-settings.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { FACILITATOR_PLACES, type FacilitatorPlace } from "./facilitator-observer.ts";
import { isFacilitatorUrl } from "./facilitator-call.ts";
import type * as HttpFacilitators from "./http-facilitator.ts";
import { type Environment, readSecretHeaders, type SecretHeader } from "./secrets.ts";

/** Loaded on first use, like `simulatedFacilitators`. */
const httpFacilitators = (): typeof HttpFacilitators => require("./http-facilitator.ts");

/** Each of these modules is loaded on first use, because most gateways sell nothing (bench start). */
const simulatedFacilitators = (): typeof SimulatedFacilitators => require("./simulated-facilitator.ts");

/** An entry of `x402.facilitators`. */
export interface ListedFacilitator {
  readonly name: string;
  readonly url: string;
  readonly headers: readonly SecretHeader[];
}

/** The part of `x402` that chooses the facilitators. */
export interface FacilitatorSettings {
  /** Empty if no common facilitator is set. */
  readonly facilitator_url: string;
  readonly facilitators: readonly ListedFacilitator[];
  readonly facilitator_timeout_ms: number;
  readonly facilitator_headers: readonly SecretHeader[];
  readonly test_mode: boolean;
  readonly embedded: { readonly enabled: boolean };
  readonly chains: readonly ChainSettings[];
}

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

export type Choice = { readonly name: string; readonly place: FacilitatorPlace } & (
  | { readonly kind: "simulated" }
  | { readonly kind: "embedded" }
  | {
      readonly kind: "http";
      readonly url: string;
      readonly headers: readonly SecretHeader[];
      /** The configuration key of the headers. */
      readonly path: string;
    }
);

/**
 * Chooses a route's facilitators, the preferred one first. The order is: test mode, the route's own facilitator
 * (`routeUrl`, empty if not set), `facilitators`, the embedded one, the common one. Throws if none is set, or if a URL is
 * invalid; then the route cannot sell.
 */
export function chooseFacilitators(settings: FacilitatorSettings, routeUrl: string): readonly Choice[] {
  const { facilitator_url: globalUrl, facilitators, facilitator_headers: headers, embedded } = settings;
  if (settings.test_mode) return [{ kind: "simulated", name: "test", place: "other" }];
  if (routeUrl === "" && facilitators.length > 0) return facilitators.map(choiceOf);
  if (routeUrl === "" && embedded.enabled) return [{ kind: "embedded", name: EMBEDDED, place: "other" }];
  const url = routeUrl || globalUrl;
  if (url === "") {
    throw new Error(
      "Cannot accept payments: x402.facilitator_url is not set, x402.embedded is off, and so is x402.test_mode",
    );
  }
  const listed = facilitators.find((entry) => entry.url === url);
  if (listed !== undefined) return [choiceOf(listed, facilitators.indexOf(listed))];
  // The error does not contain the URL, because it may contain a key.
  if (!isFacilitatorUrl(url))
    throw new Error("Cannot accept payments: x402.facilitator_url is not an http or https URL");
  const own = globalUrl === "" || sameOrigin(url, globalUrl) ? headers : [];
  const path = "x402.facilitator_headers";
  return [{ kind: "http", name: nameOfUrl(url), place: "other", url, headers: own, path }];
}

const EMBEDDED = "embedded";

function choiceOf({ name, url, headers }: ListedFacilitator, i: number): Choice {
  const path = `x402.facilitators[${i}].headers`;
  const place = FACILITATOR_PLACES[i] ?? "other";
  return name === EMBEDDED ? { kind: "embedded", name, place } : { kind: "http", name, place, url, headers, path };
}

/** The name of a facilitator without one. A part of the URL may be a secret. */
export function nameOfUrl(url: string): string {
  return `url-${new Bun.CryptoHasher("sha256").update(url).digest("hex").slice(0, 12)}`;
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
  return new (httpFacilitators().HttpFacilitator)({
    url: choice.url,
    headers: readSecretHeaders(deps.environment, choice.headers, choice.path),
    timeoutMs: settings.facilitator_timeout_ms,
    ...(deps.onBreaker === undefined ? {} : { onBreaker: deps.onBreaker }),
  });
}
