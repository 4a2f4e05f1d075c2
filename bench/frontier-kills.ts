import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestPostgres } from "../src/store/testing/postgres.ts";
import { startRelay } from "../src/store/testing/relay.ts";
import { type Child, Children, waitFor } from "./support/children.ts";
import { contentService, crawlOf, listening, stateOf } from "./frontier-crawl.ts";

const SITE = fileURLToPath(new URL("support/generated-site.ts", import.meta.url));
const SERVICES = 3;
/** Pages of each crawl, and sites. */
const PAGES = 2_000;
const SITES = 20;
/** Milliseconds between two faults, and of a network cut. */
const PAUSE_MS = 3_000;
const FAULT_MS = 1_500;
const LOOK_MS = 500;
/** Milliseconds after the last fault in which all crawls must end. */
const END_MS = 600_000;
const FAULTS = ["service", "database", "network"] as const;

interface Result {
  readonly number: number;
  readonly url: string;
  readonly error?: string;
}

/** `npm run bench -- frontier --kills N`: N random faults during crawls. Fails if a page is lost, or delivered twice. */
export async function killCrawls(faults: number, random: () => number): Promise<number> {
  const children = new Children();
  const database = await TestPostgres.start({ fsync: "on" });
  try {
    using relay = await startRelay(database.port);
    const url = database.url(await database.newUser()).replace(`:${database.port}/`, `:${relay.port}/`);
    const jobs = JSON.stringify({ host_interval_ms: 0, postgres: { url, statement_timeout_ms: 2_000 } });
    const site = children.spawn({ name: "site", argv: [process.execPath, SITE, String(PAGES / SITES), "20"] });
    const port = await waitFor(site, "site", async () => site.output().trim() || undefined);
    const start = (at: number): Child => children.spawn(contentService(join(children.folder, String(at)), jobs));
    const services = Array.from({ length: SERVICES }, (_, at) => start(at));
    await Promise.all(services.map(listening));
    const crawls = new Crawls(services, port);
    for (let at = 0; at < faults; at += 1) {
      await crawls.keepOne();
      await Bun.sleep(PAUSE_MS);
      const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? "service";
      console.log(`${at + 1}: ${fault}`);
      if (fault === "service") {
        const which = Math.floor(random() * SERVICES);
        const pid = services[which]?.pid;
        if (pid !== undefined) process.kill(pid, "SIGKILL");
        services[which] = start(which);
      } else if (fault === "database") {
        await database.crash();
        await database.up();
      } else {
        relay.loses = true;
        await Bun.sleep(FAULT_MS);
        relay.loses = false;
        relay.cut();
      }
    }
    return await crawls.check();
  } finally {
    await children.close();
    await database.close();
  }
}

/** One crawl after another, and what each must have delivered. */
class Crawls {
  readonly #services: readonly Child[];
  readonly #port: string;
  readonly #made: { status: string; secret: string }[] = [];

  constructor(services: readonly Child[], port: string) {
    this.#services = services;
    this.#port = port;
  }

  /** Begins a crawl if none runs. */
  async keepOne(): Promise<void> {
    const last = this.#made.at(-1);
    const state = last && (await this.#ask((url) => stateOf(url, last)));
    if (state?.state === "running") return;
    const origins = Array.from({ length: SITES }, (_, at) => `http://127.0.2.${at + 1}:${this.#port}/`);
    this.#made.push(await this.#ask((url) => crawlOf(url, origins, PAGES)));
  }

  /** Waits for the end of all crawls. Returns 0 if each delivered each page once. */
  async check(): Promise<number> {
    let wrong = 0;
    const endAt = performance.now() + END_MS;
    for (const made of this.#made) {
      let state = await this.#ask((url) => stateOf(url, made));
      while (state.state === "running" && performance.now() < endAt) {
        await Bun.sleep(LOOK_MS);
        state = await this.#ask((url) => stateOf(url, made));
      }
      const results = await this.#results(made);
      const delivered = results
        .filter(({ error }) => error === undefined)
        .map(({ url }) => url.replace("/pages/0", "/"));
      const hasGap = results.some(({ number }, at) => number !== at + 1);
      const isRight =
        state.state === "completed" && !hasGap && new Set(delivered).size === PAGES && delivered.length === PAGES;
      if (!isRight) wrong += 1;
      const kinds = JSON.stringify(state.not_delivered);
      for (const { url, error } of results) if (error !== undefined) console.log(`failed: ${url}: ${error}`);
      console.log(
        `${isRight ? "right" : "WRONG"}: ${state.state}, ${delivered.length} pages, ${new Set(delivered).size} addresses, ${kinds}`,
      );
    }
    return wrong === 0 ? 0 : 1;
  }

  async #results(made: { status: string; secret: string }): Promise<Result[]> {
    const all: Result[] = [];
    for (;;) {
      const path = `${made.status}/results?after=${all.length}`;
      // The response of this operation.
      const page = await this.#ask(async (url) => {
        const response = await fetch(url + path, { headers: { "x-job-secret": made.secret } });
        return (await response.json()) as { results: Result[] };
      });
      if (page.results.length === 0) return all;
      all.push(...page.results);
    }
  }

  /** Asks any service that responds, as a client behind a gateway does. */
  async #ask<T>(ask: (url: string) => Promise<T>): Promise<T> {
    for (;;) {
      for (const service of this.#services) {
        const url = /listening on (\S+)/.exec(service.output())?.[1];
        if (url === undefined || service.exited() !== undefined) continue;
        try {
          return await ask(url);
        } catch {
          // It is down, or cannot reach the database.
        }
      }
      await Bun.sleep(LOOK_MS);
    }
  }
}
