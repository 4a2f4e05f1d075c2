import { expect, setDefaultTimeout, test } from "bun:test";
import * as fc from "fast-check";
import { decodeHeader } from "../../../payments/x402/header.ts";
import { type PaymentPayload, receiptSchema } from "../../../payments/x402/messages.ts";
import { LEASE_MS, MAX_CUTS } from "../../../store/ledger.ts";
import { FaultyWorld, type Mode, QUIET, type Step, WORTHLESS } from "./testing/faulty-world.ts";
import { patient } from "../../../lib/testing/patience.ts";

// Many runs take long on a busy machine.
setDefaultTimeout(patient(60_000));

const RUNS = 40;
const PAYMENTS = 3;
/** Milliseconds in which a request reaches its upstream, but does not reach the end of a slow response. */
const HEAD_START_MS = 4;
/** Milliseconds for which a client whose payment is still worked on tries again. */
const TRIES_MS = patient(5000);

/** Mostly `none`, so that scripts get far. */
function seldom<T extends string>(...faults: readonly T[]): fc.Arbitrary<T | "none"> {
  const usual: fc.WeightedArbitrary<"none"> = { weight: 4, arbitrary: fc.constant("none") };
  const faulty: fc.WeightedArbitrary<T> = { weight: 2, arbitrary: fc.constantFrom(...faults) };
  return fc.oneof(usual, faulty);
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    payment: fc.nat(PAYMENTS - 1),
    verify: seldom("unavailable", "refused", "throws"),
    settle: seldom("refused", "lost before", "lost after", "throws after"),
    find: seldom("unknown", "throws", "blind"),
    upstream: seldom("500", "abort", "slow"),
    charge: fc.constantFrom("", "0", "7", "too much"),
    ledger: seldom(
      "before verified",
      "before settling",
      "before settled",
      "after verified",
      "after settling",
      "after settled",
    ),
    crash: fc.oneof(
      { weight: 4, arbitrary: fc.constant("none" as const) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "upstream",
          "in settle",
          "before verified",
          "after verified",
          "before settling",
          "after settling",
          "before settled",
          "after settled",
          "before unknown",
          "after released",
        ),
      },
    ),
    leaves: fc.constantFrom(false, false, false, true),
    pause: fc.constantFrom(0, 0, 1000, LEASE_MS + 1),
    together: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

/** The responses that clients received for one payment. */
interface Given {
  goods: number;
  /** Successes for which the upstream charged nothing. */
  worthless: number;
  readonly amounts: Set<string>;
}

async function receive(sent: Promise<Response>, given: Given, world: FaultyWorld): Promise<void> {
  const response = await sent.catch(() => undefined);
  const text = await response?.text().catch(() => "");
  if (response === undefined || text === undefined || text === "") return;
  expect(response.status === 200).toBe(text === "the goods" || text === WORTHLESS);
  if (text.includes("the goods")) given.goods += 1;
  if (text === WORTHLESS) given.worthless += 1;
  const receipt = receiptSchema.safeParse(decodeHeader(response.headers.get("payment-response") ?? ""));
  if (receipt.data?.success !== true) return;
  // Under `exact` a receipt has no amount: the amount is the price.
  given.amounts.add(receipt.data.amount ?? world.requirements.amount);
}

async function play(
  world: FaultyWorld,
  script: readonly Step[],
  payments: readonly PaymentPayload[],
): Promise<Given[]> {
  const given = payments.map((): Given => ({ goods: 0, worthless: 0, amounts: new Set() }));
  let pending: Promise<void>[] = [];
  for (const step of script) {
    if (!step.together) {
      await Promise.all(pending);
      pending = [];
    }
    // Time also passes while earlier requests run.
    if (step.together && step.pause > 0) await Bun.sleep(HEAD_START_MS);
    world.step = step;
    world.pass(step.pause);
    const client = new AbortController();
    const sent = world.shop.send(payments[step.payment], { signal: client.signal });
    const mine = given[step.payment];
    if (mine !== undefined) pending.push(receive(sent, mine, world));
    if (step.leaves) client.abort();
  }
  await Promise.all(pending);
  world.step = QUIET;
  return given;
}

