/** The host of a fuzzed connection: it reads every request completely, responds to it, and records both. */
import { TurnpikeError } from "../../src/lib/errors.ts";
import { type Fields } from "../../src/lib/http/fields.ts";
import { FakeClock } from "../../src/lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../src/lib/testing/plenty.ts";
import { TimerWheel } from "../../src/lib/time/timer-wheel.ts";
import { respond, respondWithError } from "../../src/gateway/exchange/local-response.ts";
import { type LoggedRequest, type BodySink, type Exchange } from "../../src/gateway/exchange/exchange.ts";
import { type ServerHost, type ServerSettings } from "../../src/gateway/exchange/server-host.ts";

const SETTINGS: ServerSettings = {
  maxHeaderBytes: 4096,
  maxHeaderCount: 50,
  maxBodyBytes: 20_000,
  idleMs: 60_000,
  headerMs: 10_000,
  bodyMs: 30_000,
  writeMs: 30_000,
  http2: { maxStreams: 5, maxHeaderListSize: 4096, initialWindowSize: 65_535, maxFrameSize: 16_384 },
};

/** A request as the host received it. */
export class Seen implements BodySink {
  readonly exchange: Exchange;
  body = "";
  trailers: Fields = "";
  outcome: "open" | "whole" | "broken" | "gone" = "open";
  ends = 0;
  finishes = 0;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    exchange.onFinish = () => {
      this.finishes++;
    };
    exchange.onCancel = () => {
      this.outcome = "gone";
    };
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.ends > 0) throw new Error("data behind the end");
    if (start < 0 || end > chunk.length || end < start)
      throw new Error(`data from ${start} to ${end} of ${chunk.length}`);
    this.body += Buffer.from(chunk.buffer, chunk.byteOffset + start, end - start).toString("latin1");
    return true;
  }

  end(trailers: Fields): void {
    if (this.ends++ > 0) throw new Error("a second end");
    this.outcome = "whole";
    this.trailers = trailers;
    respond(this.exchange, 200, "", Buffer.from("ok"));
  }

  abort(error: TurnpikeError): void {
    if (this.ends++ > 0) throw new Error("an end behind the end");
    if (this.outcome === "open") this.outcome = "broken";
    if (!this.exchange.gone) respondWithError(this.exchange, new TurnpikeError(error.code, "the body is broken"));
  }

  /** The facts that must not depend on how the input is cut. */
  get summary(): string {
    const { method, authority, path, query, fields, bodyLength, expectContinue, via, forwardedFor } =
      this.exchange.head;
    const head = [method, authority, path, query, fields, bodyLength, expectContinue, via, forwardedFor];
    // The part of a broken body before its error depends on how the input was cut.
    const body = this.outcome === "broken" || this.outcome === "gone" ? "" : this.body;
    return JSON.stringify([...head, this.outcome, body, this.trailers]);
  }
}

export class FuzzHost implements ServerHost {
  readonly wheel = new TimerWheel(new FakeClock());
  readonly buffers = plentyOfBuffers();
  readonly scheme = "http";
  readonly requests: Seen[] = [];
  readonly refusals: number[] = [];
  closedCount = 0;

  settings(): ServerSettings {
    return SETTINGS;
  }

  draining(): boolean {
    return false;
  }

  handle(exchange: Exchange): void {
    const seen = new Seen(exchange);
    this.requests.push(seen);
    exchange.body.readTo(seen);
  }

  refused(request: LoggedRequest): void {
    this.refusals.push(request.status);
  }

  closed(): void {
    this.closedCount++;
  }

  /** Throws if a request has not ended exactly once after the connection was closed. */
  checkEnds(): void {
    for (const { finishes, ends, outcome } of this.requests) {
      if (finishes !== 1) throw new Error(`an exchange finished ${finishes} times`);
      if (ends > 1 || outcome === "open") throw new Error(`a body ended ${ends} times, and is ${outcome}`);
    }
    if (this.closedCount !== 1) throw new Error(`the connection closed ${this.closedCount} times`);
  }
}
