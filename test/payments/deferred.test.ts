/** Charges that are made later, through real gateways, on each store. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { issueCredit } from "../../src/payments/credit/issue.ts";
import { PAYER, signedPayment, TERMS, USDC } from "../../src/payments/testing/payment.ts";
import { signedPermit2 } from "../../src/payments/testing/permit2-payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../src/payments/x402/messages.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { type Store } from "../../src/store/store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { JobOrigin, type OriginJob } from "./job-origin.ts";
import { ask, PROTOCOLS } from "./shops.ts";

setDefaultTimeout(patient(60_000));

const QUOTE = 500_000;
const CREDIT = {
  id: "",
  hash: "",
  owner: PAYER,
  unit: "money",
  name: "",
  network: "eip155:84532",
  token: USDC.toLowerCase(),
  routes: [],
  expiresAt: 0,
} as const;
const STORES = ["sqlite", "postgres"] as const;

describe.each(STORES)("on %s", (kind) => {
  if (kind === "postgres" && !hasPostgres) return;
  const folder = new Folder();
  const origin = new JobOrigin();
  let database: SharedPostgres | undefined;
  let user = "";
  let gateways: Gateway[] = [];
  let quicPort = 0;
  let store: Store;

  function config(price = "$0.5"): Record<string, unknown> {
    const { price: _price, scheme: _scheme, ...account } = TERMS;
    const x402 = {
      ...TERMS,
      price,
      max_timeout_seconds: 3600,
      accepts: [{ ...TERMS, price, scheme: "upto", max_timeout_seconds: 3600 }],
    };
    return {
      state_path: folder.path,
      x402: { enabled: true, test_mode: true, credit: { ...account, min: "$0.01" } },
      upstreams: [{ name: "jobs", servers: [serverAt(origin.port)] }],
      routes: [
        { path_prefix: "/jobs", upstream: "jobs", x402 },
        {
          path_prefix: "/short",
          upstream: "jobs",
          x402: { ...x402, accepts: [{ ...TERMS, price: "$0.5", scheme: "upto", max_timeout_seconds: 60 }] },
        },
        { path_prefix: "/split", upstream: "jobs", traffic_split: [{ upstream: "jobs", weight: 1 }], x402 },
        { path_prefix: "/free", upstream: "jobs" },
      ],
      ...(database === undefined ? {} : { postgres: { url: database.url(user) } }),
    };
  }

  const quic = (): object => ({
    quic: {
      enabled: true,
      port: quicPort,
      cert_path: folder.file("cert.pem"),
      key_path: folder.file("key.pem"),
    },
  });

  beforeAll(async () => {
    if (kind === "postgres") {
      database = await sharedPostgres();
      user = await database.newUser();
    }
    folder.write("cert.pem", LOCALHOST.cert);
    folder.write("key.pem", LOCALHOST.key);
    quicPort = await freePort();
    gateways = [await startGateway({ ...config(), ...quic() }), await startGateway(config())];
    store =
      database === undefined ? openStore(folder.file("turnpike.db")) : openPostgresStore(database.settings({ user }));
    await store.ready();
  });
  beforeEach(() => {
    origin.says = undefined;
    origin.isAway = false;
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await origin.stop();
    await store.close();
    folder.remove();
  });

  function url(path: string, gateway = 0): string {
    return `http://127.0.0.1:${gateways[gateway]?.port}${path}`;
  }

  async function credit(amount = "1000000"): Promise<{ id: string; token: string }> {
    const { id: _id, hash: _hash, ...terms } = CREDIT;
    return await issueCredit(store.credits, terms, { kind: "issued", amount, payment: "" }, true);
  }

  async function balance({ id }: { id: string }): Promise<number> {
    return Number((await store.credits.find(id))?.balance);
  }

  const post = (path: string, headers: Record<string, string>, gateway = 0): Promise<Response> =>
    fetch(url(path, gateway), { method: "POST", headers });

  async function accepted(path: string, scheme: string): Promise<PaymentRequirements> {
    const asked = await fetch(url(path), { method: "POST" });
    const { accepts } = decodeHeader(asked.headers.get("payment-required") ?? "") as PaymentRequired;
    const found = accepts.find((one) => one.scheme === scheme);
    if (found === undefined) throw new Error(`no ${scheme}`);
    return found;
  }

  const upto = async (path = "/jobs"): Promise<Record<string, string>> => ({
    "payment-signature": encodeHeader(signedPermit2(await accepted(path, "upto"), Date.now() / 1000)),
  });

  /** The job of a response. */
  async function jobOf(response: Response): Promise<{ id: string; job: OriginJob }> {
    expect(response.status).toBe(202);
    const { job: id } = (await response.json()) as { job: string };
    const job = origin.jobs.get(id);
    if (job === undefined) throw new Error("the upstream does not know the job");
    return { id, job };
  }

  const row = async (id: string) => (await store.view.search(id)).find(({ nonce }) => nonce === id);

  test("prepaid credit reserves the quote, pays for what comes, and gets the rest back", async () => {
    const bought = await credit();
    const response = await post("/jobs", { authorization: `Bearer ${bought.token}` });
    expect(response.headers.get("payment-response")).toBeNull();
    expect(response.headers.get("settlement-deferral")).toBeNull();
    const { id, job } = await jobOf(response);
    expect([await balance(bought), (await row(id))?.state]).toEqual([1_000_000 - QUOTE, "deferred"]);
    await until(() => job.words > 0);
    job.due = 15_000n;
    await until(() => job.paid === 15_000n);
    expect([await balance(bought), job.closed]).toEqual([1_000_000 - QUOTE, false]);
    job.due = 20_000n;
    job.ended = true;
    await until(() => job.closed);
    expect([job.paid, job.transaction, await balance(bought)]).toEqual([20_000n, "", 980_000]);
    await until(async () => (await store.ledger.claimDue(1)).length === 0);
    expect(await row(id)).toMatchObject({ state: "settled", amount: "20000", delivered: true });
  });

  test("upto is settled once, at the end, for what was delivered", async () => {
    const response = await post("/jobs", await upto());
    const { id, job } = await jobOf(response);
    expect(job.until).toBeGreaterThan(Date.now() / 1000 + 3_000);
    job.due = 5_000n;
    const words = job.words;
    await until(() => job.words > words);
    expect([job.paid, (await row(id))?.state]).toEqual([0n, "deferred"]);
    job.due = 10_000n;
    job.ended = true;
    await until(() => job.closed, 30_000);
    expect(job.paid).toBe(10_000n);
    const settled = await row(id);
    expect(settled).toMatchObject({ state: "settled", amount: "10000", scheme: "upto", transaction: job.transaction });
    expect(job.transaction).toMatch(/^0x[0-9a-f]{64}$/);
  });

  test("work that delivers nothing costs nothing", async () => {
    const bought = await credit();
    const first = await jobOf(await post("/jobs", { authorization: `Bearer ${bought.token}` }));
    const second = await jobOf(await post("/jobs", await upto()));
    for (const { job } of [first, second]) job.ended = true;
    await until(() => first.job.closed && second.job.closed, 30_000);
    expect([await balance(bought), first.job.paid, second.job.paid]).toEqual([1_000_000, 0n, 0n]);
    expect(await row(second.id)).toMatchObject({ state: "settled", amount: "0", transaction: "" });
  });

  test("exact, upto that ends soon, and a traffic split are charged at once, and no client can send the field", async () => {
    const requirements = await accepted("/jobs", "exact");
    const payment = { ...signedPayment(Date.now() / 1000, { value: requirements.amount }), accepted: requirements };
    const forged = { "settlement-deferral": '{"until":4000000000}' };
    for (const [path, headers] of [
      ["/jobs", { "payment-signature": encodeHeader(payment) }],
      ["/short", await upto("/short")],
      ["/split", await upto("/split")],
      ["/free", {}],
    ] as const) {
      const response = await post(path, { ...headers, ...forged });
      expect([path, response.status]).toEqual([path, 202]);
      expect(response.headers.has("settlement-deferral")).toBe(path === "/free");
      expect(origin.fields.get("settlement-deferral")).toBeNull();
      expect(response.headers.has("payment-response")).toBe(path !== "/free");
    }
  });

  test("the same payment gets the same response again, from either gateway", async () => {
    const headers = await upto();
    const { id, job } = await jobOf(await post("/jobs", headers));
    await until(async () => (await row(id))?.delivered === true);
    const again = await post("/jobs", headers);
    expect(again.status).toBe(202);
    expect(await again.json()).toMatchObject({ job: id });
    job.ended = true;
    await until(() => job.closed, 30_000);
  });

  test("a path that cannot be used is the upstream's failure, and free", async () => {
    const bought = await credit();
    for (const says of ["{}", '{"path":"//evil.example/x"}', '{"path":"http://evil.example/"}', "x"]) {
      origin.says = says;
      const response = await post("/jobs", { authorization: `Bearer ${bought.token}` });
      expect([says, response.status]).toEqual([says, 502]);
    }
    await until(async () => (await balance(bought)) === 1_000_000);
    expect((await post("/jobs/fails", { authorization: `Bearer ${bought.token}` })).status).toBe(500);
    await until(async () => (await balance(bought)) === 1_000_000);
  });

  test("an upstream that is away for a time is asked until it is back", async () => {
    const bought = await credit();
    const { job } = await jobOf(await post("/jobs", { authorization: `Bearer ${bought.token}` }));
    await until(() => job.words > 0);
    origin.isAway = true;
    job.due = 30_000n;
    job.ended = true;
    await until(async () => {
      // Any gateway asks.
      const pages = await Promise.all(gateways.map(async (_, at) => (await fetch(url("/metrics", at))).text()));
      return pages.some((page) => /turnpike_deferred_trouble_total\{trouble="unreachable"\} [1-9]/.test(page));
    });
    origin.isAway = false;
    await until(() => job.closed, 30_000);
    expect([job.paid, await balance(bought)]).toEqual([30_000n, 970_000]);
  });

  test("prepaid credit pays for what comes over all protocols", async () => {
    const [gateway] = gateways;
    if (gateway === undefined) throw new Error("no gateway");
    const bought = await credit("1500000");
    const asked = { path: "/jobs", method: "POST", headers: { authorization: `Bearer ${bought.token}` } };
    const replies = await Promise.all(PROTOCOLS.map((protocol) => ask(protocol, { gateway, quicPort }, asked)));
    const started = await Promise.all(
      replies.map(({ status, headers, body }) => {
        expect(headers["payment-response"]).toBeUndefined();
        return jobOf(new Response(body, { status }));
      }),
    );
    expect(new Set(started.map(({ id }) => id)).size).toBe(PROTOCOLS.length);
    for (const { job } of started) Object.assign(job, { due: 10_000n, ended: true });
    await until(() => started.every(({ job }) => job.closed), 30_000);
    expect([started.map(({ job }) => job.paid), await balance(bought)]).toEqual([
      [10_000n, 10_000n, 10_000n],
      1_470_000,
    ]);
  });

  test("a gateway that is killed is replaced by another one, and nothing is charged twice", async () => {
    const bought = await credit();
    gateways.push(await startGateway(config()));
    const headers = { authorization: `Bearer ${bought.token}` };
    const jobs = [await jobOf(await post("/jobs", headers, 2))];
    for (const { job } of jobs) await until(() => job.words > 0);
    // The second one is killed before it has told the upstream anything, or soon after.
    const last = await jobOf(await post("/jobs", headers, 2));
    jobs.push(last);
    for (const { job } of jobs) job.due = 7_000n;
    await gateways.pop()?.kill();
    for (const { job } of jobs) job.ended = true;
    await until(() => jobs.every(({ job }) => job.closed), 60_000);
    expect(jobs.map(({ job }) => job.paid)).toEqual([7_000n, 7_000n]);
    expect(await balance(bought)).toBe(1_000_000 - 14_000);
  });

  test("a new price is for new work, not for the work that goes on", async () => {
    const bought = await credit();
    const headers = { authorization: `Bearer ${bought.token}` };
    const old = await jobOf(await post("/jobs", headers));
    gateways[0]?.reload({ ...config("$0.01"), ...quic() });
    await until(async () => (await accepted("/jobs", "upto")).amount === "10000");
    const { job } = await jobOf(await post("/jobs", headers));
    expect([old.job.quote, job.quote]).toEqual([BigInt(QUOTE), 10_000n]);
    for (const one of [old.job, job]) Object.assign(one, { due: one.quote - 1_000n, ended: true });
    await until(() => old.job.closed && job.closed, 30_000);
    expect([old.job.paid, job.paid, await balance(bought)]).toEqual([499_000n, 9_000n, 492_000]);
  });
});
