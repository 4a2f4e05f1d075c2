import { secp256k1 } from "@noble/curves/secp256k1.js";
import { messageOf } from "../../lib/caught.ts";
import { isObject } from "../../lib/is-object.ts";
import { timeoutSignal } from "../../lib/time/timeout-signal.ts";
import { payAndFetch, PaymentDeclined } from "../../payments/client/client.ts";
import { SignedTotal } from "../../payments/client/total.ts";
import {
  type ListedResource,
  type SoldResources,
  type Verification,
} from "../../payments/facilitator/sold-resources.ts";
import { type Account, addressOfPrivateKey } from "../../payments/signatures/signature.ts";

/** Time between two tries, of any resources, in milliseconds. @bound */
const PROBE_MS = 2000;
/** Time after which a resource is tried again, in milliseconds. @bound */
const REST_MS = 3_600_000;
/** Time of one try, in milliseconds. @bound */
const TRY_MS = 30_000;
/** The price up to which a resource is bought, and the sum of a day, in simulated dollars. */
const MAX_PRICE = "$1";
const MAX_PER_DAY = "$50";
const DAY_MS = 86_400_000;
/** Longest text of a result, in characters. */
const MAX_RESULT = 200;

/** The origins whose resources are tried, and the clock in Unix milliseconds. */
export interface ProbeOptions {
  readonly resources: SoldResources;
  readonly origins: ReadonlySet<string>;
  readonly now: () => number;
}

/**
 * Buys what a facilitator in test mode lists, one resource at a time, with a new wallet that has no money. It calls only
 * origins that the operator has named, follows no redirects, and reads no response.
 */
export class ResourceProbe {
  readonly #options: ProbeOptions;
  readonly #account: Account;
  #total: { readonly day: number; readonly signed: SignedTotal } | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isBusy = false;

  constructor(options: ProbeOptions) {
    this.#options = options;
    const { secretKey: privateKey } = secp256k1.keygen();
    this.#account = { address: addressOfPrivateKey(privateKey), privateKey };
  }

  start(): void {
    this.#timer = setInterval(() => void this.next(), PROBE_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Tries the resource that is due, if there is one and no other try is under way. Does not reject. */
  async next(): Promise<void> {
    const { resources } = this.#options;
    const due = resources.due(REST_MS, (url) => this.#isAllowed(url));
    if (due === undefined || this.#isBusy) return;
    this.#isBusy = true;
    try {
      resources.verified(due, await this.#buy(due));
    } finally {
      this.#isBusy = false;
    }
  }

  #isAllowed(url: string): boolean {
    return this.#options.origins.has(URL.parse(url)?.origin ?? "");
  }

  async #buy({ url, input }: ListedResource): Promise<Omit<Verification, "at">> {
    try {
      const { response, receipt } = await payAndFetch(urlWith(url, input), requestOf(input), {
        account: () => this.#account,
        maxPrice: MAX_PRICE,
        spend: (dollars) => this.#signed().add(dollars),
        now: this.#options.now,
        fetch: (target, init) => fetch(target, { ...init, redirect: "manual", signal: timeoutSignal(TRY_MS) }),
      });
      await response.body?.cancel();
      const isPaid = receipt?.success === true;
      const result = `responded with ${response.status}${isPaid ? ", and was paid" : ", and was not paid"}`;
      return { verified: response.ok && isPaid, result };
    } catch (error) {
      const text = error instanceof PaymentDeclined ? messageOf(error) : "did not respond";
      return { verified: false, result: text.slice(0, MAX_RESULT) };
    }
  }

  /** The sum of this day. */
  #signed(): SignedTotal {
    const day = Math.floor(this.#options.now() / DAY_MS);
    if (this.#total?.day !== day) this.#total = { day, signed: new SignedTotal(MAX_PER_DAY, this.#options.now) };
    return this.#total.signed;
  }
}

/** The URL with the query of the example. */
function urlWith(url: string, { queryParams }: ListedResource["input"]): string {
  const whole = new URL(url);
  for (const [name, value] of Object.entries(isObject(queryParams) ? queryParams : {}))
    whole.searchParams.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return whole.href;
}

/** The method and the body of the example. */
function requestOf({ method, body }: ListedResource["input"]): RequestInit {
  if (method !== "POST" && method !== "PUT" && method !== "PATCH") return { method: "GET" };
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) };
}
