import { expect } from "bun:test";
import { ClientExchange, Consumer, ProducedBody } from "../../../../../test/flow/testing/flow.ts";
import { type TurnpikeError } from "../../../../lib/errors.ts";
import { FakeClock } from "../../../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../../../lib/time/timer-wheel.ts";
import { type BodySink, type RequestHead, type ResponseHead } from "../../../exchange/exchange.ts";
import { type Plain } from "../../../exchange/exchange-state.ts";
import { loaded } from "../../module/testing/metered.ts";
import { type FilterDecision } from "../../runtime/filter.ts";
import { type FilterSettings } from "../../runtime/runtime.ts";
import { type TestRuntime, testRuntime, testSettings } from "../../testing/test-runtime.ts";
import { ProxyWasmFilter } from "../proxy-wasm-filter.ts";
import { type Filter, moduleOf } from "./proxy-module.ts";

/** The id of the first stream of an instance: 1 is the plugin, and 2 was for the check of the module. */
export const FIRST_STREAM = 3;

/** Milliseconds for which a filter can hold a stream. */
export const DEADLINE_MS = 1_000;

const NOTHING_HELD: TestRuntime["gauge"] = { instances: 0, pinned: 0, parked: 0 };

/** A client that records what it gets, as words. */
export class PlayedClient extends Consumer {
  readonly events: string[] = [];
  readonly heads: ResponseHead[] = [];
  override start(head: ResponseHead): void {
    this.heads.push(head);
    this.events.push(head.bodyLength === -1 ? String(head.status) : `${head.status} of ${head.bodyLength}`);
  }
  override data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    const text = Buffer.from(chunk.subarray(start, end)).toString();
    // Errors of the gateway as JSON.
    this.events.push(/"type":"urn:turnpike:error:([\w-]+)"/.exec(text)?.[1] ?? text);
    return super.data(chunk, start, end);
  }
  sendFile(_file: number, _offset: number, length: number): number {
    this.events.push(`file ${length}`);
    return length;
  }
  override end(): void {
    this.events.push("end");
    super.end();
  }
  override abort(error?: TurnpikeError): void {
    this.events.push(`abort ${error?.code}`);
    super.abort(error);
  }
}

/** The upstream as the reader of a request's body. */
export class PlayedReader implements BodySink {
  readonly events: string[] = [];
  hasRoom = true;
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.events.push(Buffer.from(chunk.subarray(start, end)).toString());
    return this.hasRoom;
  }
  end(trailers: string): void {
    this.events.push(`end ${trailers.trim()}`.trim());
  }
  abort(error: TurnpikeError): void {
    this.events.push(`abort ${error.code}`);
  }
}

interface Playing {
  readonly head?: Partial<Plain<RequestHead>>;
  readonly settings?: Partial<FilterSettings>;
}

/** For tests only: an instance of a module, whose time and whose streams the test plays. */
export async function playedFilter(module: Filter, settings: Partial<FilterSettings> = {}) {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const runtime = testRuntime(wheel);
  runtime.deadlineMs = DEADLINE_MS;
  const filter = new ProxyWasmFilter(await loaded(moduleOf(module)), testSettings(settings), {
    ...runtime,
    hostCallDeadlineMs: () => DEADLINE_MS,
    clock: () => clock.time,
  });
  const open = new Set<ClientExchange>();
  const play = (head: Partial<Plain<RequestHead>> = {}) => {
    const client = new PlayedClient();
    const exchange = new ClientExchange(client, { method: "GET", bodyLength: 0, ...head });
    open.add(exchange);
    exchange.onFinish = () => void open.delete(exchange);
    const calls: string[] = [];
    const body = Object.assign(new ProducedBody(() => calls.push("resume")), { pause: () => calls.push("pause") });
    exchange.body = body;
    exchange.onCancel = () => void calls.push("cancel");
    exchange.onDrain = () => void calls.push("drain");
    const stream = { client, exchange, body, calls, decision: undefined as FilterDecision["kind"] | undefined };
    void Promise.resolve(filter.request(exchange)).then(({ kind }) => (stream.decision = kind));
    return stream;
  };
  return {
    clock,
    runtime,
    filter,
    play,
    /** Ends all streams and the filter, which must hold nothing after that. */
    close: (): void => {
      for (const exchange of open) exchange.onFinish?.(exchange);
      filter.close();
      expect([runtime.memory.taken, runtime.gauge, clock.tick]).toEqual([0, NOTHING_HELD, undefined]);
      expect(runtime.errors).toEqual([]);
    },
  };
}

/** Plays one stream. */
export async function playedStream(module: Filter, { head, settings }: Playing = {}) {
  const played = await playedFilter(module, settings);
  return Object.assign(played.play(head), played);
}
