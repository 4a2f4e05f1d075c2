import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { patient } from "../../lib/testing/patience.ts";
import { CREDIT_BOOK } from "../../store/credits.ts";
import { type Ledger, LEASE_MS, type Payment, type Reservation } from "../../store/ledger.ts";
import { openStore } from "../../store/open/open-store.ts";
import { type Store } from "../../store/store.ts";
import { RESERVATION } from "../../store/testing/reservation.ts";
import { createSimulatedFacilitator } from "../facilitator/simulated-facilitator.ts";
import { REQUIREMENTS } from "../testing/payment.ts";
import { signedPermit2 } from "../testing/permit2-payment.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { type PaymentRequirements } from "../x402/messages.ts";
import { paymentKey } from "../x402/payment-key.ts";
import { Collector } from "./collector.ts";
import { deferralOf, deferralText } from "./deferral.ts";
import { toStored } from "./stored-payment.ts";

setDefaultTimeout(patient(60_000));

const RUNS = 30;
const QUOTE = 1000;
const BALANCE = 10_000;
const START = 1_800_000_000_000;
/** Seconds of an `upto` payment, and of the work that it pays for. */
const VALID_S = 3600;
const WORK_S = VALID_S - 120;
const UPTO: PaymentRequirements = {
  ...REQUIREMENTS,
  scheme: "upto",
  amount: String(QUOTE),
  maxTimeoutSeconds: VALID_S,
  extra: {
    ...REQUIREMENTS.extra,
    assetTransferMethod: "permit2",
    facilitatorAddress: "0x1111111111111111111111111111111111111111",
  },
};

interface Step {
  readonly job: number;
  /** The amount that becomes due before the round, and whether the work then ends. */
  readonly delivers: number;
  readonly ends: boolean;
  readonly call: "none" | "away" | "lost" | "nonsense" | "too much" | "back";
  readonly settle: "none" | "refused" | "lost before" | "lost after" | "throws after";
  readonly find: "none" | "unknown" | "blind";
  readonly ledger: "none" | "before" | "after";
  /** The process dies at this point, and another one takes over when its leases have ended. */
  readonly dies: "none" | "before call" | "after call" | "before move" | "after move" | "in settle";
  readonly pause: number;
}

const QUIET: Step = {
  job: 0,
  delivers: 0,
  ends: false,
  call: "none",
  settle: "none",
  find: "none",
  ledger: "none",
  dies: "none",
  pause: 0,
};

function seldom<T extends string>(...faults: readonly T[]): fc.Arbitrary<T | "none"> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant("none" as const) },
    { weight: 1, arbitrary: fc.constantFrom(...faults) },
  );
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    job: fc.nat(3),
    delivers: fc.nat(200),
    ends: fc.constantFrom(false, false, true),
    call: seldom("away", "lost", "nonsense", "too much", "back"),
    settle: seldom("refused", "lost before", "lost after", "throws after"),
    find: seldom("unknown", "blind"),
    ledger: seldom("before", "after"),
    dies: seldom("before call", "after call", "before move", "after move", "in settle"),
    pause: fc.constantFrom(1000, 3000, 40_000, LEASE_MS + 1, 1_000_000),
  }),
  { minLength: 1, maxLength: 25 },
);

/** A job of the upstream, as it sees it. */
interface Job {
  readonly path: string;
  due: number;
  ended: boolean;
  paid: number;
  closed: boolean;
}

function silence(): Promise<never> {
  return new Promise(() => {});
}

/** Two jobs that prepaid credit pays, and two under `upto`, whose collector fails as the current step says. */
class World {
  readonly jobs: Job[] = Array.from({ length: 4 }, (_, at) => ({
    path: `/charges/${at}`,
    due: 0,
    ended: false,
    paid: 0,
    closed: false,
  }));
  readonly errors: string[] = [];
  step: Step = QUIET;
  now = START;
  readonly #folder = mkdtempSync(join(tmpdir(), "turnpike-collector-"));
  readonly #stores: Store[] = [];
  #life = { isOver: false };
  #collector: Collector | undefined;
  store: Store = this.#open();
  readonly #keys: Reservation[] = [];

