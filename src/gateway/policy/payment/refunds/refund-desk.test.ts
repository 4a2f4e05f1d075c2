import { afterEach, beforeEach, describe, expect, type Mock, setDefaultTimeout, spyOn, test } from "bun:test";
import { patient } from "../../../../lib/testing/patience.ts";
import { until } from "../../../../lib/testing/until.ts";
import { Facilitators } from "../../../../payments/facilitator/facilitators.ts";
import { PAYEE, PAYER, PRIVATE_KEY, USDC } from "../../../../payments/testing/payment.ts";
import { type NewCredit, purchaseOf } from "../../../../store/credits.ts";
import { type Change } from "../../../../store/ledger.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { type Store } from "../../../../store/store.ts";
import { RESERVATION } from "../../../../store/testing/reservation.ts";
import { type Config } from "../../../config/config.ts";
import { loadValue } from "../../../config/load.ts";
import { type Actor, type NewEvent } from "../../../telemetry/event.ts";
import { Counts } from "../../../telemetry/metrics/counts.ts";
import { type RefundRequest } from "./refund-desk.ts";
import { OptionalRefunds } from "./optional-refunds.ts";

setDefaultTimeout(patient(20_000));

const BY: Actor = { kind: "operator", key: "api_key", address: "192.0.2.1" };
const SIMULATED = (digit: string): string => `0x7e577e57${digit.repeat(56)}`;
const nonce = (digit: string): string => `0x${digit.repeat(64)}`;
const DAY_MS = 86_400_000;

let now: number;
/** Milliseconds by which tests have set the clock. */
let set: number;
let store: Store;
let events: NewEvent[];
let logged: string[];
/** Calls that change the metrics of the desk. */
let setMetric: Mock<Counts["set"]>;
let addMetric: Mock<Counts["add"]>;
/** The timers of the desk. */
let looks: { readonly look: () => void; readonly ms: number | undefined }[];
let refunds: OptionalRefunds;
const { KEY } = process.env;

beforeEach(() => {
  process.env["KEY"] = PRIVATE_KEY;
  now = 1_800_000_000_000;
  set = 0;
  store = openStore(":memory:", () => now);
  [events, logged] = [[], []];
});
afterEach(async () => {
  await refunds.close();
  await store.close();
  if (KEY === undefined) delete process.env["KEY"];
  else process.env["KEY"] = KEY;
});

function configOf(settings: object, more: object): Config {
  const { config, problems } = loadValue({
    server: { address: "127.0.0.1" },
    x402: { enabled: true, test_mode: true, ...more, refunds: { key_envs: ["KEY"], ...settings } },
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9000 }] }],
    routes: [
      {
        path_prefix: "/read",
        upstream: "a",
        x402: { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: PAYER },
      },
    ],
  });
  if (config === undefined) throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join());
  return config;
}

/** Opens the desk of this gateway, whose clock is `now`. */
function open(settings: object = {}, ledger: () => Store | undefined = () => store, more: object = {}): void {
  const counts = new Counts(new Float64Array(10_000));
  [setMetric, addMetric] = [spyOn(counts, "set"), spyOn(counts, "add")];
  const facilitators = new Facilitators({
    simulatedTransfers: () => store.simulatedTransfers,
    now: () => now,
    environment: process.env,
    embedded: () => {
      throw new Error("there is none");
    },
    random: () => 0.5,
    observer: { asked() {}, breakerChanged() {} },
    log: (message) => void logged.push(message),
  });
  const every = spyOn(globalThis, "setInterval");
  refunds = new OptionalRefunds(configOf(settings, more), {
    store: ledger,
    facilitators,
    counts,
    clock: () => now,
    steady: () => now - set,
    log: (message) => void logged.push(message),
    onEvent: (event) => void events.push(event),
  });
  looks = every.mock.calls.map(([once, ms]) => ({ look: once, ms }));
  every.mockRestore();
}

/** The looks that have ended: each sets the number of pending refunds. */
function settledLooks(): number {
  return setMetric.mock.calls.length;
}

/** The desk looks for refunds that are due, as it does every two seconds. */
function look(): void {
  for (const one of looks) one.look();
}

