import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields, fieldValue } from "../../../../lib/http/fields.ts";
import { type Exchange, type RequestHead, type ResponseHead } from "../../../exchange/exchange.ts";
import { Subrequest, type SubrequestSink } from "../../subrequest.ts";
import { type ForwardTarget } from "../../target.ts";
import { ResponseCache, type CacheSettings } from "../cache.ts";
import { CacheStore, type StoreLimits } from "../store.ts";

export const HOST = "a.test";
export const FAILURE = new TurnpikeError("upstream-failed", "the connection was reset");

/** A client, and what it receives. It takes data only while `takes` is true. */
export class TestClient implements SubrequestSink {
  readonly exchange: Subrequest;
  readonly interim: number[] = [];
  head: ResponseHead | undefined;
  body = "";
  /** The lengths of the pieces of the body. */
  readonly pieces: number[] = [];
  takes = true;
  trailers: Fields | undefined;
  error = "";
  errorFields = "";

  constructor(head: Partial<RequestHead>) {
    const origin = { id: "", protocol: "HTTP/1.1", peerAddress: "", clientAddress: "", session: undefined } as const;
    const whole: RequestHead = {
      method: "GET",
      scheme: "http",
      authority: HOST,
      path: "/",
      query: "",
      fields: "",
      payment: "",
      bodyLength: 0,
      expectContinue: false,
      via: "",
      forwardedFor: "",
      isGrpc: false,
      upgrade: "",
      ...head,
    };
    this.exchange = new Subrequest({ ...origin, beganAt: 0 }, whole, this);
  }

  start(head: ResponseHead): void {
    if (head.status < 200) this.interim.push(head.status);
    else this.head = head;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.body += Buffer.from(chunk.subarray(start, end)).toString("latin1");
    this.pieces.push(end - start);
    return this.takes;
  }

  end(trailers: Fields): void {
    this.trailers = trailers;
  }

  abort(error: TurnpikeError): void {
    this.error = `aborted: ${error.code}`;
  }

  fail(error: TurnpikeError): void {
    this.error = error.code;
  }

  get status(): number | undefined {
    return this.head?.status;
  }

  get isEnded(): boolean {
    return this.trailers !== undefined;
  }

  /** The Cache-Status of its response, without this cache's name. */
  get how(): string {
    return fieldValue((this.head?.fields ?? "") + this.exchange.addedFields, "cache-status")?.slice(10) ?? "";
  }

  field(name: string): string | undefined {
    return fieldValue(this.head?.fields ?? "", name);
  }
}

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
  /** Unix milliseconds. */
  now = Date.parse("2026-06-15T12:00:00Z");
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
    this.cache = new ResponseCache(settings, target, { store: this.store, watcher, now: () => this.now });
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