  async begin(): Promise<void> {
    const credit = {
      owner: "0xfrom",
      unit: "money",
      name: "",
      network: "eip155:84532",
      token: "0xt",
      routes: [],
    } as const;
    const grant = { id: "grant", kind: "issued", amount: String(BALANCE), payment: "" } as const;
    await this.store.credits.open({ ...credit, id: "one", hash: "", expiresAt: 0 }, grant);
    for (const [at, { path }] of this.jobs.entries()) {
      const reservation = at < 2 ? this.#charge(at) : this.#authorization();
      this.#keys.push(reservation);
      const { payment } = await this.store.ledger.reserve(reservation);
      const until = START / 1000 + WORK_S;
      const deferral = deferralText({ path, quote: String(QUOTE), due: "0", until, failures: 0 });
      await this.store.ledger.move(payment, { state: "deferred", lease: true, deferral, dueInMs: 0 });
      await this.store.ledger.move(payment, { state: "deferred", lease: false, delivered: true });
    }
  }

  /** Plays one step. A dead process never ends its round. */
  async play(step: Step): Promise<void> {
    this.step = step;
    this.now += step.pause;
    const job = this.jobs[step.job];
    if (job !== undefined && !job.ended && !job.closed) {
      job.due = Math.min(QUOTE, job.due + step.delivers);
      job.ended = step.ends;
    }
    const life = this.#life;
    const round = this.#collector?.round();
    while (!life.isOver && (await Promise.race([round, Bun.sleep(1).then(() => "waits")])) === "waits") {}
    if (life.isOver) this.store = this.#open();
  }

  async row(at: number): Promise<Payment> {
    const key = this.#keys[at];
    const row = key && (await this.store.ledger.find(key));
    if (row === undefined) throw new Error("the payment is gone");
    return row;
  }

  async transferred(at: number): Promise<number | undefined> {
    const key = this.#keys[at];
    const transfer = key && (await this.store.simulatedTransfers.find(key));
    return transfer && Number(transfer.amount);
  }

  async balance(): Promise<number> {
    return Number((await this.store.credits.find("one"))?.balance);
  }

  async close(): Promise<void> {
    for (const store of this.#stores) await store.close();
    rmSync(this.#folder, { recursive: true });
  }

  #charge(at: number): Reservation {
    const asset = `${CREDIT_BOOK}one`;
    return { ...RESERVATION, scheme: "credit", asset, nonce: `0x${at}`, amount: String(QUOTE), payload: "" };
  }

  #authorization(): Reservation {
    const payment = signedPermit2(UPTO, START / 1000);
    const { asset, payTo, amount } = UPTO;
    const own = { token: asset.toLowerCase(), scheme: "upto", amount, payTo: payTo.toLowerCase() };
    const validBefore = START / 1000 + VALID_S;
    return {
      ...RESERVATION,
      ...paymentKey(payment, UPTO),
      ...own,
      validBefore,
      payload: toStored(payment, UPTO, true),
    };
  }

