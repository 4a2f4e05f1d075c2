/** A caller with several sessions of one secret, which knows what each of them may have kept. */
import { untilNextLook } from "../../src/lib/testing/until.ts";
import { type LogInSite, type Shown, shownIn } from "./session-site.ts";

/** Sessions of a caller. */
const SESSIONS = 4;
/** Seconds for which a session lives, and for a page. */
const TTL_S = 3600;
const TIMEOUT_S = 30;
/** Milliseconds before the next call, if no service responds or the session is in use. */
const PAUSE_MS = 50;
/** Milliseconds after which some clients go away. */
const GOES_MS = 200;

/** A state of a session: the marks in its cookies, its storage and its database, and whether it has logged in. */
interface State {
  readonly who: string;
  readonly cookie: string;
  readonly stored: string;
  readonly indexed: string;
}

interface Held {
  readonly id: string;
  /** The states that it may have. */
  possible: readonly State[];
  /** Pages that were requested. */
  count: number;
  /** Its end was requested, and the response was lost. */
  isEnding: boolean;
}

interface Reply {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

interface Surroundings {
  readonly site: LogInSite;
  /** The base URLs of the services. */
  readonly services: readonly string[];
  readonly random: () => number;
}

export class SessionCaller {
  readonly wrong: string[] = [];
  pages = 0;
  broken = 0;
  busy = 0;
  readonly #name: string;
  readonly #at: Surroundings;
  #held: readonly Held[] = [];
  #ended: readonly string[] = [];
  #secret = "";
  /** Creations whose response was lost: their sessions are listed, perhaps. */
  #lostCreations = 0;

  constructor(name: string, at: Surroundings) {
    this.#name = name;
    this.#at = at;
  }

  get ids(): readonly string[] {
    return this.#held.filter(({ isEnding }) => !isEnding).map(({ id }) => id);
  }

  get secrets(): readonly string[] {
    return this.#secret === "" ? [] : [this.#secret];
  }

