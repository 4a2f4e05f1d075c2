/**
 * Sells with settlement in advance through a gateway that is killed repeatedly, and finds payments without a response.
 */
import { join } from "node:path";
import { tmpdir } from "node:os";
import { mkdtempSync, rmSync } from "node:fs";
import { fractionsOf } from "../../src/lib/testing/mulberry32.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { paymentKey } from "../../src/payments/x402/payment-key.ts";
import { LEASE_MS } from "../../src/store/ledger.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { type Store } from "../../src/store/store.ts";
import { TestPostgres } from "../../src/store/testing/postgres.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";

export interface KillOptions {
  readonly kills: number;
  readonly store: "sqlite" | "postgres";
  readonly settle: "before" | "after";
  readonly seed: number;
  /** Called from time to time with the progress. */
  readonly progress?: (text: string) => void;
}

export interface KillOutcome {
  readonly kills: number;
  readonly payments: number;
  /** Payments that were interrupted by a kill or a refusal, and sent again. */
  readonly retried: number;
  readonly upstreamRuns: number;
  /** Paid without a response, with their rows in the ledger. */
  readonly lost: readonly string[];
  /** Responses without a payment, or with wrong bytes. */
  readonly wrong: readonly string[];
}

/** Concurrent payments. Payments that wait for the lease of a dead process are additional. */
const BUYERS = 4;
/** Maximum milliseconds between a gateway's start to listen and its kill. */
const LONGEST_LIFE_MS = 400;
const RETRY_MS = 1000;
const START_TRIES = 10;
/** Time for open payments after the last kill. */
const AFTERMATH_MS = 12 * LEASE_MS;
/** Bytes of responses, in turn: one write, many writes, and more than a socket buffers. */
const SIZES = [200, 60_000, 2_000_000];

interface Purchase {
  readonly name: string;
  readonly payment: PaymentPayload;
  readonly size: number;
  tries: number;
}