/** Records a payment of 10,000 units; settled and delivered by default. */
async function paid(
  digit: string,
  change: Partial<Change> = {},
  { transaction = SIMULATED(digit), token = USDC }: { transaction?: string; token?: string } = {},
): Promise<void> {
  const { payment } = await store.ledger.reserve({
    ...RESERVATION,
    asset: token,
    token,
    from: PAYEE.toLowerCase(),
    payTo: PAYER,
    nonce: nonce(digit),
  });
  const given: Change = { state: "settled", lease: false, transaction, delivered: true, ...change };
  await store.ledger.move(payment, { state: "settling", lease: true });
  await store.ledger.move(payment, given);
}

async function refusalOf(request: Partial<RefundRequest>): Promise<string> {
  return await refunds.refund({ payment: nonce("1"), ...request }, BY).then(
    ({ state }) => state,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe("a refund", () => {
  test("is sent, and told with the one who asked for it", async () => {
    open();
    await paid("1");
    const refund = await refunds.refund({ payment: nonce("1").toUpperCase().replace("0X", "0x"), amount: "4000" }, BY);
    expect(refund).toMatchObject({ state: "settled", amount: "4000", id: "4000", by: "operator at 192.0.2.1" });
    expect(events.map(({ message }) => message)).toEqual([
      "a refund of a payment on /read is begun",
      "a refund of a payment on /read is settled",
    ]);
    const details = { route: "/read", network: RESERVATION.network, payment: nonce("1"), amount: "4000" };
    expect(events[0]).toMatchObject({ kind: "payment", by: BY, outcome: "done", details });
    expect(events[1]).toMatchObject({ kind: "payment", details: { ...details, refund: "settled" } });
    expect(events[1]).not.toHaveProperty("by");
  });

  test("is of all that is left unless it names an amount, in units or dollars", async () => {
    open();
    await paid("1");
    expect(await refunds.refund({ payment: nonce("1"), amount: "$0.002" }, BY)).toMatchObject({ amount: "2000" });
    expect(await refunds.refund({ payment: nonce("1") }, BY)).toMatchObject({ amount: "8000", id: "rest" });
  });

  test("of a token whose decimal places are not known names its amount in units", async () => {
    open();
    await paid("1", {}, { token: `0x${"1".repeat(40)}` });
    for (const amount of ["$1", "$0.002"]) {
      expect(await refusalOf({ amount, recorded: "bank-7" })).toBe(
        `Cannot use the amount "${amount}": the decimal places of the token are not known. Give the amount in atomic units.`,
      );
    }
    const refund = await refunds.refund({ payment: nonce("1"), amount: "2000", recorded: "bank-7" }, BY);
    expect([refund.amount, events.length]).toEqual(["2000", 1]);
  });

  test("with a known id is the same refund", async () => {
    open();
    await paid("1");
    const one = await refunds.refund({ payment: nonce("1"), amount: "10", id: "a" }, BY);
    expect(await refunds.refund({ payment: SIMULATED("1"), amount: "10", id: "a" }, BY)).toEqual(one);
    expect(events).toHaveLength(2);
    expect(await refusalOf({ amount: "11", id: "a" })).toContain("this id names a refund with another amount");
  });

  test("that stays pending ends by the transaction that the operator names", async () => {
    open();
    await paid("1");
    const payment = await store.ledger.find({
      ...RESERVATION,
      asset: USDC,
      from: PAYEE.toLowerCase(),
      nonce: nonce("1"),
    });
    if (payment === undefined) throw new Error("not paid");
    await store.refunds.begin(payment, {
      id: "rest",
      amount: "4000",
      recorded: undefined,
      by: "x",
      validBefore: now / 1000 + 900,
    });
    const told = { payment: nonce("1"), id: "rest", recorded: "0xmade", amount: "7000" };
    for (const _ of [1, 2]) {
      const refund = await refunds.refund(told, BY);
      expect(refund).toMatchObject({ state: "recorded", transaction: "0xmade", amount: "7000", sequence: 1 });
    }
    expect(events.map(({ message }) => message)).toEqual(["a refund of a payment on /read is recorded"]);
    expect(await store.ledger.find(payment)).toMatchObject({ refunded: "7000" });
  });

  test("that was made by other means is recorded, and not sent", async () => {
    open();
    await paid("1");
    const refund = await refunds.refund({ payment: nonce("1"), recorded: "bank-7" }, BY);
    expect(refund).toMatchObject({ state: "recorded", transaction: "bank-7", id: "bank-7", amount: "10000" });
    expect(events.map(({ message }) => message)).toEqual(["a refund of a payment on /read is recorded"]);
  });

  test.each<[string, Partial<RefundRequest>]>([
    ["Cannot use the id", { id: "a b" }],
    ["Cannot use the id", { id: "" }],
    ["Cannot use the id", { id: "x".repeat(65) }],
    ["Cannot use the transaction", { recorded: "a b" }],
    ["Cannot use the transaction", { recorded: "x".repeat(129) }],
    ["amount", { amount: "many" }],
    ["more than what is left of it", { amount: "10001" }],
    ["it is zero", { amount: "0" }],
    [`Cannot find the payment "0x12": name it by its whole nonce or transaction`, { payment: "0x12" }],
  ])("is refused: %s for %j", async (message, request) => {
    open();
    await paid("1");
    expect(await refusalOf(request)).toContain(message);
    expect(events).toEqual([]);
  });

  test("has an id of up to 64 characters, and a reference of up to 128", async () => {
    open();
    await paid("1");
    expect(await refusalOf({ id: "x".repeat(64), amount: "1" })).toBe("settled");
    expect(await refusalOf({ id: "b", recorded: "x".repeat(128), amount: "1" })).toBe("recorded");
  });

  test.each<[string, Partial<Change>]>([
    ["no money was received for it", { state: "failed", transaction: "" }],
    ["its settlement is not known yet", { state: "unknown" }],
    ["a request is receiving its response", { lease: true, delivered: false }],
  ])("is refused: %s", async (message, change) => {
    open();
    await paid("1", change);
    expect(await refusalOf({})).toStartWith(`Cannot refund the payment: ${message}`);
  });

  test("needs a payment of the same mode, and is then not written down", async () => {
    open();
    await paid("1", {}, { transaction: nonce("9") });
    expect(await refusalOf({})).toContain("the payment moved money, and this gateway is in test mode");
    expect(await store.view.refundsOf((await store.view.search(nonce("1")))[0] ?? RESERVATION)).toEqual([]);
    expect(await refusalOf({ recorded: "bank-7" })).toBe("recorded");
  });

  test("needs a ledger that can be opened", async () => {
    open({}, () => undefined);
    expect(await refusalOf({})).toBe("Cannot refund the payment: this gateway sells nothing: it has no ledger");
    // Its looks find nothing to do.
    look();
    await new Promise(setImmediate);
    expect([logged, settledLooks()]).toEqual([[], 0]);
    await refunds.close();
    open({}, () => {
      throw new Error("disk full");
    });
    expect(await refusalOf({})).toBe("Cannot open the ledger: disk full");
  });
});

describe("a refund of prepaid credit", () => {
  const CREDIT = { id: "credit-1", network: RESERVATION.network, token: USDC };

  /** Records purchases of 10,000 units each, and the balance that is left of them. */
  async function bought(rest: string, digits: readonly string[], change: Partial<NewCredit> = {}): Promise<void> {
    const credit: NewCredit = {
      ...CREDIT,
      hash: "h",
      owner: PAYEE.toLowerCase(),
      unit: "money",
      name: "",
      routes: [],
      expiresAt: 0,
      ...change,
    };
    for (const digit of digits) {
      await paid(digit);
      const [payment] = await store.view.search(nonce(digit));
      const id = purchaseOf(payment ?? RESERVATION);
      const grant = { id, kind: "bought", amount: "10000", payment: nonce(digit) } as const;
      if (digit === digits[0]) expect(await store.credits.open(credit, grant)).toBe(CREDIT.id);
      else expect(await store.credits.add(CREDIT.id, grant, 0)).toBe(true);
      now += 1;
    }
    const spent = BigInt(digits.length) * 10_000n - BigInt(rest);
    const grant = { id: "spent", kind: "issued", amount: String(spent), payment: "" } as const;
    if (spent > 0n) expect(await store.credits.take(CREDIT.id, grant)).toBe(true);
  }

  async function balance(): Promise<string | undefined> {
    return (await store.credits.find(CREDIT.id))?.balance;
  }

  async function refusal(request: { amount?: string; id?: string } = {}): Promise<unknown> {
    return await refunds.refundCredit({ credit: CREDIT, ...request }, BY).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : error),
    );
  }

  test("sends the rest to those who bought it, the newest purchase first, and once", async () => {
    open();
    await bought("12000", ["1", "2"]);
    const parts = await refunds.refundCredit({ credit: CREDIT, id: "close" }, BY);
    expect(parts.map(({ nonce: of, amount, state, by }) => [of, amount, state, by])).toEqual([
      [nonce("2"), "10000", "settled", "operator at 192.0.2.1"],
      [nonce("1"), "2000", "settled", "operator at 192.0.2.1"],
    ]);
    expect(await balance()).toBe("0");
    expect(events.filter(({ by }) => by === BY).map(({ message }) => message)).toEqual([
      "a refund of a payment on /read is begun",
      "a refund of a payment on /read is begun",
    ]);
    await until(() => events.length === 4);
    expect(await refunds.refundCredit({ credit: CREDIT, id: "close" }, BY)).toEqual(parts);
    expect(events).toHaveLength(4);
    expect(await refusal({ id: "close", amount: "1" })).toContain("this id names a refund with another amount");
    expect(await refusal({ id: "more" })).toBe(
      "Cannot refund the credit: the amount is more than the rest of what was bought, or no rest is left; issued credit is not sent back",
    );
  });

  test("of a part leaves the other part", async () => {
    open();
    await bought("10000", ["1"]);
    expect(await refunds.refundCredit({ credit: CREDIT, amount: "$0.004" }, BY)).toMatchObject([
      { amount: "4000", id: "4000", state: "settled" },
    ]);
    expect(await balance()).toBe("6000");
  });

  test("is refused for a pass, for a credit that does not exist, and without the key of the seller", async () => {
    open();
    expect(await refusal()).toBe("Cannot refund the credit: there is no such credit");
    await bought("10000", ["1"], { unit: "calls", name: "month" });
    expect(await refusal()).toBe(
      "Cannot refund the credit: a pass cannot be divided; revoke it, and refund its payment",
    );
    expect(events).toEqual([]);
  });

  test("that cannot be sent takes nothing from the balance", async () => {
    open({ key_envs: [] });
    await bought("10000", ["1"]);
    expect(await refusal()).toContain("Cannot refund the credit: this gateway has no key of the receiving address");
    expect(await balance()).toBe("10000");
    const [payment] = await store.view.search(nonce("1"));
    expect(await store.view.refundsOf(payment ?? RESERVATION)).toEqual([]);
  });
});

