import { type Bookings } from "../../store/bookings.ts";
import type * as BookingFacilitators from "./booking-facilitator.ts";
import { type ChainSettings, readChains } from "./chain-settings.ts";
import type * as ChainReaders from "../evm/chain-reader.ts";
import { type Facilitator } from "./facilitator.ts";
import { isFacilitatorUrl } from "./facilitator-call.ts";
import type * as HttpFacilitators from "./http-facilitator.ts";
import { type Environment, readSecretHeaders, type SecretHeader } from "./secrets.ts";

/** As `bookingFacilitators`. */
const chainReaders = (): typeof ChainReaders => require("../evm/chain-reader.ts");

/** As `bookingFacilitators`. */
const httpFacilitators = (): typeof HttpFacilitators => require("./http-facilitator.ts");

/** Each of these is loaded when the first of its kind is wanted: most gateways sell nothing (bench start). */
const bookingFacilitators = (): typeof BookingFacilitators => require("./booking-facilitator.ts");

/** `x402`, as far as it says who verifies and settles. */
export interface FacilitatorSettings {
  /** Empty: none. */
  readonly facilitator_url: string;
  readonly facilitator_timeout_ms: number;
  readonly facilitator_headers: readonly SecretHeader[];
  readonly test_mode: boolean;
  readonly embedded: { readonly enabled: boolean };
  readonly chains: readonly ChainSettings[];
}

export interface FacilitatorDeps {
  /** Test mode's chain, opened on first need. */
  readonly bookings: () => Bookings;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly environment: Environment;
  /** The one with a key of our own, in this process or behind a socket. */
  readonly embedded: (chains: readonly ChainSettings[]) => Facilitator;
  readonly onBreaker?: ((isOpen: boolean) => void) | undefined;
}

/** Which facilitator a route has. */
export type Choice =
  | { readonly kind: "booking" }
  | { readonly kind: "embedded" }
  | { readonly kind: "http"; readonly url: string; readonly headers: readonly SecretHeader[] };

/**
 * Whom a configuration names: test mode's before any other, then the route's own (`routeUrl`, empty where it has none), then
 * the embedded one. Throws where it names none, or a URL that nobody can call: then nothing can be sold.
 */
export function chooseFacilitator(settings: FacilitatorSettings, routeUrl: string): Choice {
  const { facilitator_url: globalUrl, facilitator_headers: headers, embedded, test_mode: testMode } = settings;
  if (testMode) return { kind: "booking" };
  if (routeUrl === "" && embedded.enabled) return { kind: "embedded" };
  const url = routeUrl || globalUrl;
  if (url === "") {
    throw new Error(
      "Cannot take payments: x402.facilitator_url is not set, x402.embedded is off, and so is x402.test_mode",
    );
  }
  // The value is not repeated: it may hold a key.
  if (!isFacilitatorUrl(url)) throw new Error("Cannot take payments: x402.facilitator_url is not an http or https URL");
  return { kind: "http", url, headers: globalUrl === "" || sameOrigin(url, globalUrl) ? headers : [] };
}

/** A route's facilitator elsewhere is not shown what only the common one should see. */
function sameOrigin(a: string, b: string): boolean {
  return a === b || (URL.parse(a)?.origin === URL.parse(b)?.origin && URL.parse(a)?.origin !== "null");
}

/** The one place where facilitators are made. Throws where a secret is missing. */
export function createFacilitator(choice: Choice, settings: FacilitatorSettings, deps: FacilitatorDeps): Facilitator {
  if (choice.kind === "booking") return bookingFacilitators().createBookingFacilitator(deps.bookings(), deps.now);
  if (choice.kind === "embedded") return deps.embedded(settings.chains);
  const facilitator = httpFacilitators().createHttpFacilitator({
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

/** What has become of a payment is the chain's to say, and the facilitator's only where that one cannot be asked. */
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
