/**
 * Clients that pay at any gateway of a fleet, repeat requests until they have what they paid for, and repeat requests
 * at other gateways.
 */
import { REQUIREMENTS, signedPayment } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { paymentKey } from "../../src/payments/x402/payment-key.ts";
import { LEASE_MS } from "../../src/store/ledger.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { type Fleet, type GatewayMachine, VALID_S } from "./fleet.ts";

export const KINDS = ["goods", "long", "upfront", "qr"] as const;
export type Kind = (typeof KINDS)[number];

/** Concurrent payments. */
const BUYERS = 10;
/** Milliseconds between two purchases of a buyer, so that the load leaves CPU time to machines that start. */
const PAUSE_MS = 30;
const RETRY_MS = 300;
/**
 * Purchases at a time that are repeated in the background. Beyond that, a buyer waits for its own: while the database is away, each
 * purchase fails at once, and thousands of them would ask faster than the gateways respond, also after the database is back.
 */
const MAX_REPEATED = 40;
const REQUEST_MS = 4000;
/** Time for open payments after the last fault. */
const AFTERMATH_MS = 8 * LEASE_MS;
/** Bytes of goods: the long ones are on the disk of the gateway. */
const SIZES: Readonly<Record<Kind, number>> = { goods: 200, long: 140_000, upfront: 60_000, qr: 0 };

export interface Purchase {
  readonly name: string;
  readonly kind: Kind;
  readonly payment: PaymentPayload;
  tries: number;
  /** The body of the first complete response. */
  body?: Buffer;
  refusal?: string;
}

export interface Verdict {
  readonly payments: number;
  readonly retried: number;
  /** Paid, without a response, and not recorded as owed. */
  readonly lost: readonly string[];
  /** Responses that were not paid, or with the body of another purchase. */
  readonly wrong: readonly string[];
}

export class Buyers {
  readonly #fleet: Fleet;
  readonly #random: () => number;
  readonly #purchases: Purchase[] = [];
  readonly #wrong: string[] = [];
  readonly #insisting: Promise<void>[] = [];
  readonly #buyers: Promise<void>[];
  /** Sales by gateway and kind, such as `1 qr`. */
  readonly #paidRoutes = new Map<string, number>();
  #selling = true;
  #repeated = 0;
  /** The requests in flight, by gateway. */
  readonly #asking: Set<Promise<unknown>>[] = [];
  #deadline = Number.POSITIVE_INFINITY;

  /** `count` clients begin to pay at once, and pay until `finish`. */
  constructor(fleet: Fleet, random: () => number, count = BUYERS) {
    this.#fleet = fleet;
    this.#random = random;
    this.#buyers = Array.from({ length: count }, async (_, i) => await this.#buy(i));
  }