describe("payments that are owed their response", () => {
  test("are refunded after the configured days, by the setting", async () => {
    await paid("1", { delivered: false });
    await paid("2");
    now += 2 * DAY_MS + 1;
    open({ owed_after_days: 2 });
    look();
    await until(() => events.length === 2);
    expect(events.map(({ message, by }) => [message, by])).toEqual([
      ["a refund of a payment on /read is begun", undefined],
      ["a refund of a payment on /read is settled", undefined],
    ]);
    const [payment] = await store.view.search(nonce("1"));
    const [refund] = await store.view.refundsOf(payment ?? RESERVATION);
    expect(refund).toMatchObject({ id: "owed", by: "refunds.owed_after_days", amount: "10000", state: "settled" });
  });

  test("are refunded after the clock was set back", async () => {
    await paid("1", { delivered: false });
    now += 2 * DAY_MS + 1;
    open({ owed_after_days: 2 });
    look();
    await until(() => events.length === 2);
    now -= 3 * DAY_MS;
    set -= 3 * DAY_MS;
    await paid("2", { delivered: false });
    now += 2 * DAY_MS + 1;
    look();
    await until(() => events.length === 4);
    const [payment] = await store.view.search(nonce("2"));
    expect(await store.view.refundsOf(payment ?? RESERVATION)).toMatchObject([{ id: "owed", state: "settled" }]);
  });

  test("are not refunded within an hour after the clock was set forward", async () => {
    await paid("1", { delivered: false });
    await paid("2");
    open({ owed_after_days: 2 });
    // Each refund is sent in a round that first looks for payments that are owed.
    expect(await refusalOf({ payment: nonce("2") })).toBe("settled");
    now += 30 * DAY_MS;
    set += 30 * DAY_MS;
    await paid("3");
    expect(await refusalOf({ payment: nonce("3") })).toBe("settled");
    const owed = async () => store.view.refundsOf((await store.view.search(nonce("1")))[0] ?? RESERVATION);
    expect(await owed()).toEqual([]);
    now += 3_600_000;
    look();
    await until(async () => (await owed()).length > 0);
  });

  test.each<[string, number, number]>([
    ["before", 2, 2 * DAY_MS - 1],
    ["without the setting", 0, 500 * DAY_MS],
  ])("are not refunded %s", async (_when, days, waitedMs) => {
    await paid("1", { delivered: false });
    now += waitedMs;
    open({ owed_after_days: days });
    look();
    await paid("2");
    expect(await refusalOf({ payment: nonce("2") })).toBe("settled");
    expect(await store.view.refundsOf((await store.view.search(nonce("1")))[0] ?? RESERVATION)).toEqual([]);
  });

  test("are looked for once a minute, and at most 20 at a time", async () => {
    for (let i = 0; i < 21; i++) await paid(String.fromCharCode(97 + i), { delivered: false });
    now += DAY_MS + 1;
    open({ owed_after_days: 1 });
    look();
    await until(() => events.length === 40);
    now += 59_999;
    const owed = spyOn(store.refunds, "owed");
    look();
    await until(() => settledLooks() === 2);
    expect([owed.mock.calls.length, events.length]).toEqual([0, 40]);
    now += 1;
    look();
    await until(() => events.length === 42);
    expect(owed.mock.calls.length).toBe(1);
  });
});