/** Sells until `kills` kills have happened. Then every buyer repeats its requests until it has its response. */
export async function sellThroughKills(options: KillOptions): Promise<KillOutcome> {
  const run = await KillRun.open(options);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class KillRun {
  readonly #options: KillOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "turnpike-kills-"));
  readonly #random: () => number;
  readonly #origin: Bun.Server<undefined>;
  readonly #purchases: Purchase[] = [];
  readonly #responded = new Set<Purchase>();
  readonly #wrong: string[] = [];
  /** Refused as already spent, without a response so far. */
  readonly #refused = new Map<Purchase, string>();
  #postgres: TestPostgres | undefined;
  #user = "";
  #gateway: Gateway | undefined;
  #selling = true;
  #deadline = Number.POSITIVE_INFINITY;
  #runs = 0;

  private constructor(options: KillOptions) {
    this.#options = options;
    this.#random = fractionsOf(options.seed);
    this.#origin = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        this.#runs += 1;
        const url = new URL(request.url);
        return new Response(goods(url.searchParams.get("name") ?? "", Number(url.searchParams.get("size"))));
      },
    });
  }

  static async open(options: KillOptions): Promise<KillRun> {
    const run = new KillRun(options);
    if (options.store === "postgres") {
      run.#postgres = await TestPostgres.start();
      run.#user = await run.#postgres.newUser();
    }
    return run;
  }

  async run(): Promise<KillOutcome> {
    const buyers = Array.from({ length: BUYERS }, () => this.#buy());
    const { kills, progress } = this.#options;
    for (let kill = 1; kill <= kills; kill++) {
      await this.#start();
      await Bun.sleep(this.#random() * LONGEST_LIFE_MS);
      const gateway = this.#gateway;
      this.#gateway = undefined;
      await gateway?.kill();
      if (kill % 10 === 0) progress?.(`${kill} of ${kills} kills, ${this.#purchases.length} payments`);
    }
    await this.#start();
    this.#selling = false;
    this.#deadline = performance.now() + AFTERMATH_MS;
    await Promise.all(buyers);
    await Promise.all(this.#insisting);
    return this.#judge();
  }

  readonly #insisting: Promise<void>[] = [];

  /** A busy machine may need longer to start a gateway than the harness waits. */
  async #start(): Promise<void> {
    for (let left = START_TRIES; this.#gateway === undefined; left--) {
      await this.#startOnce().catch((error: unknown) => {
        if (left === 1) throw error;
      });
    }
  }

  async #startOnce(): Promise<void> {
    const { settle } = this.#options;
    const url = this.#postgres?.url(this.#user);
    this.#gateway = await startGateway({
      state_path: this.#folder,
      access_log: { enabled: false },
      x402: { enabled: true, test_mode: true, public_url: "https://shop.test" },
      upstreams: [{ name: "origin", servers: [serverAt(this.#origin.port ?? 0)] }],
      routes: [{ path_prefix: "/goods", upstream: "origin", x402: { ...TERMS, settle } }],
      ...(url === undefined ? {} : { postgres: { url } }),
    });
  }

  /** One payment after the other. Interrupted ones are repeated at the same time as the next ones. */
  async #buy(): Promise<void> {
    while (this.#selling) {
      if (this.#gateway === undefined) {
        await Bun.sleep(5);
        continue;
      }
      const purchase = this.#newPurchase();
      if (!(await this.#try(purchase))) this.#insisting.push(this.#insist(purchase));
    }
  }

  #newPurchase(): Purchase {
    const payment = signedPayment(Date.now() / 1000);
    const accepted =
      this.#options.settle === "before"
        ? { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, paymentFlow: "upfront" } }
        : REQUIREMENTS;
    const name = `p${this.#purchases.length}`;
    const size = SIZES[this.#purchases.length % SIZES.length] ?? 0;
    const purchase: Purchase = { name, size, payment: { ...payment, accepted }, tries: 0 };
    this.#purchases.push(purchase);
    return purchase;
  }

  async #insist(purchase: Purchase): Promise<void> {
    do await Bun.sleep(RETRY_MS);
    while (!(await this.#try(purchase)) && performance.now() < this.#deadline);
  }

  /** True: the purchase is finished. */
  async #try(purchase: Purchase): Promise<boolean> {
    const { name, size, payment } = purchase;
    const port = this.#gateway?.port;
    if (port === undefined) return false;
    purchase.tries += 1;
    try {
      const headers = { "payment-signature": encodeHeader(payment) };
      const response = await fetch(`http://127.0.0.1:${port}/goods?name=${name}&size=${size}`, { headers });
      const body = Buffer.from(await response.arrayBuffer());
      if (response.status === 200) {
        if (!body.equals(goods(name, size))) this.#wrong.push(`${name}: ${body.length} bytes of ${size}`);
        this.#responded.add(purchase);
        return true;
      }
      // A failed response is owed, and the same payment requests it again.
      if (response.status >= 500 || response.headers.has("retry-after")) return false;
      this.#refused.set(purchase, `${response.status} ${body.toString()}`);
      return true;
    } catch {
      return false;
    }
  }

  async #judge(): Promise<KillOutcome> {
    const store = this.#openStore();
    await store.ready();
    const lost: string[] = [];
    try {
      for (const purchase of this.#purchases) {
        const key = paymentKey(purchase.payment, REQUIREMENTS);
        const isPaid = (await store.simulatedTransfers.find(key)) !== undefined;
        if (this.#responded.has(purchase)) {
          if (!isPaid) this.#wrong.push(`${purchase.name}: a response without payment`);
        } else if (isPaid) {
          const recorded = await store.ledger.find(key);
          const { state, delivered, cuts, attempt } = recorded ?? {};
          lost.push(
            `${purchase.name} after ${purchase.tries} tries: ${JSON.stringify({ state, delivered, cuts, attempt })} ` +
              (this.#refused.get(purchase) ?? "no response"),
          );
        }
      }
    } finally {
      await store.close();
    }
    return {
      kills: this.#options.kills,
      payments: this.#purchases.length,
      retried: this.#purchases.filter(({ tries }) => tries > 1).length,
      upstreamRuns: this.#runs,
      lost,
      wrong: this.#wrong,
    };
  }

  #openStore(): Store {
    if (this.#postgres === undefined) return openStore(join(this.#folder, "turnpike.db"));
    return openPostgresStore(this.#postgres.settings({ user: this.#user }));
  }

  async close(): Promise<void> {
    this.#selling = false;
    await this.#gateway?.stop();
    await this.#origin.stop(true);
    await this.#postgres?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function goods(name: string, size: number): Buffer {
  return Buffer.alloc(size, `${name} `);
}
