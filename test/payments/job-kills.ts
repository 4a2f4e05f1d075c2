/**
 * Crawls that are paid by their pages, through random SIGKILLs of two gateways and the content service. With PostgreSQL, its
 * server crashes, too. With files, root also fills the disk of all of them.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { smallDisk } from "../../src/lib/testing/small-disk.ts";
import { issueCredit } from "../../src/payments/credit/issue.ts";
import { deferralOf } from "../../src/payments/settlement/deferral.ts";
import { PAYER, TERMS, USDC } from "../../src/payments/testing/payment.ts";
import { signedPermit2 } from "../../src/payments/testing/permit2-payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentRequired } from "../../src/payments/x402/messages.ts";
import { channelOf } from "../../src/store/channels.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { type Payment } from "../../src/store/ledger.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { type Store } from "../../src/store/store.ts";
import { TestPostgres } from "../../src/store/testing/postgres.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { COMMAND } from "../support/program.ts";
import { ChannelTill } from "./channel-till.ts";

/** Atomic units of a page, and pages of a crawl at most. The site has fewer. */
const PAGE = 5000;
const LIMIT = 60;
const SITE_PAGES = 40;
/** Prepaid credit: more than all crawls can cost. */
const BALANCE = 1_000_000_000;
/** Milliseconds that a page of the site takes, and between two looks at the results. */
const PAGE_MS = 100;
const LOOK_MS = 400;
/** Milliseconds for which the disk is full. */
const FULL_MS = 4_000;
/** Milliseconds after the last fault in which all crawls must end, and in which a killed process must start. */
const END_MS = 600_000;
const START_MS = 120_000;

export interface JobKillOptions {
  readonly kills: number;
  /** Crawls of each way of payment that run at a time: when one ends, the next begins. */
  readonly crawls: number;
  /** `pages`: by prepaid credit and `upto`, in test mode. `channel`: each from a channel of its own, on a chain. */
  readonly pay: "pages" | "channel";
  readonly store: "sqlite" | "postgres";
  readonly seed: number;
  readonly progress: (text: string) => void;
}

export interface JobKillResult {
  readonly crawls: number;
  readonly pages: number;
  readonly paid: number;
  readonly wrong: readonly string[];
}

type Way = "credit" | "upto" | "channel";

interface Crawl {
  readonly pay: Way;
  readonly id: string;
  readonly secret: string;
  /** Results that the client has read, by number. */
  readonly read: Map<number, Result>;
  isOver: boolean;
}

interface Result {
  readonly number: number;
  readonly url: string;
  readonly content?: string;
}

interface State {
  readonly state: string;
  readonly delivered: number;
  readonly cost: { readonly due: string; readonly paid: string; readonly paid_pages: number; readonly open: boolean };
}

/** A generator of numbers from 0 to below 1 (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Runs the crawls, and compares what was read with what was paid. */
export async function crawlThroughKills(options: JobKillOptions): Promise<JobKillResult> {
  const { kills, crawls, seed, progress } = options;
  const database = options.store === "postgres" ? await TestPostgres.start({ fsync: "on" }) : undefined;
  const till = options.pay === "channel" ? await ChannelTill.open() : undefined;
  const world = await World.start(database, till);
  const random = numbers(seed);
  try {
    await world.begin(crawls);
    const reading = world.readAll();
    for (let count = 1; count <= kills; count++) {
      await Bun.sleep(200 + random() * 3000);
      const fault = world.faults[Math.floor(random() * world.faults.length)] ?? 0;
      await world.hit(fault);
      await world.begin(crawls);
      progress(
        `fault ${count}: ${typeof fault === "string" ? fault : `gateway ${fault}`}; ${world.crawls.length} crawls so far`,
      );
    }
    world.endBy(performance.now() + END_MS);
    await reading;
    return await world.compared();
  } finally {
    await world.close();
  }
}

/** A SIGKILL of the content service or of a gateway, a crash of the database, or a full disk. */
type Fault = "content" | 0 | 1 | "database" | "disk";