describe("a refund that is not over", () => {
  let server: ReturnType<typeof Bun.serve>;
  let screened: PromiseWithResolvers<Response>[];
  let isAway: boolean;

  beforeEach(() => {
    [screened, isAway] = [[], false];
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch() {
        if (isAway) return new Response(null, { status: 503 });
        const response = Promise.withResolvers<Response>();
        screened.push(response);
        return response.promise;
      },
    });
  });
  afterEach(() => server.stop(true));

  function openScreened(): void {
    open({}, undefined, { screening: { service_url: server.url.href } });
  }

  test("is shown as pending after ten seconds, is counted as that, and is sent later", async () => {
    isAway = true;
    openScreened();
    await paid("1");
    let pausedMs = 0;
    const pauses = spyOn(Bun, "sleep").mockImplementation(async (ms) => {
      pausedMs += Number(ms);
      await new Promise(setImmediate);
    });
    const refund = await refunds.refund({ payment: nonce("1") }, BY).finally(() => pauses.mockRestore());
    expect([refund.state, refund.amount]).toEqual(["pending", "10000"]);
    expect(pausedMs).toBe(10_000);
    await until(() => settledLooks() > 0);
    expect(setMetric.mock.calls.at(-1)).toEqual(["refundsPending", 1]);
    isAway = false;
    now += 60_000;
    look();
    await until(() => screened.length === 1);
    screened[0]?.resolve(Response.json({ allowed: true }));
    await until(() => events.length === 2);
    expect(addMetric.mock.calls).toContainEqual(["refunds", 1, "settled"]);
    await until(() => setMetric.mock.calls.at(-1)?.[1] === 0);
  });

  test("ends its request at once when the gateway stops, which waits for the work in progress", async () => {
    openScreened();
    await paid("1");
    const refund = refunds.refund({ payment: nonce("1") }, BY);
    await until(() => screened.length === 1);
    let isClosed = false;
    const closing = refunds.close().then(() => (isClosed = true));
    expect(await refund).toMatchObject({ state: "pending" });
    expect(isClosed).toBe(false);
    screened[0]?.resolve(Response.json({ allowed: true }));
    await closing;
    const [payment] = await store.view.search(nonce("1"));
    expect(await store.view.refundsOf(payment ?? RESERVATION)).toMatchObject([{ state: "settled" }]);
    // A look that was due is not made any more.
    look();
    expect(setMetric.mock.calls).toHaveLength(1);
  });
});

test.each([
  ["refund: Cannot open the database", new Error("Cannot open the database")],
  ["refund: TypeError", new TypeError("x is not a function")],
])("a look that fails is logged as %j, and the next one is made", async (line, error) => {
  let isAway = true;
  open({}, () => {
    if (isAway) throw error;
    return store;
  });
  expect(looks.map(({ ms }) => ms)).toEqual([2000]);
  look();
  await until(() => logged.length === 1);
  expect(logged[0]).toStartWith(line);
  isAway = false;
  await until(() => {
    look();
    return settledLooks() > 0;
  });
  expect(logged).toHaveLength(1);
});

test("a refund that cannot be sent any more fails, and that is logged", async () => {
  open();
  await paid("1");
  const [payment] = await store.view.search(nonce("1"));
  const wish = { id: "late", by: "x", validBefore: now / 1000 + 1, amount: "5", recorded: undefined };
  await store.refunds.begin(payment ?? RESERVATION, wish);
  look();
  await until(() => logged.length > 0);
  expect(logged).toEqual(["refund: a refund of a payment on /read has failed: it was not sent in time"]);
});
