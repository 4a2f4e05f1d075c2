/** Sells through a gateway that is killed repeatedly, and finds payments without a response and the reverse. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { mkdtempSync, rmSync } from "node:fs";
import { fractionsOf } from "../../src/lib/testing/mulberry32.ts";
import { PAYER, REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { issueCredit } from "../../src/payments/credit/issue.ts";
import { paymentKey } from "../../src/payments/x402/payment-key.ts";
import { type Credit, type Credits } from "../../src/store/credits.ts";
import { LEASE_MS, type PaymentKey } from "../../src/store/ledger.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { type Store } from "../../src/store/store.ts";
import { sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";

export interface KillOptions {
  readonly kills: number;
  readonly store: "sqlite" | "postgres";
  readonly settle: "before" | "after";
  /** Each request has its own payment, or all have the token of one prepaid credit. */
  readonly pay: "payment" | "credit";
  /** Requests in all, evenly between the kills; left out: as many as there are in lives of at most `LONGEST_LIFE_MS`. */
  readonly calls?: number;
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

/** Concurrent requests. Those that wait for the lease of a dead process are additional. */
const BUYERS = { payment: 4, credit: 16 };
/** Maximum milliseconds between a gateway's start to listen and its kill. */
const LONGEST_LIFE_MS = 400;
const RETRY_MS = 1000;
const START_TRIES = 10;
/** Time for open payments after the last kill. */
const AFTERMATH_MS = 12 * LEASE_MS;
/** Bytes of responses, in turn: one write, many writes, and more than a socket buffers. */
const SIZES = { payment: [200, 60_000, 2_000_000], credit: [200, 200, 200, 60_000] };
/** More than all requests cost. */
const BALANCE = 10n ** 12n;