/** Checks that every delivered response was paid, and that chain, ledger and receipts have the same amount. */
async function checkMoney(world: FaultyWorld, payment: PaymentPayload, given: Given): Promise<string | undefined> {
  const transfer = await world.transfer(payment);
  const standing = await world.standing(payment);
  const isFree = standing?.state === "settled" && standing.amount === "0";
  if (world.mode === "upto, after") expect(given.worthless).toBe(0);
  if (given.goods > 0) expect(transfer !== undefined || isFree).toBe(true);
  if (standing?.state === "settled") {
    expect([standing.amount, standing.transaction]).toEqual([transfer?.amount ?? "0", transfer?.transaction ?? ""]);
  }
  const paid = transfer?.amount ?? (isFree ? "0" : undefined);
  for (const amount of given.amounts) expect<string | undefined>(amount).toBe(paid);
  if (world.mode !== "upto, after" && transfer !== undefined) expect(transfer.amount).toBe(world.requirements.amount);
  return paid;
}

async function textAndStatus(response: Response): Promise<{ status: number; text: string }> {
  return { status: response.status, text: await response.text() };
}

/**
 * Sends a payment again as an honest client does: once more while a request of a client that has left still runs, and
 * once more when that request's crash takes this connection along.
 */
async function sendAgain(world: FaultyWorld, payment: PaymentPayload): Promise<{ status: number; text: string }> {
  for (const start = performance.now(); ; ) {
    const isLast = performance.now() - start > TRIES_MS;
    // oxlint-disable-next-line no-await-in-loop -- one attempt follows the other
    const answer = await world.shop.send(payment).then(textAndStatus, (error: unknown) => {
      if (world.crashes === 0 || isLast) throw error;
    });
    if (answer !== undefined && (isLast || !/is being (processed|sent)/.test(answer.text))) return answer;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await Bun.sleep(1);
  }
}

/**
 * Checks that a payment stays valid after a response that the upstream did not charge: an honest retry gets the goods
 * for it, until it expires.
 */
async function checkKept(world: FaultyWorld, payment: PaymentPayload): Promise<void> {
  world.pass(LEASE_MS + 1);
  const isExpired = world.isExpired(payment);
  const retry = await sendAgain(world, payment);
  if (isExpired && retry.status === 402) return;
  expect([retry.status, retry.text]).toEqual([200, "the goods"]);
}

/**
 * Checks that a response which was paid and not delivered is owed in the ledger. An honest retry gets it without
 * another charge.
 */
async function checkUndelivered(world: FaultyWorld, payment: PaymentPayload, mayBeLost: boolean): Promise<void> {
  const standing = await world.standing(payment);
  // The response was delivered to a connection that the client had closed, or that was lost with its process.
  if (standing?.delivered === true && mayBeLost) return;
  expect(["settling", "settled", "unknown"]).toContain(standing?.state ?? "nothing");
  world.pass(LEASE_MS + 1);
  const retry = await sendAgain(world, payment);
  if ((standing?.cuts ?? 0) >= MAX_CUTS) {
    expect(retry.status).toBe(409);
    return;
  }
  // The request of a client that has disconnected can still have been running.
  if (mayBeLost && (await world.standing(payment))?.delivered === true && retry.status === 409) return;
  expect([retry.status, retry.text]).toEqual([200, "the goods"]);
}

for (const mode of ["exact, after", "exact, before", "upto, after"] satisfies Mode[]) {
  test(`${mode}: only settled payments release a response, and every settled payment is released or owed`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const world = new FaultyWorld(mode);
        try {
          const payments = Array.from({ length: PAYMENTS }, () => world.payment());
          const given = await play(world, script, payments);
          for (const [index, payment] of payments.entries()) {
            const mine = given[index];
            if (mine === undefined) continue;
            const paid = await checkMoney(world, payment, mine);
            const isLeft = script.some((step) => step.payment === index && step.leaves);
            if (paid !== undefined && mine.goods === 0)
              await checkUndelivered(world, payment, isLeft || world.crashes > 0);
            expect(await checkMoney(world, payment, mine)).toBe(paid);
            if (paid === undefined && mine.worthless > 0) await checkKept(world, payment);
          }
          expect(world.model.errors).toEqual([]);
        } finally {
          await world.close();
        }
      }),
      { numRuns: RUNS },
    );
  });
}