  #open(): Store {
    const store = openStore(join(this.#folder, "state.db"), () => this.now);
    this.#stores.push(store);
    const life = { isOver: false };
    this.#life = life;
    const die = (): Promise<never> => {
      life.isOver = true;
      return silence();
    };
    const facilitator = this.#facilitator(
      createSimulatedFacilitator(store.simulatedTransfers, () => this.now),
      life,
      die,
    );
    this.#collector = new Collector({
      ledger: this.#ledger(store.ledger, life, die),
      upstream: () => (path, value) => this.#call(path, value as PaidWord, { life, die }),
      facilitator: () => facilitator,
      outcomeOf: async (payment) => {
        if (this.step.find === "unknown") return { kind: "unknown", cause: "no chain is configured" };
        const stored = JSON.parse(payment.payload) as ReturnType<typeof signedPermit2>;
        const outcome = await facilitator.find(stored, { ...UPTO, amount: payment.amount });
        return this.step.find === "blind" && outcome.kind === "settled" ? { kind: "unspent" } : outcome;
      },
      testMode: () => true,
      notice: ({ nonce }) => ({ id: nonce, url: "http://books.test", body: "{}" }),
      onTrouble: () => {},
      clock: () => this.now,
      log: () => {},
    });
    return store;
  }

  #ledger(real: Ledger, life: { isOver: boolean }, die: () => Promise<never>): Pick<Ledger, "claimDue" | "move"> {
    return {
      claimDue: (limit) => (life.isOver ? silence() : real.claimDue(limit)),
      move: async (payment, change) => {
        if (life.isOver) return silence();
        const { ledger, dies } = this.step;
        if (dies === "before move") return die();
        if (ledger === "before") throw new Error("disk full");
        const isMoved = await real.move(payment, change);
        if (dies === "after move") return die();
        if (ledger === "after") throw new Error("connection lost");
        return isMoved;
      },
    };
  }

  #facilitator(real: Facilitator, life: { isOver: boolean }, die: () => Promise<never>): Facilitator {
    return {
      ...real,
      settle: async (payment, requirements, to) => {
        if (life.isOver) return silence();
        const { settle, dies } = this.step;
        if (settle === "refused") return { kind: "refused", reason: "permit2_insufficient_balance" as never };
        if (settle === "lost before") return { kind: "unknown", cause: "no response", transaction: "" };
        const settlement = await real.settle(payment, requirements, to);
        if (dies === "in settle") return die();
        if (settle === "throws after") throw new Error("defect");
        return settle === "lost after" ? { kind: "unknown", cause: "no response", transaction: "" } : settlement;
      },
    };
  }

  async #call(
    path: string,
    { paid, closed = false }: PaidWord,
    { life, die }: { life: { isOver: boolean }; die: () => Promise<never> },
  ): Promise<{ status: number; json: unknown } | undefined> {
    const { call, dies } = this.step;
    if (life.isOver || dies === "before call") return die();
    if (call === "away") return undefined;
    const at = this.jobs.findIndex((job) => job.path === path);
    const job = this.jobs[at];
    if (job === undefined) return { status: 404, json: undefined };
    await this.#check(at, Number(paid), closed);
    job.paid = Math.max(job.paid, Number(paid));
    job.closed ||= closed;
    if (closed) job.ended = true;
    if (dies === "after call") return die();
    if (call === "lost") return undefined;
    if (call === "nonsense") return { status: 200, json: { due: "-1", ended: "yes" } };
    if (call === "too much") return { status: 200, json: { due: String(QUOTE + 1), ended: true } };
    // An upstream has lost its last records in a crash.
    if (call === "back") job.due = Math.max(job.paid, job.due - 50);
    return { status: 200, json: { due: String(job.due), ended: job.ended } };
  }

  /** The upstream may only hear of money that the ledger, or the chain, has already. */
  async #check(at: number, paid: number, closed: boolean): Promise<void> {
    const row = await this.row(at);
    if (closed && row.state !== "settled" && row.state !== "failed") this.errors.push(`closed while ${row.state}`);
    if (at < 2) {
      const recorded = row.state === "settled" ? Number(row.amount) : Number(deferralOf(row)?.due);
      if (paid > recorded) this.errors.push(`${paid} counts as paid for the upstream, and ${recorded} is recorded`);
    } else if (paid > ((await this.transferred(at)) ?? 0))
      this.errors.push(`${paid} counts as paid for the upstream without money`);
  }
}

interface PaidWord {
  readonly paid: string;
  readonly closed?: boolean;
}

test("every deferred charge ends with the amount that was delivered, over faults and deaths at every point", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const world = new World();
      try {
        await world.begin();
        for (const step of script) await world.play(step);
        // Nothing fails from now on, and all work ends. The upstreams that were away are asked within a minute.
        for (const job of world.jobs) job.ended = true;
        for (let round = 0; round < 8; round++) await world.play({ ...QUIET, pause: 61_000 });
        expect(world.errors).toEqual([]);
        let [spent, settled] = [0, 0];
        for (const [at, job] of world.jobs.entries()) {
          const { state, amount, reason } = await world.row(at);
          expect([at, job.closed]).toEqual([at, true]);
          const transferred = at < 2 ? undefined : await world.transferred(at);
          if (at >= 2 && state === "failed") {
            expect([job.paid, transferred, reason !== ""]).toEqual([0, undefined, true]);
            continue;
          }
          expect([state, Number(amount)]).toEqual(["settled", job.paid]);
          settled += 1;
          expect(job.paid).toBeLessThanOrEqual(job.due);
          if (at < 2) spent += job.paid;
          else expect(transferred ?? 0).toBe(job.paid);
        }
        expect(await world.balance()).toBe(BALANCE - spent);
        // Each settlement has its record for the seller's books.
        expect(await world.store.outbox.size()).toBe(settled);
      } finally {
        await world.close();
      }
    }),
    { numRuns: RUNS },
  );
});