interface Purchase {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: PaymentKey;
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
  #postgres: SharedPostgres | undefined;
  #user = "";
  #gateway: Gateway | undefined;
  #selling = true;
  #deadline = Number.POSITIVE_INFINITY;
  #runs = 0;
  /** The credit and its token. */
  #credit: { readonly id: string; readonly token: string } = { id: "", token: "" };

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
      run.#postgres = await sharedPostgres();
      run.#user = await run.#postgres.newUser();
    }
    if (options.pay === "credit") await run.#withStore(async ({ credits }) => void (run.#credit = await open(credits)));
    return run;
  }

  async run(): Promise<KillOutcome> {
    const { kills, progress, pay, calls } = this.#options;
    const buyers = Array.from({ length: BUYERS[pay] }, () => this.#buy());
    for (let kill = 1; kill <= kills; kill++) {
      await this.#start();
      const enough = ((calls ?? 0) * (kill - this.#random())) / kills;
      if (calls === undefined) await Bun.sleep(this.#random() * LONGEST_LIFE_MS);
      else while (this.#purchases.length < enough) await Bun.sleep(1);
      const gateway = this.#gateway;
      this.#gateway = undefined;
      await gateway?.kill();
      if (kill % 10 === 0) progress?.(`${kill} of ${kills} kills, ${this.#purchases.length} payments`);
    }
    await this.#start();
    while (this.#purchases.length < (calls ?? 0)) await Bun.sleep(1);
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
    const { settle, pay } = this.#options;
    const { price: _price, scheme: _scheme, ...credit } = TERMS;
    const url = this.#postgres?.url(this.#user);
    this.#gateway = await startGateway({
      state_path: this.#folder,
      access_log: { enabled: false },
      x402: {
        enabled: true,
        test_mode: true,
        public_url: "https://shop.test",
        ...(pay === "credit" ? { credit } : {}),
      },
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
    const name = `p${this.#purchases.length}`;
    const { pay } = this.#options;
    const size = SIZES[pay][this.#purchases.length % SIZES[pay].length] ?? 0;
    const purchase: Purchase = { name, size, ...(pay === "credit" ? this.#charge(name) : this.#payment()), tries: 0 };
    this.#purchases.push(purchase);
    return purchase;
  }

  #payment(): Pick<Purchase, "headers" | "key"> {
    const payment = signedPayment(Date.now() / 1000);
    const accepted =
      this.#options.settle === "before"
        ? { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, paymentFlow: "upfront" } }
        : REQUIREMENTS;
    const headers = { "payment-signature": encodeHeader({ ...payment, accepted }) };
    return { headers, key: paymentKey(payment, REQUIREMENTS) };
  }

  /** A request with the token and a key, by which it can be repeated. */
  #charge(name: string): Pick<Purchase, "headers" | "key"> {
    const { id, token } = this.#credit;
    const nonce = `0x${createHash("sha256").update(`${id}\n${name}`).digest("hex")}`;
    return {
      headers: { authorization: `Bearer ${token}`, "idempotency-key": name },
      key: { network: "credit:84532", asset: `credit:${id}`, from: PAYER, nonce },
    };
  }

  async #insist(purchase: Purchase): Promise<void> {
    do await Bun.sleep(RETRY_MS);
    while (!(await this.#try(purchase)) && performance.now() < this.#deadline);
  }

  /** True: the purchase is finished. */
  async #try(purchase: Purchase): Promise<boolean> {
    const { name, size, headers } = purchase;
    const port = this.#gateway?.port;
    if (port === undefined) return false;
    purchase.tries += 1;
    try {
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
    const lost: string[] = [];
    await this.#withStore(async (store) => {
      let taken = 0n;
      for (const purchase of this.#purchases) {
        const { key } = purchase;
        const row = await store.ledger.find(key);
        const isSettled = this.#options.pay === "credit" && row?.state === "settled";
        const isPaid = isSettled || (await store.simulatedTransfers.find(key)) !== undefined;
        if (row !== undefined && row.state !== "released" && row.state !== "failed") taken += BigInt(row.amount);
        if (this.#responded.has(purchase)) {
          if (!isPaid) this.#wrong.push(`${purchase.name}: a response without payment`);
        } else if (isPaid) {
          const { state, delivered, cuts, attempt } = row ?? {};
          lost.push(
            `${purchase.name} after ${purchase.tries} tries: ${JSON.stringify({ state, delivered, cuts, attempt })} ` +
              (this.#refused.get(purchase) ?? "no response"),
          );
        }
      }
      const credit = await store.credits.find(this.#credit.id);
      if (credit !== undefined) this.#wrong.push(...wrongBalance(credit, taken));
    });
    return {
      kills: this.#options.kills,
      payments: this.#purchases.length,
      retried: this.#purchases.filter(({ tries }) => tries > 1).length,
      upstreamRuns: this.#runs,
      lost,
      wrong: this.#wrong,
    };
  }

  async #withStore(use: (store: Store) => Promise<void>): Promise<void> {
    const store = this.#openStore();
    await store.ready();
    try {
      await use(store);
    } finally {
      await store.close();
    }
  }

  #openStore(): Store {
    if (this.#postgres === undefined) return openStore(join(this.#folder, "turnpike.db"));
    return openPostgresStore(this.#postgres.settings({ user: this.#user }));
  }

  async close(): Promise<void> {
    this.#selling = false;
    await this.#gateway?.stop();
    await this.#origin.stop(true);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function open(credits: Credits): Promise<{ readonly id: string; readonly token: string }> {
  const { network, asset: token } = REQUIREMENTS;
  const terms = { owner: PAYER, unit: "money", name: "", network, token, routes: [], expiresAt: 0 } as const;
  return issueCredit(credits, terms, { kind: "issued", amount: String(BALANCE), payment: "" }, true);
}

/** The balance and what the rows of charges have taken must be what was issued. */
function wrongBalance({ balance }: Credit, taken: bigint): string[] {
  return BigInt(balance) + taken === BALANCE ? [] : [`${balance} left after charges of ${taken}`];
}

function goods(name: string, size: number): Buffer {
  return Buffer.alloc(size, `${name} `);
}
