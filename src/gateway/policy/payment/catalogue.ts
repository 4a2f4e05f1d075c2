import { CATALOGUE_PATH, LLMS_PATH, MANIFEST_PATH } from "../../config/own-paths.ts";
import { chargeOffer } from "../../../payments/mpp/evm-charge.ts";
import { type PaymentRequired } from "../../../payments/x402/messages.ts";
import { normalisePath } from "../../../lib/http/url-path.ts";
import { type RequestHead } from "../../exchange/exchange.ts";
import { type Listed, llmsText, manifestOf, methodOf } from "./discovery.ts";
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
  readonly discovery: {
    readonly manifest: boolean;
    readonly llms_txt: "auto" | "always" | "never";
  };
  /** Unix milliseconds. */
  readonly clock: () => number;
}

/** A document about what is sold, which is written when it is sent. */
export interface Document {
  readonly type: string;
  readonly bytes: () => Uint8Array;
}

const JSON_TYPE = "application/json";

/** The list of paid resources, and the documents that are made of it. */
interface Written {
  /** The challenges of the first policies, from which the list was written. */
  readonly challenges: readonly unknown[];
  readonly resources: readonly Listed[];
  readonly bytes: Uint8Array;
  manifest?: Uint8Array;
  llms?: Uint8Array;
}

/** The paid resources as JSON, for `/.well-known/x402`. Written when they change, not for each request. */
export class Catalogue {
  readonly #policies: readonly PaymentPolicy[];
  readonly #options: CatalogueOptions;
  #written: Written | undefined;

  /** `policies`: those of the paid routes, in the order of the configuration. */
  constructor(policies: readonly PaymentPolicy[], options: CatalogueOptions) {
    this.#policies = policies;
    this.#options = options;
  }

  /** The document that a request asks for; undefined for other paths, and for paths of routes. */
  documentAt(head: Pick<RequestHead, "path" | "authority" | "query">): Document | undefined {
    const { discovery, sold, clock } = this.#options;
    const { path, authority } = head;
    if (path === CATALOGUE_PATH) return { type: JSON_TYPE, bytes: () => this.bytesFor(head) };
    if (path === MANIFEST_PATH && discovery.manifest) {
      const bytes = (written: Written) => (written.manifest ??= manifestOf(written.resources, clock()));
      return { type: JSON_TYPE, bytes: () => bytes(this.#current()) };
    }
    const isOwn =
      discovery.llms_txt === "always" || (discovery.llms_txt === "auto" && sold(authority, path) !== "free");
    if (path !== LLMS_PATH || !isOwn) return undefined;
    const bytes = (written: Written) => (written.llms ??= llmsText(written.resources, this.#options));
    return { type: "text/markdown; charset=utf-8", bytes: () => bytes(this.#current()) };
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
    return this.#current().bytes;
  }

  #current(): Written {
    // When the facilitator accepts other payments, the challenge is replaced.
    const isOld = this.#written?.challenges.some((challenge, i) => this.#policies[i]?.challenge() !== challenge);
    if (this.#written === undefined || isOld === true) this.#written = this.#write();
    return this.#written;
  }

  #write(): Written {
    const challenges: unknown[] = [];
    const resources: Listed[] = [];
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
        return { challenges, resources, bytes: this.#encode(resources, resources.length + 1 + others) };
      }
      resources.push(resource);
    }
    return { challenges, resources, bytes: this.#encode(resources, resources.length) };
  }

  #resourceOf({ resource, accepts, extensions }: PaymentRequired, policy: PaymentPolicy): Listed {
    const method = methodOf(extensions);
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
