import { eventTime } from "../../lib/time/event-clock.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { respondWithError } from "../exchange/local-response.ts";
import { type Exchange, type RequestHead, type ResponseHead } from "../exchange/exchange.ts";
import { plainHead } from "../exchange/exchange-state.ts";
import { Subrequest, type SubrequestSink } from "../proxy/subrequest.ts";
import { WholeBody } from "../exchange/whole-body.ts";
import { createFilter } from "./create-filter.ts";
import { dryRuntime } from "./dry-runtime.ts";
import { type FilterModule } from "./module/module-cache.ts";
import { type FilterRuntime, type FilterSettings } from "./runtime/runtime.ts";

/** Milliseconds that a filter can keep a request waiting. */
const PATIENCE_MS = 5000;
const MAX_BODY_BYTES = 33_554_432;
/** The body of the response that replaces the upstream's. */
const RESPONSE_BODY = Buffer.from("a response\n");
const RESPONSE_FIELDS = "content-type: text/plain\r\n";

export interface DryRequest {
  readonly head: RequestHead;
  readonly body: Uint8Array;
}

/** The settings of a filter in a dry run. `fuel` is for one invocation. */
export type DrySettings = Pick<FilterSettings, "fuel" | "config" | "rootId">;

/** A request in the form in which the gateway would forward it. */
export interface Forwarded {
  readonly head: RequestHead;
  readonly body: Buffer;
}

/** The effects of a filter on a request and on its response. */
export interface DryRun {
  readonly log: readonly string[];
  /** Undefined if the filter, or the gateway on its behalf, has responded instead. */
  readonly forwarded: Forwarded | undefined;
  readonly response: { readonly head: ResponseHead; readonly body: Buffer } | undefined;
  /** Fuel that each callback used, in the order of the calls. */
  readonly fuel: readonly number[];
}

/** Runs one request through a filter, with a short response of 200. Throws if the filter does not start. */
export async function dryRun(module: FilterModule, settings: DrySettings, request: DryRequest): Promise<DryRun> {
  const wheel = new TimerWheel();
  const log: string[] = [];
  const fuel: number[] = [];
  const { runtime: dry, callTargets } = dryRuntime(wheel);
  callTargets.use();
  const runtime: FilterRuntime = {
    ...dry,
    respondWithError,
    hostCallDeadlineMs: () => PATIENCE_MS,
    log: (_filter, line) => void log.push(line),
    onError: (error) => void log.push(String(error)),
    metrics: () => ({ invoked: (_phase, _outcome, used) => void fuel.push(used.fuel), notInvoked() {} }),
  };
  const filter = createFilter(module, { ...FIXED, ...settings }, runtime);
  try {
    const kept = new KeptResponse();
    const exchange = new Subrequest(ORIGIN(), request.head, kept, new WholeBody(request.body, ""));
    const decision = await filter.request(exchange);
    const forwarded = decision.kind === "continue" ? await forwardedOf(exchange, kept) : undefined;
    if (forwarded !== undefined) respond(exchange);
    await kept.over;
    exchange.onFinish?.(exchange);
    const { head } = kept;
    return { log, forwarded, fuel, response: head && { head, body: Buffer.concat(kept.chunks) } };
  } finally {
    wheel.close();
  }
}

const FIXED = {
  name: "filter",
  route: "/",
  upstream: "",
  instances: 1,
  responseFailClosed: false,
  vmConfig: "",
  vmId: "",
  maxBodyBytes: MAX_BODY_BYTES,
  visibleFields: ({ fields }: RequestHead) => fields,
  visibleQuery: ({ query }: RequestHead) => query,
};

const ORIGIN = () =>
  ({
    id: "dry-run",
    protocol: "HTTP/1.1",
    peerAddress: "127.0.0.1",
    clientAddress: "127.0.0.1",
    beganAt: eventTime(),
  }) as const;

/** Reads the request that would be forwarded; undefined if the filter has responded in the meantime. */
async function forwardedOf(exchange: Exchange, kept: KeptResponse): Promise<Forwarded | undefined> {
  const { head } = exchange;
  const chunks: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  if (head.bodyLength === 0) resolve();
  else {
    exchange.body.readTo({
      data(chunk, start = 0, end = chunk.length) {
        chunks.push(Buffer.from(chunk.slice(start, end)));
        return true;
      },
      end: () => resolve(),
      abort: () => resolve(),
    });
  }
  await Promise.race([promise, kept.over]);
  return kept.isBegun ? undefined : { head: plainHead(exchange.head), body: Buffer.concat(chunks) };
}

function respond({ response }: Exchange): void {
  response.start({ status: 200, reason: "", fields: RESPONSE_FIELDS, bodyLength: RESPONSE_BODY.length });
  response.data(RESPONSE_BODY);
  response.end("");
}

/** The response as a client would receive it. */
class KeptResponse implements SubrequestSink {
  head: ResponseHead | undefined;
  readonly chunks: Buffer[] = [];
  readonly #over = Promise.withResolvers<void>();
  readonly over = this.#over.promise;

  get isBegun(): boolean {
    return this.head !== undefined;
  }

  start(head: ResponseHead): void {
    if (head.status >= 200) this.head = head;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.chunks.push(Buffer.from(chunk.slice(start, end)));
    return true;
  }

  end(_trailers: Fields): void {
    this.#over.resolve();
  }

  abort(_error: TurnpikeError): void {
    this.#over.resolve();
  }

  fail(_error: TurnpikeError): void {
    this.#over.resolve();
  }
}
