import { type PaymentRequired } from "../../../../payments/x402/messages.ts";
import { type PaymentPolicy } from "../payment.ts";

/** Bytes of the list; what does not fit is left out, and counted in `total`. */
const MAX_CATALOGUE_BYTES = 1024 * 1024;

/** What a gateway sells, as JSON for `/.well-known/x402`: written when something of it changes, and not for a request. */
export class Catalogue {
  readonly #policies: readonly PaymentPolicy[];
  #written: { readonly challenges: readonly unknown[]; readonly bytes: Uint8Array };

  /** `policies` are those of the priced routes, in the configuration's order. */
  constructor(policies: readonly PaymentPolicy[]) {
    this.#policies = policies;
    this.#written = this.#write();
  }

  bytes(): Uint8Array {
    const { challenges } = this.#written;
    // A challenge is made anew when its facilitator takes something else.
    if (this.#policies.some((policy, i) => policy.challenge() !== challenges[i])) this.#written = this.#write();
    return this.#written.bytes;
  }

  #write() {
    const challenges = this.#policies.map((policy) => policy.challenge());
    const all = challenges.flatMap((challenge) => (challenge === undefined ? [] : [challenge.required]));
    const resources: object[] = [];
    let size = 0;
    for (const required of all) {
      const resource = resourceOf(required);
      size += Buffer.byteLength(JSON.stringify(resource)) + 1;
      if (size > MAX_CATALOGUE_BYTES) break;
      resources.push(resource);
    }
    const text = JSON.stringify({ x402Version: 2, total: all.length, resources });
    return { challenges, bytes: Buffer.from(text) };
  }
}

function resourceOf({ resource, accepts, extensions }: PaymentRequired): object {
  const method = methodOf(extensions?.["bazaar"]);
  return {
    ...resource,
    type: "http",
    ...(method === undefined ? {} : { methods: [method] }),
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
