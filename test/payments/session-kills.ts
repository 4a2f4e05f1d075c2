/**
 * Callers with sessions at once, through content services that are killed at random moments. Each caller logs in on a site of
 * its own process, and knows which states its sessions may have. With PostgreSQL, its server crashes, too.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { fractionsOf } from "../../src/lib/testing/mulberry32.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";
import { SESSION_LEASE_MS } from "../../src/store/jobs/session-store.ts";
import { TestPostgres } from "../../src/store/testing/postgres.ts";
import { Folder, Program } from "../support/program.ts";
import { SessionCaller } from "./session-caller.ts";
import { startLogInSite, type LogInSite } from "./session-site.ts";

export interface SessionKillOptions {
  readonly callers: number;
  readonly kills: number;
  readonly store: "sqlite" | "postgres";
  readonly seed: number;
  readonly progress?: (text: string) => void;
}

export interface SessionKillOutcome {
  /** Pages that were delivered, and calls without an acknowledgement: of killed services, and of clients that went away. */
  readonly pages: number;
  readonly broken: number;
  /** Calls that were refused, because another one had the session. */
  readonly busy: number;
  readonly wrong: readonly string[];
}

/** Services that share a database. A file belongs to one service. */
const SERVICES = { sqlite: 1, postgres: 2 };
/** Pages between a start and the next kill at most, milliseconds after the last of them, and milliseconds without enough pages. */
const MOST_PAGES = 8;
const LATER_MS = 500;
const LONGEST_LIFE_MS = 20_000;
const LOOK_MS = 5;
/** Milliseconds for which callers go on after the last kill. */
const AFTERMATH_MS = 500;
/** One in this number of faults is a crash of the database. */
const DATABASE_FAULTS = 5;

/** Lets callers use their sessions until `kills` kills have happened, and then looks at each session. */
export async function visitThroughKills(options: SessionKillOptions): Promise<SessionKillOutcome> {
  const run = await SessionKillRun.open(options);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class SessionKillRun {
  readonly #options: SessionKillOptions;
  readonly #folder = new Folder();
  readonly #random: () => number;
  readonly #site: LogInSite = startLogInSite();
  readonly #database: TestPostgres | undefined;
  readonly #user: string;
  readonly #ports: number[] = [];
  readonly #programs: Program[] = [];
  #outputs = "";

  private constructor(options: SessionKillOptions, database: TestPostgres | undefined, user: string) {
    this.#options = options;
    this.#random = fractionsOf(options.seed);
    this.#database = database;
    this.#user = user;
  }

  static async open(options: SessionKillOptions): Promise<SessionKillRun> {
    const database = options.store === "postgres" ? await TestPostgres.start() : undefined;
    const run = new SessionKillRun(options, database, (await database?.newUser()) ?? "");
    try {
      for (let i = 0; i < SERVICES[options.store]; i++) run.#ports.push(await freePort());
      await Promise.all(run.#ports.map((_, i) => run.#start(i)));
      return run;
    } catch (error) {
      await run.close();
      throw error;
    }
  }

  async run(): Promise<SessionKillOutcome> {
    const { callers: count, kills, seed, progress } = this.#options;
    const over = new AbortController();
    const services = this.#ports.map((port) => `http://127.0.0.1:${port}`);
    const callers = Array.from(
      { length: count },
      (_, i) => new SessionCaller(`c${i}`, { site: this.#site, services, random: fractionsOf(seed + i + 1) }),
    );
    const working = callers.map(async (caller) => {
      while (!over.signal.aborted) await caller.act();
    });
    for (let kill = 1; kill <= kills; kill++) {
      const enough = sum(callers, "pages") + this.#random() * MOST_PAGES;
      const until = performance.now() + LONGEST_LIFE_MS;
      while (sum(callers, "pages") < enough && performance.now() < until) await Bun.sleep(LOOK_MS);
      await Bun.sleep(this.#random() * LATER_MS);
      await this.#fault();
      if (kill % 10 === 0) progress?.(`${kill} of ${kills} kills, ${sum(callers, "pages")} pages`);
    }
    await Bun.sleep(AFTERMATH_MS);
    over.abort();
    await Promise.all(working);
    await Promise.all(callers.map((caller) => caller.settle(2 * SESSION_LEASE_MS)));
    const wrong = [...callers.flatMap((caller) => caller.wrong), ...this.#site.wrong, ...(await this.#leaks(callers))];
    const [pages, broken, busy] = [sum(callers, "pages"), sum(callers, "broken"), sum(callers, "busy")];
    return { pages, broken, busy, wrong };
  }

  async #fault(): Promise<void> {
    if (this.#database !== undefined && this.#random() < 1 / DATABASE_FAULTS) {
      await this.#database.crash();
      await this.#database.up();
      return;
    }
    const index = Math.floor(this.#random() * this.#ports.length);
    this.#programs[index]?.kill("SIGKILL");
    await this.#ended(index);
    await this.#start(index);
  }

  async #start(index: number): Promise<void> {
    const url = this.#database?.url(this.#user);
    const jobs =
      url === undefined ? [] : ["--jobs", JSON.stringify({ postgres: { url, statement_timeout_ms: 2_000 } })];
    const state = withBrowser(this.#folder.file(`state-${index}`));
    const flags = ["--port", String(this.#ports[index]), "--state-dir", state, "--allow-private"];
    const program = new Program(["content", ...flags, ...jobs]);
    this.#programs[index] = program;
    await program.sees(/listening on /);
  }

  async #ended(index: number): Promise<void> {
    const program = this.#programs[index];
    await program?.exit();
    this.#outputs += program?.output ?? "";
  }

  /** Secrets, cookies and stored values that are in the outputs of services, in their files or in the database. */
  async #leaks(callers: readonly SessionCaller[]): Promise<readonly string[]> {
    for (const program of this.#programs) program.kill("SIGTERM");
    await Promise.all(this.#programs.map((_, index) => this.#ended(index)));
    const rows = await this.#database?.query(
      `SELECT s::text, encode(s.state, 'escape') FROM ${this.#user}.turnpike_sessions s`,
    );
    const states = this.#ports.map((_, index) => this.#folder.file(`state-${index}`));
    const files = states.flatMap((state) =>
      readdirSync(state)
        .filter((name) => name.startsWith("jobs.sqlite"))
        .map((name) => readFileSync(join(state, name), "latin1")),
    );
    const places = { outputs: this.#outputs, database: JSON.stringify(rows ?? ""), files: files.join("") };
    const hidden = [...callers.flatMap(({ secrets }) => secrets), ...this.#site.values];
    const known = callers.flatMap(({ ids }) => ids);
    // Without the sessions in it, the search would find nothing anywhere.
    const stored = places.database + places.files;
    const unseen = known.filter((id) => !stored.includes(id)).map((id) => `${id} is not in the store`);
    const leaks = Object.entries(places).flatMap(([place, text]) =>
      hidden.filter((value) => text.includes(value)).map((value) => `${place}: ${value}`),
    );
    return [...unseen, ...leaks];
  }

  async close(): Promise<void> {
    for (const program of this.#programs) program.kill("SIGKILL");
    await Promise.all(this.#programs.map((program) => program.exit()));
    await this.#site.close();
    await this.#database?.close();
    this.#folder.remove();
  }
}

function sum(callers: readonly SessionCaller[], count: "pages" | "broken" | "busy"): number {
  return callers.reduce((all, caller) => all + caller[count], 0);
}
