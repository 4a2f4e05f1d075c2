import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields } from "../../../../lib/http/fields.ts";
import { type Exchange, type RequestHead } from "../../../exchange/exchange.ts";
import { type ForwardTarget } from "../../target.ts";
import { TestClient } from "../../testing/test-client.ts";
import { ResponseCache, type CacheSettings } from "../cache.ts";
import { CacheStore, type StoreLimits } from "../store.ts";

export const FAILURE = new TurnpikeError("upstream-failed", "the connection was reset");

/** The head of a response, and its body. */
export interface Reply {
  readonly status?: number;
  readonly fields?: Fields;
  readonly body?: string;
  /** Default: that of the body. */
  readonly length?: number;
}

/** A cache before an upstream that a test plays. */
export class CacheWorld {
  /** Milliseconds of both clocks. */
  now = Date.parse("2026-06-15T12:00:00Z");
  /** Milliseconds by which the system clock was set forward. */
  setBy = 0;
  readonly results: string[] = [];
  /** The requests that reached the upstream. */
  readonly asked: Exchange[] = [];
  readonly store: CacheStore;
  readonly cache: ResponseCache;

  constructor(change: Partial<CacheSettings> = {}, limits: Partial<StoreLimits> = {}) {
    this.store = new CacheStore({ maxEntries: 100, maxBytes: 10_000_000, ...limits });
    const target = {
      // A target that forwards nothing.
      variants: {
        choose: () => ({
          apply: (exchange: Exchange) => {
            this.asked.push(exchange);
            return undefined;
          },
        }),
      },
      respondWithError: ({ response }: Exchange, error: TurnpikeError, fields = "") => {
        if (!(response instanceof TestClient)) throw new Error("Cannot respond: the sink is not a client");
        response.fail(error);
        response.errorFields = fields;
      },
    } as unknown as ForwardTarget; // No other member is read before the variant is chosen.
    const settings = { ttl: 0, targets: [], vary: [], maxEntryBytes: 2_000_000, ...change };
    const watcher = { responded: (how: string) => this.results.push(how) };
    const clocks = { now: () => this.now, date: () => this.now + this.setBy };
    this.cache = new ResponseCache(settings, target, { store: this.store, stores: this.store, watcher, ...clocks });
  }

  /** Sends a request. */
  ask(head: Partial<RequestHead> | Fields = {}): TestClient {
    const client = new TestClient(typeof head === "string" ? { fields: head } : head);
    this.cache.serve(client.exchange);
    return client;
  }

  /** The latest request at the upstream. */
  get last(): Exchange {
    const last = this.asked.at(-1);
    if (last === undefined) throw new Error("Cannot respond: the upstream has no request");
    return last;
  }

  begin({ status = 200, fields = "", body = "", length = body.length }: Reply, at = this.last): void {
    at.response.start({ status, reason: "", fields, bodyLength: length });
  }

  send(body: string, at = this.last): boolean {
    return at.response.data(Buffer.from(body, "latin1"));
  }

  /** Responds to the latest request at the upstream. */
  reply(reply: Reply, at = this.last): void {
    this.begin(reply, at);
    if (reply.body !== undefined && reply.body !== "") this.send(reply.body, at);
    at.response.end("");
  }

  /** Stores a response to `/`, and forgets how. */
  put(control: string, { fields = "", body = "stored", ...reply }: Reply = {}): void {
    this.ask();
    this.reply({ ...reply, fields: `Cache-Control: ${control}\r\n${fields}`, body });
    this.results.length = this.asked.length = 0;
  }

  pass(seconds: number): void {
    this.now += seconds * 1000;
  }
}