class World {
  readonly crawls: Crawl[] = [];
  readonly faults: readonly Fault[];
  readonly #wrong = new Set<string>();
  readonly #disk = smallDisk("64m");
  readonly #site: Bun.Server<undefined>;
  readonly #port: number;
  readonly #database: TestPostgres | undefined;
  readonly #till: ChannelTill | undefined;
  #user = "";
  #endAt = Number.POSITIVE_INFINITY;
  #content: Bun.Subprocess | undefined;
  readonly #gateways: Gateway[] = [];
  #store: Store | undefined;
  #token = "";
  #credit = "";

  private constructor(port: number, database: TestPostgres | undefined, till: ChannelTill | undefined) {
    this.#port = port;
    this.#database = database;
    this.#till = till;
    const others = this.#disk.isMounted ? (["disk"] as const) : [];
    this.faults = ["content", 0, 1, ...(database === undefined ? others : (["database"] as const))];
    // Each crawl has a host of its own, so that the pace of one host does not slow all of them.
    this.#site = Bun.serve({ hostname: "0.0.0.0", port: 0, fetch: pageOf });
  }

  static async start(database: TestPostgres | undefined, till: ChannelTill | undefined): Promise<World> {
    const world = new World(await freePort(), database, till);
    world.#user = (await database?.newUser()) ?? "";
    await world.#startContent();
    for (let count = 0; count < 2; count++) world.#gateways.push(await world.#gateway());
    const settings = database?.settings({ user: world.#user });
    const store =
      settings === undefined ? openStore(join(world.#disk.path, "turnpike.db")) : openPostgresStore(settings);
    await store.ready();
    world.#store = store;
    const terms = { owner: PAYER, unit: "money", name: "", network: "eip155:84532", routes: [], expiresAt: 0 } as const;
    const grant = { kind: "issued", amount: String(BALANCE), payment: "" } as const;
    const { id, token } = await issueCredit(store.credits, { ...terms, token: USDC.toLowerCase() }, grant, true);
    world.#credit = id;
    world.#token = token;
    return world;
  }

  /** Begins crawls until as many of each way of payment run. */
  async begin(crawls: number): Promise<void> {
    const missing = (pay: Way): number => crawls - this.crawls.filter((one) => one.pay === pay && !one.isOver).length;
    const ways: readonly Way[] = this.#till === undefined ? ["credit", "upto"] : ["channel"];
    for (const way of ways) while (missing(way) > 0) await this.#begin(way);
  }

  /** Begins a crawl. Gateways and services reject it for as long as they cannot use the database. */
  async #begin(pay: Way): Promise<void> {
    await repeated(async () => {
      const crawl = await this.#crawl(pay, await this.#headers(pay));
      if (crawl !== undefined) this.crawls.push(crawl);
      return crawl !== undefined;
    });
  }

  async hit(fault: Fault): Promise<void> {
    if (fault === "disk") {
      const filler = this.#disk.fill();
      await Bun.sleep(FULL_MS);
      rmSync(filler);
      return;
    }
    if (fault === "database") {
      await this.#database?.crash();
      await this.#database?.up();
      return;
    }
    if (fault === "content") {
      this.#content?.kill("SIGKILL");
      await this.#content?.exited;
      await this.#startContent();
      return;
    }
    await this.#gateways[fault]?.kill();
    this.#gateways[fault] = await this.#gateway();
  }

  /** A crawl that has not ended at this time, by the clock, is wrong. */
  endBy(time: number): void {
    this.#endAt = time;
  }

  /** Reads the results of all crawls as they come, until no further ones can come. */
  async readAll(): Promise<void> {
    while (this.#goesOn() && performance.now() < this.#endAt) {
      for (const crawl of this.crawls) if (!crawl.isOver) await this.#read(crawl).catch(() => {});
      await Bun.sleep(LOOK_MS);
    }
  }

  #goesOn(): boolean {
    return this.#endAt === Number.POSITIVE_INFINITY || this.crawls.some(({ isOver }) => !isOver);
  }

  async compared(): Promise<JobKillResult> {
    let [pages, paid, spent] = [0, 0, 0];
    for (const { id, isOver } of this.crawls) if (!isOver) this.#wrong.add(`${id}: has not ended`);
    for (const crawl of this.crawls) {
      const { state, delivered, cost } = await this.#state(crawl);
      const contents = [...crawl.read.values()].filter(({ content }) => content !== undefined);
      const rows = await this.#rows(crawl);
      const [row] = rows;
      const amount = row?.state === "settled" ? Number(row.amount) : -1;
      const facts = [contents.length * PAGE, delivered * PAGE, Number(cost.paid), Number(cost.due)];
      if (rows.length !== 1) this.#wrong.add(`${crawl.id}: ${rows.length} payments`);
      if (facts.some((fact) => fact !== amount)) {
        this.#wrong.add(
          `${crawl.id} (${crawl.pay}, ${state}): read, delivered, paid, due ${facts.join(", ")}, charged ${amount}`,
        );
      }
      if (new Set(contents.map(({ url }) => url)).size !== contents.length)
        this.#wrong.add(`${crawl.id}: a page twice`);
      if (crawl.pay === "credit") spent += amount;
      else if (row !== undefined && Number(await this.#moved(row)) !== amount) {
        this.#wrong.add(`${crawl.id}: the ${crawl.pay === "channel" ? "channel" : "transfer"} has another amount`);
      }
      pages += contents.length;
      paid += amount;
    }
    const balance = Number((await this.#store?.credits.find(this.#credit))?.balance);
    if (balance !== BALANCE - spent) this.#wrong.add(`the balance is ${balance}, and ${spent} was spent`);
    return { crawls: this.crawls.length, pages, paid, wrong: [...this.#wrong] };
  }

  /** The amount that the transfer of a payment has, or that its channel owes. */
  async #moved(row: Payment): Promise<string | undefined> {
    if (this.#till === undefined) return (await this.#store?.simulatedTransfers.find(row))?.amount;
    return (await this.#store?.channels.find(channelOf(row.nonce)))?.charged;
  }

  async close(): Promise<void> {
    this.#content?.kill("SIGKILL");
    for (const gateway of this.#gateways) await gateway.kill();
    await this.#store?.close();
    await this.#database?.close();
    await this.#till?.close();
    await this.#site.stop(true);
    this.#disk[Symbol.dispose]();
  }

  async #startContent(): Promise<void> {
    const state = withBrowser(join(this.#disk.path, "content"));
    const url = this.#database?.url(this.#user);
    const jobs =
      url === undefined ? [] : ["--jobs", JSON.stringify({ postgres: { url, statement_timeout_ms: 2_000 } })];
    const args = ["content", "--port", String(this.#port), "--state-dir", state, "--allow-private", ...jobs];
    this.#content = Bun.spawn([...COMMAND, ...args], { stdio: ["ignore", "ignore", "inherit"] });
    await repeated(async () => (await fetch(`http://127.0.0.1:${this.#port}/openapi.json`)).ok);
  }

  #config(): Record<string, unknown> {
    const { price: _price, scheme: _scheme, ...account } = TERMS;
    const price = String(PAGE * LIMIT);
    const upto = { ...TERMS, scheme: "upto", price, max_timeout_seconds: 3600 };
    const simulated = { enabled: true, test_mode: true, credit: { ...account, min: "$0.01" } };
    const terms = this.#till?.terms(PAGE * LIMIT) ?? upto;
    return {
      state_path: this.#disk.path,
      ...(this.#database === undefined ? {} : { postgres: { url: this.#database.url(this.#user) } }),
      x402: this.#till?.x402 ?? simulated,
      upstreams: [{ name: "content", servers: [serverAt(this.#port)] }],
      routes: [{ path_prefix: "/crawl", upstream: "content", x402: terms }],
    };
  }

  /** A gateway that has started. */
  #gateway(): Promise<Gateway> {
    return startGateway(this.#config(), this.#till?.environment);
  }

  async #headers(pay: Way): Promise<Record<string, string>> {
    return pay === "credit"
      ? { authorization: `Bearer ${this.#token}` }
      : { "payment-signature": await this.#signed() };
  }

  async #signed(): Promise<string> {
    const asked = await fetch(this.#url(), { method: "POST" });
    const { accepts } = decodeHeader(asked.headers.get("payment-required") ?? "") as PaymentRequired;
    const [requirements] = accepts;
    if (requirements === undefined) throw new Error("the gateway asks for no payment");
    return (await this.#till?.signed(requirements)) ?? encodeHeader(signedPermit2(requirements, Date.now() / 1000));
  }

  #url(): string {
    return `http://127.0.0.1:${this.#gateways[this.crawls.length % 2]?.port}/crawl`;
  }

  async #crawl(pay: Way, headers: Record<string, string>): Promise<Crawl | undefined> {
    const at = this.crawls.length;
    const urls = [`http://127.0.${3 + Math.floor(at / 200)}.${(at % 200) + 1}:${this.#site.port}/p/${at}/0`];
    const response = await fetch(this.#url(), {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ urls, limit: LIMIT, sitemap: "skip", format: "text" }),
    });
    if (response.status === 503) return undefined;
    if (response.status !== 202) throw new Error(`no crawl: ${response.status} ${await response.text()}`);
    const { id, secret } = (await response.json()) as { id: string; secret: string };
    return { pay, id, secret, read: new Map(), isOver: false };
  }

  async #about<T>({ id, secret }: Crawl, path = ""): Promise<T> {
    const url = `http://127.0.0.1:${this.#port}/crawl/${id}${path}`;
    const response = await fetch(url, { headers: { "x-job-secret": secret } });
    if (response.status !== 200) throw new Error(`the job is not there: ${response.status}`);
    return (await response.json()) as T;
  }

  #state(crawl: Crawl): Promise<State> {
    return this.#about<State>(crawl);
  }

  /** The payments of a crawl: the path of its charge has its id. */
  async #rows({ id }: Crawl): Promise<readonly Payment[]> {
    const all = (await this.#store?.view.list({}, { limit: 1000 })) ?? [];
    return all.filter((row) => row.deferral.includes(`/${id}/`));
  }

  async #read(crawl: Crawl): Promise<void> {
    const { state, cost } = await this.#state(crawl);
    const { results } = await this.#about<{ results: Result[] }>(crawl, `/results?count=1000&after=${crawl.read.size}`);
    for (const result of results) crawl.read.set(result.number, result);
    const pages = [...crawl.read.values()].filter(({ content }) => content !== undefined).length;
    const [row] = await this.#rows(crawl);
    const recorded = row === undefined ? 0 : moneyOf(row);
    if (pages * PAGE > recorded)
      this.#wrong.add(`${crawl.id} (${crawl.pay}): ${pages} pages read, ${recorded} recorded`);
    crawl.isOver = state !== "running" && !cost.open && results.length === 0;
  }
}

/** The amount that the ledger has as charged. Under `upto` that is nothing before the settlement. */
function moneyOf(row: Payment): number {
  if (row.state === "settled") return Number(row.amount);
  return row.scheme !== "upto" ? Number(deferralOf(row)?.due ?? 0) : 0;
}

/** The sites: each page links to some others, and some links lead to nothing. */
async function pageOf(request: Request): Promise<Response> {
  const [, , site, number = ""] = new URL(request.url).pathname.split("/");
  const at = Number(number);
  await Bun.sleep(PAGE_MS);
  if (!(at < SITE_PAGES)) return new Response("", { status: 404 });
  const links = [at * 2 + 1, at * 2 + 2, at + 7]
    .filter((to) => to < SITE_PAGES + 2)
    .map((to) => `<a href="/p/${site}/${to}">page ${to}</a>`)
    .join(" ");
  const text = `Page ${at} of site ${site} tells of the tides at place ${at * 31 + Number(site)}. `.repeat(8);
  const html = `<!doctype html><title>Page ${at}</title><article><h1>Page ${at}</h1><p>${text}</p>${links}</article>`;
  return new Response(html, { headers: { "content-type": "text/html" } });
}

async function repeated(probe: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + START_MS;
  while (!(await probe().catch(() => false))) {
    if (performance.now() > until) throw new Error(`the content service is not ready within ${START_MS} ms`);
    await Bun.sleep(100);
  }
}
