import { chargeOffer } from "../../../payments/mpp/evm-charge.ts";
import { type PaymentRequired } from "../../../payments/x402/messages.ts";
import { normalisePath } from "../../../lib/http/url-path.ts";
import { type RequestHead } from "../../exchange/exchange.ts";
import { type PaymentPolicy } from "./payment.ts";

/** Bytes of the list. Entries that do not fit are left out, and counted in `total`. */
const MAX_CATALOGUE_BYTES = 1024 * 1024;

/** Paths in one query. Further paths are ignored. */
const MAX_PATHS = 32;

/** The mode of the gateway, and the functions that find the paid route of a path. */
export interface CatalogueOptions {
  readonly testMode: boolean;
  /** The payment policy of the route for a request; `free` if the route has no price, and undefined without a route. */
  readonly sold: (authority: string, path: string) => PaymentPolicy | "free" | undefined;
  /** The methods of a policy's route; empty: all. */
  readonly methodsOf: (policy: PaymentPolicy) => readonly string[];
}

/** The paid resources as JSON, for `/.well-known/x402`. Written when they change, not for each request. */
export class Catalogue {
  readonly #policies: readonly PaymentPolicy[];
  readonly #options: CatalogueOptions;
  /** `challenges`: those of the first policies, which the list was written from. */
  #written: { readonly challenges: readonly unknown[]; readonly bytes: Uint8Array } | undefined;

  /** `policies`: those of the paid routes, in the order of the configuration. */
  constructor(policies: readonly PaymentPolicy[], options: CatalogueOptions) {
    this.#policies = policies;
    this.#options = options;
  }

  /** The prices of requests for the paths in the query, on their own host. Without paths: all prices. */
  bytesFor({ authority, query }: Pick<RequestHead, "authority" | "query">): Uint8Array {
    const paths = new URLSearchParams(query).getAll("path");
    if (paths.length === 0) return this.bytes();
    const free: string[] = [];
    const resources = paths.slice(0, MAX_PATHS).flatMap((path) => {
      const normal = normalisePath(path);
      const policy = normal === undefined ? undefined : this.#options.sold(authority, normal);
      if (policy === "free") free.push(path);
      const challenge = typeof policy === "object" ? policy.challenge() : undefined;
      if (typeof policy !== "object" || challenge === undefined) return [];
      return [{ path, ...this.#resourceOf(challenge.required, policy) }];
    });
    return this.#encode(resources, resources.length, { free });
  }

  bytes(): Uint8Array {
    // When the facilitator accepts other payments, the challenge is replaced.
    const isOld = this.#written?.challenges.some((challenge, i) => this.#policies[i]?.challenge() !== challenge);
    if (this.#written === undefined || isOld === true) this.#written = this.#write();
    return this.#written.bytes;
  }

  #write() {
    const challenges: unknown[] = [];
    const resources: object[] = [];
    let size = 0;
    for (const policy of this.#policies) {
      const challenge = policy.challenge();
      challenges.push(challenge);
      if (challenge === undefined) continue;
      const resource = this.#resourceOf(challenge.required, policy);
      size += Buffer.byteLength(JSON.stringify(resource)) + 1;
      // The other routes are only counted: to make thousands of challenges would delay requests.
      if (size > MAX_CATALOGUE_BYTES) {
        const others = this.#policies.length - challenges.length;
        return { challenges, bytes: this.#encode(resources, resources.length + 1 + others) };
      }
      resources.push(resource);
    }
    return { challenges, bytes: this.#encode(resources, resources.length) };
  }

  #resourceOf({ resource, accepts, extensions }: PaymentRequired, policy: PaymentPolicy): object {
    const method = methodOf(extensions?.["bazaar"]);
    const methods = method === undefined ? this.#options.methodsOf(policy) : [method];
    const { rules, freePerDay } = policy.listing();
    const charges = policy.challenge()?.charges ?? [];
    return {
      ...resource,
      type: "http",
      ...(methods.length === 0 ? {} : { methods }),
      accepts,
      ...(rules.length === 0 ? {} : { rules }),
      ...(freePerDay === undefined ? {} : { freePerDay }),
      ...(charges.length === 0 ? {} : { offers: charges.map((charge) => chargeOffer(charge, rules.length === 0)) }),
      ...(extensions === undefined ? {} : { extensions }),
    };
  }

  #encode(resources: readonly object[], total: number, more: object = {}): Uint8Array {
    const mode = this.#options.testMode ? { testMode: true } : {};
    return Buffer.from(JSON.stringify({ x402Version: 2, ...mode, total, resources, ...more }));
  }
}

/** The method that the `bazaar` extension names. Without one, the route is sold for every method. */
function methodOf(bazaar: unknown): string | undefined {
  let value = bazaar;
  for (const key of ["info", "input", "method"]) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  }
  return typeof value === "string" ? value : undefined;
}