  /** Does one thing with its sessions. */
  async act(): Promise<void> {
    if (this.#held.length < SESSIONS) return await this.#create();
    const { random } = this.#at;
    const held = this.#held[Math.floor(random() * SESSIONS)];
    const what = random();
    if (held === undefined) return;
    if (what < 0.04 || held.isEnding) return await this.#end(held);
    if (what < 0.12) return await this.#list();
    if (what < 0.4) return void (await Promise.all([this.#step(held), this.#look(held)]));
    await this.#step(held);
  }

  /** Loads a page in each session once it is free, for `mostMs` milliseconds at most. */
  async settle(mostMs: number): Promise<void> {
    const began = performance.now();
    for (const held of this.#held) {
      while (!held.isEnding && !(await this.#step(held, "browser"))) {
        if (performance.now() - began > mostMs) {
          this.#fail(`the session ${held.id} cannot be used`);
          return;
        }
        await Bun.sleep(untilNextLook(began));
      }
    }
    await this.#list();
  }

  async #create(): Promise<void> {
    const secret = this.#secret === "" ? {} : { session_secret: this.#secret };
    const reply = await this.#send("POST", "/sessions", { ttl: TTL_S, ...secret });
    if (reply?.status !== 201) {
      this.#lostCreations += 1;
      return await this.#pause(reply, []);
    }
    this.#secret = String(reply.json["secret"]);
    const possible = [{ who: "none", cookie: "none", stored: "none", indexed: "none" }];
    this.#held = [...this.#held, { id: String(reply.json["id"]), possible, count: 0, isEnding: false }];
  }

  async #end(held: Held): Promise<void> {
    const reply = await this.#send("DELETE", `/sessions/${held.id}`);
    if (reply?.status === 404 && !held.isEnding) this.#fail(`the session ${held.id} was lost`);
    held.isEnding = true;
    if (reply?.status !== 200 && reply?.status !== 404) return await this.#pause(reply, []);
    this.#held = this.#held.filter((one) => one !== held);
    this.#ended = [...this.#ended, held.id];
  }

  async #list(): Promise<void> {
    const reply = await this.#send("GET", "/sessions");
    if (reply?.status !== 200) return await this.#pause(reply, []);
    // As described in the API.
    const listed = (reply.json["sessions"] as readonly { id: string }[]).map(({ id }) => id);
    for (const id of this.ids) if (!listed.includes(id)) this.#fail(`the session ${id} is not listed`);
    for (const id of this.#ended) if (listed.includes(id)) this.#fail(`the session ${id} has ended, and is listed`);
    if (listed.length > this.#held.length + this.#lostCreations) this.#fail(`${listed.length} sessions are listed`);
  }

  /** Loads a page that leaves its mark. True if it was delivered. */
  async #step(held: Held, engine = this.#engine()): Promise<boolean> {
    held.count += 1;
    const { site, random } = this.#at;
    const left = site.mark(held.id, held.count);
    const before = held.possible;
    const cookies = before.map((state) => ({ ...state, who: this.#name, cookie: left }));
    const stored = engine === "browser" ? cookies.map((state) => ({ ...state, stored: left })) : cookies;
    const after = engine === "browser" ? stored.map((state) => ({ ...state, indexed: left })) : cookies;
    const goes = random() < 0.1 && this.pages > 0;
    const reply = await this.#load(held, `/step?n=${held.count}`, engine, goes ? random() * GOES_MS : undefined);
    if (reply?.status === 200) {
      const shown = this.#check(held, reply, before);
      held.possible = unique(after.filter((_, at) => matches(before[at], shown)));
      this.pages += 1;
      return true;
    }
    // A refused call has changed nothing. Of a page that was stopped, the cookies are kept.
    if (reply?.status === 409) this.busy += 1;
    else
      held.possible = unique([...before, ...after, ...(reply === undefined && !goes ? [] : [...cookies, ...stored])]);
    await this.#pause(reply, ["page-failed", "page-timeout"]);
    return false;
  }

  /** Loads a page that changes nothing, while another one is loaded. */
  async #look(held: Held): Promise<void> {
    const before = held.possible;
    const reply = await this.#load(held, `/look?n=0`, this.#engine());
    if (reply?.status === 200) {
      const shown = shownIn(String(reply.json["content"]));
      const own = this.#at.site.mark(held.id, held.count);
      const possible = [...before, ...before.map((state) => ({ ...state, who: this.#name, cookie: own }))];
      const stored = [...possible, ...possible.map((state) => ({ ...state, stored: own }))];
      const all = [...stored, ...stored.map((state) => ({ ...state, indexed: own }))];
      this.#check(held, reply, shown.cookie === own ? all : before);
    } else if (reply?.status === 409) this.busy += 1;
    else await this.#pause(reply, ["page-failed", "page-timeout"]);
  }

  /** Compares what a page has shown with the states that the session may have had. */
  #check({ id }: Held, { json }: Reply, possible: readonly State[]): Shown {
    const shown = shownIn(String(json["content"]));
    if (shown.who !== this.#name && shown.who !== "none") this.#fail(`${id} shows the login of ${shown.who}`);
    if (!possible.some((state) => matches(state, shown)))
      this.#fail(`${id} shows ${JSON.stringify(shown)}, and may have ${JSON.stringify(possible)}`);
    return shown;
  }

  async #load(held: Held, path: string, engine: string, goesMs?: number): Promise<Reply | undefined> {
    const url = `${this.#at.site.url}${path}&caller=${this.#name}&session=${held.id}`;
    const waits = engine === "browser" ? { selector: "#done" } : {};
    const page = { url, format: "text", engine, timeout: TIMEOUT_S, ...waits };
    return await this.#send("POST", "/scrape", { ...page, session: held.id }, goesMs);
  }

  #engine(): "browser" | "static" {
    return this.#at.random() < 0.6 ? "browser" : "static";
  }

  /** Undefined if there was no response. */
  async #send(method: string, path: string, body?: object, goesMs?: number): Promise<Reply | undefined> {
    const { services, random } = this.#at;
    const service = services[Math.floor(random() * services.length)] ?? "";
    try {
      const response = await fetch(service + path, {
        method,
        headers: { "content-type": "application/json", "x-session-secret": this.#secret },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(goesMs === undefined ? {} : { signal: AbortSignal.timeout(goesMs) }),
      });
      // Each JSON response of the service is an object.
      return { status: response.status, json: (await response.json()) as Reply["json"] };
    } catch {
      this.broken += 1;
      return undefined;
    }
  }

  /** Waits before the next call. Errors that are neither of a fault nor `expected` are wrong. */
  async #pause(reply: Reply | undefined, expected: readonly string[]): Promise<void> {
    const code = String(reply?.json["type"]).split(":").at(-1) ?? "";
    const faults = ["session-busy", "store-unavailable", "browser-unavailable", "overloaded"];
    if (reply !== undefined && ![...faults, ...expected].includes(code))
      this.#fail(`a response is ${reply.status} ${JSON.stringify(reply.json)}`);
    await Bun.sleep(PAUSE_MS);
  }

  #fail(what: string): void {
    this.wrong.push(`${this.#name}: ${what}`);
  }
}

function matches(state: State | undefined, { who, cookie, stored, indexed }: Shown): boolean {
  if (state?.who !== who || state.cookie !== cookie) return false;
  return [undefined, state.stored].includes(stored) && [undefined, state.indexed].includes(indexed);
}

function unique(states: readonly State[]): readonly State[] {
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()];
}