  /** Complete responses that this gateway has sent, of one kind or of all. */
  paidRoutes(gateway: number, kind?: Kind): number {
    return KINDS.filter((one) => kind === undefined || one === kind)
      .map((one) => this.#paidRoutes.get(`${gateway} ${one}`) ?? 0)
      .reduce((a, b) => a + b, 0);
  }

  /** Waits for the requests that are in flight at this gateway now. */
  async inFlight(gateway: number): Promise<void> {
    const asking = [...(this.#asking[gateway] ?? [])];
    await Promise.all(asking);
  }

  /**
   * Ends the sale, lets every buyer repeat its requests until it has what it paid for, and compares with the ledger.
   */
  async finish(): Promise<Verdict> {
    this.#selling = false;
    this.#deadline = performance.now() + AFTERMATH_MS;
    await Promise.all(this.#buyers);
    await Promise.all(this.#insisting);
    return await this.#judge();
  }

  newPurchase(kind: Kind): Purchase {
    const validBefore = String(Math.floor(Date.now() / 1000) + VALID_S - 100);
    const payment = signedPayment(Date.now() / 1000, { validBefore });
    const extra = kind === "upfront" ? { ...REQUIREMENTS.extra, paymentFlow: "upfront" } : REQUIREMENTS.extra;
    const accepted = { ...REQUIREMENTS, maxTimeoutSeconds: VALID_S, extra };
    const purchase: Purchase = {
      name: `p${this.#purchases.length}`,
      kind,
      payment: { ...payment, accepted },
      tries: 0,
    };
    this.#purchases.push(purchase);
    return purchase;
  }

  /** One request at one gateway. Undefined: no complete response. */
  async ask(
    { name, kind, payment }: Purchase,
    machine: GatewayMachine,
  ): Promise<{ readonly status: number; readonly mayRetry: boolean; readonly body: Buffer } | undefined> {
    const signature = { "payment-signature": encodeHeader(payment) };
    const post = { method: "POST", body: JSON.stringify({ data: name }) };
    const path = kind === "qr" ? "/qr" : `/${kind === "upfront" ? kind : "goods"}?name=${name}&size=${SIZES[kind]}`;
    try {
      const response = await fetch(`${machine.url}${path}`, {
        ...(kind === "qr" ? post : {}),
        headers: kind === "qr" ? { ...signature, "content-type": "application/json" } : signature,
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      const body = Buffer.from(await response.arrayBuffer());
      const mayRetry = response.status >= 500 || response.headers.has("retry-after");
      return { status: response.status, mayRetry, body };
    } catch {
      return undefined;
    }
  }

  async #buy(turn: number): Promise<void> {
    let i = turn;
    while (this.#selling) {
      const purchase = this.newPurchase(KINDS[i++ % KINDS.length] ?? "goods");
      if (!(await this.#try(purchase))) {
        const insisting = this.#insist(purchase);
        this.#insisting.push(insisting);
        if (this.#repeated >= MAX_REPEATED) await insisting;
      }
      await Bun.sleep(PAUSE_MS);
    }
  }

  async #insist(purchase: Purchase): Promise<void> {
    this.#repeated++;
    do await Bun.sleep(RETRY_MS);
    while (performance.now() < this.#deadline && !(await this.#try(purchase)));
    this.#repeated--;
  }

  /** True: the purchase is finished. */
  async #try(purchase: Purchase): Promise<boolean> {
    const gateway = Math.floor(this.#random() * this.#fleet.gateways.length);
    const machine = this.#fleet.gateways[gateway];
    if (machine?.url === undefined) {
      await Bun.sleep(RETRY_MS / 10);
      return false;
    }
    purchase.tries += 1;
    const asking = this.ask(purchase, machine);
    this.#asking[gateway] = (this.#asking[gateway] ?? new Set()).add(asking);
    const response = await asking;
    this.#asking[gateway]?.delete(asking);
    if (response === undefined) return false;
    const { status, mayRetry, body } = response;
    if (status === 200) {
      this.#check(purchase, body);
      purchase.body ??= body;
      const key = `${gateway} ${purchase.kind}`;
      this.#paidRoutes.set(key, (this.#paidRoutes.get(key) ?? 0) + 1);
      return true;
    }
    purchase.refusal = `${status} ${body.toString()}`;
    return !mayRetry;
  }

  #check({ name, kind }: Purchase, body: Buffer): void {
    const isRight =
      kind === "qr"
        ? body.subarray(1, 4).toString() === "PNG"
        : body.length === SIZES[kind] && body.toString().startsWith(`${name}, run `);
    if (!isRight) this.#wrong.push(`${name} (${kind}): ${body.length} bytes, ${body.toString().slice(0, 40)}`);
  }

  async #judge(): Promise<Verdict> {
    const store = openPostgresStore(this.#fleet.postgres.settings({ user: this.#fleet.user }));
    const lost: string[] = [];
    const wrong = [...this.#wrong];
    try {
      await store.ready();
      for (const { name, kind, payment, body, tries, refusal = "no response" } of this.#purchases) {
        const key = paymentKey(payment, REQUIREMENTS);
        const isPaid = (await store.simulatedTransfers.find(key)) !== undefined;
        const recorded = await store.ledger.find(key);
        if (body !== undefined && !isPaid) wrong.push(`${name} (${kind}): a response without payment`);
        if (body !== undefined && recorded?.state !== "settled")
          wrong.push(`${name} (${kind}): answered, ${recorded?.state}`);
        if (body === undefined && isPaid) {
          const { state, delivered, cuts, attempt } = recorded ?? {};
          lost.push(
            `${name} (${kind}), ${tries} tries: ${JSON.stringify({ state, delivered, cuts, attempt })} ${refusal}`,
          );
        }
      }
    } finally {
      await store.close();
    }
    const retried = this.#purchases.filter(({ tries }) => tries > 1).length;
    return { payments: this.#purchases.length, retried, lost, wrong };
  }
}
