import { type PaymentRequired } from "../../../../payments/x402/messages.ts";
import { normalisePath } from "../../../../lib/url-path.ts";
import { type RequestHead } from "../../../exchange.ts";
import { type PaymentPolicy } from "../payment.ts";

/** Bytes of the list; what does not fit is left out, and counted in `total`. */
const MAX_CATALOGUE_BYTES = 1024 * 1024;

/** Paths that one request may ask for; those beyond are left out. */
const MAX_PATHS = 32;

export interface CatalogueOptions {
  readonly testMode: boolean;
  /** The policy of the route that takes a request; undefined where that is free, or there is none. */
  readonly sold: (authority: string, path: string) => PaymentPolicy | undefined;
  /** The methods that a policy's route takes; empty: all. */
  readonly methodsOf: (policy: PaymentPolicy) => readonly string[];
}

/** What a gateway sells, as JSON for `/.well-known/x402`: written when something of it changes, and not for a request. */
export class Catalogue {
  readonly #policies: readonly PaymentPolicy[];
  readonly #options: CatalogueOptions;
  #written: { readonly challenges: readonly unknown[]; readonly bytes: Uint8Array };

  /** `policies` are those of the priced routes, in the configuration's order. */
  constructor(policies: readonly PaymentPolicy[], options: CatalogueOptions) {
    this.#policies = policies;
    this.#options = options;
    this.#written = this.#write();
  }

  /** What requests for the paths that the query names would cost on their own host; everything where it names none. */
  bytesFor({ authority, query }: Pick<RequestHead, "authority" | "query">): Uint8Array {
    const paths = new URLSearchParams(query).getAll("path");
    if (paths.length === 0) return this.bytes();
    const resources = paths.slice(0, MAX_PATHS).flatMap((path) => {
      const normal = normalisePath(path);
      const policy = normal === undefined ? undefined : this.#options.sold(authority, normal);
      const challenge = policy?.challenge();
      if (policy === undefined || challenge === undefined) return [];
      return [{ path, ...resourceOf(challenge.required, this.#options.methodsOf(policy)) }];
    });
    return this.#encode(resources, resources.length);
  }

  bytes(): Uint8Array {
    const { challenges } = this.#written;
    // A challenge is made anew when its facilitator takes something else.
    if (this.#policies.some((policy, i) => policy.challenge() !== challenges[i])) this.#written = this.#write();
    return this.#written.bytes;
  }

  #write() {
    const challenges = this.#policies.map((policy) => policy.challenge());
    const all = this.#policies.flatMap((policy, i) => {
      const required = challenges[i]?.required;
      return required === undefined ? [] : [{ policy, required }];
    });
    const resources: object[] = [];
    let size = 0;
    for (const { policy, required } of all) {
      const resource = resourceOf(required, this.#options.methodsOf(policy));
      size += Buffer.byteLength(JSON.stringify(resource)) + 1;
      if (size > MAX_CATALOGUE_BYTES) break;
      resources.push(resource);
    }
    return { challenges, bytes: this.#encode(resources, all.length) };
  }

  #encode(resources: readonly object[], total: number): Uint8Array {
    const mode = this.#options.testMode ? { testMode: true } : {};
    return Buffer.from(JSON.stringify({ x402Version: 2, ...mode, total, resources }));
  }
}

function resourceOf({ resource, accepts, extensions }: PaymentRequired, matched: readonly string[]): object {
  const method = methodOf(extensions?.["bazaar"]);
  const methods = method === undefined ? matched : [method];
  return {
    ...resource,
    type: "http",
    ...(methods.length === 0 ? {} : { methods }),
    accepts,
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** The method that the `bazaar` extension names; without one a route is sold by every method. */
function methodOf(bazaar: unknown): string | undefined {
  let value = bazaar;
  for (const key of ["info", "input", "method"]) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  }
  return typeof value === "string" ? value : undefined;
}
