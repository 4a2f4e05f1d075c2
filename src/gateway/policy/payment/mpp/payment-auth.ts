import { createHash, randomBytes } from "node:crypto";
import { fieldLine, type Fields } from "../../../../lib/http/fields.ts";
import { isLoopback } from "../../../../payments/facilitator/loopback-only.ts";
import { acceptsPayment } from "../../../../payments/mpp/accept-payment.ts";
import { decodeJson, encodeJson } from "../../../../payments/mpp/canonical-json.ts";
import { ACCEPT_PAYMENT, type PaymentChallenge, writeChallenge } from "../../../../payments/mpp/challenge.ts";
import { challengeId, isIssued } from "../../../../payments/mpp/challenge-id.ts";
import { type Credential } from "../../../../payments/mpp/credential.ts";
import { CHARGE, EVM } from "../../../../payments/mpp/evm-charge.ts";
import { type Exchange, type RequestHead } from "../../../exchange/exchange.ts";
import { headValue } from "../../../exchange/head-fields.ts";
import { GatheredBody } from "../../gathered-body.ts";
import { type ChallengeSecrets } from "./challenge-secrets.ts";

/** A way to pay that is offered in a challenge. */
export interface OfferedCharge {
  /** The `request` of the challenge. */
  readonly request: string;
  /** The time for which the challenge is valid. */
  readonly maxTimeoutSeconds: number;
}

/** The reason why a credential's challenge is not accepted. */
export type MppError =
  | "challenge_unknown"
  | "challenge_other_route"
  | "challenge_other_realm"
  | "challenge_other_body"
  | "challenge_expired"
  | "challenge_signature_mismatch";

interface PaymentAuthDeps {
  readonly secrets: ChallengeSecrets;
  /** Name of the route in the ledger. */
  readonly route: string;
  /** `x402.public_url`; empty: not set. */
  readonly publicUrl: string;
  /** The URL of the first listener. */
  readonly baseUrl: string;
  /** The route has its own host, which can differ from the one in `publicUrl`. */
  readonly hasHost: boolean;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly random?: (bytes: number) => Buffer;
}

type Asked = Pick<Exchange, "head" | "peerAddress" | "body">;

/** Bytes that make each challenge of a route different, so that two payments of one payer are never the same. */
const NONCE_BYTES = 12;

/** Digests of bodies, taken before the upstream reads them. */
const digests = new WeakMap<Asked, string | undefined>();

/** Issues and recognises the challenges of one route, by the `Payment` scheme. It keeps nothing of a challenge. */
export class PaymentAuth {
  readonly #deps: PaymentAuthDeps;
  readonly #route: string;
  readonly #isPublicPrivate: boolean;

  constructor(deps: PaymentAuthDeps) {
    this.#deps = deps;
    this.#route = createHash("sha256").update(deps.route).digest("base64url").slice(0, 16);
    this.#isPublicPrivate = deps.publicUrl.startsWith("https:");
  }

  /** Undefined if challenges can be issued and recognised at once. */
  load(): Promise<void> | undefined {
    return this.#deps.secrets.load();
  }

  /** The store did not give the secrets. */
  get isUnable(): boolean {
    return this.#deps.secrets.all.length === 0;
  }

  /** True if the network cannot read the request: TLS ends here or before the gateway, or the client is on this machine. */
  isPrivate({ head, peerAddress }: Pick<Asked, "head" | "peerAddress">): boolean {
    return head.scheme === "https" || this.#isPublicPrivate || isLoopback(peerAddress);
  }

  /** The challenges for a request, as field lines. */
  challengesFor(exchange: Asked, charges: readonly OfferedCharge[]): Fields {
    const [secret] = this.#deps.secrets.all;
    if (secret === undefined || charges.length === 0 || !this.isPrivate(exchange)) return "";
    if (!acceptsPayment(headValue(exchange.head, ACCEPT_PAYMENT.toLowerCase()), EVM, CHARGE)) return "";
    const { clock, random = randomBytes } = this.#deps;
    const opaque = encodeJson({ nonce: random(NONCE_BYTES).toString("base64url"), route: this.#route });
    const [realm, digest] = [this.#realmOf(exchange.head), digestOf(exchange)];
    let lines = "";
    for (const { request, maxTimeoutSeconds } of charges) {
      const expires = new Date(clock() + maxTimeoutSeconds * 1000).toISOString();
      const terms = { realm, method: EVM, intent: CHARGE, request, expires, digest, opaque };
      lines += fieldLine("WWW-Authenticate", writeChallenge({ ...terms, id: challengeId(terms, secret) }));
    }
    return lines;
  }

  /** Why a credential's challenge is not one for this request; undefined if it is. */
  errorOf(exchange: Asked, { challenge }: Pick<Credential, "challenge">): MppError | undefined {
    if (!isIssued(challenge, this.#deps.secrets.all)) return "challenge_unknown";
    if (challenge.realm !== this.#realmOf(exchange.head)) return "challenge_other_realm";
    if (routeIn(challenge) !== this.#route) return "challenge_other_route";
    if (challenge.digest !== digestOf(exchange)) return "challenge_other_body";
    return Date.parse(challenge.expires ?? "") > this.#deps.clock() ? undefined : "challenge_expired";
  }

  /** The host of the configured URL, or else of the request. */
  #realmOf({ authority }: Pick<RequestHead, "authority">): string {
    const { publicUrl, baseUrl, hasHost } = this.#deps;
    if (publicUrl !== "" && !hasHost) return new URL(publicUrl).host;
    return authority || new URL(baseUrl).host;
  }
}

function routeIn({ opaque = "" }: PaymentChallenge): unknown {
  const data = decodeJson(opaque);
  return typeof data === "object" && data !== null ? Reflect.get(data, "route") : undefined;
}

/** The digest of a body (RFC 9530) that was read whole before the payment, so that the price can depend on it. */
function digestOf(exchange: Asked): string | undefined {
  const { body } = exchange;
  if (!digests.has(exchange)) {
    const isRead = body instanceof GatheredBody && body.bytes.length > 0;
    digests.set(exchange, isRead ? `sha-256=:${createHash("sha256").update(body.bytes).digest("base64")}:` : undefined);
  }
  return digests.get(exchange);
}
