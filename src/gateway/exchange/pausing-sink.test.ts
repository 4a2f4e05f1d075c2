import { beforeEach, expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { PausingSink } from "./pausing-sink.ts";

/** Passes everything on, except drains while it holds. */
class Stage extends PausingSink {
  readonly name: string;
  isHolding = false;

  constructor(exchange: ClientExchange, name: string) {
    super(exchange);
    this.name = name;
  }
  start(): void {}
  data(chunk: Uint8Array): boolean {
    return this.sink.data(chunk) && !this.isHolding;
  }
  end(): void {}
  abort(): void {}
  drained(): void {
    events.push(this.name);
    if (!this.isHolding) this.resumeSource();
  }
  goOn(): void {
    this.isHolding = false;
    this.resumeSource();
  }
  leave(): void {
    this.stepAside();
  }
}

let events: string[];
let client: Consumer;
let exchange: ClientExchange;

beforeEach(() => {
  events = [];
  client = new Consumer();
  exchange = new ClientExchange(client);
  exchange.onDrain = () => void events.push("source");
});

test("without a stage, a drain goes to the source, and the exchange has no field for stages", () => {
  exchange.drained();
  expect([events, Object.hasOwn(exchange, "lastStage")]).toEqual([["source"], false]);
});

test("a drain visits the stages from the client to the source, whichever of them came after the source", () => {
  void new Stage(exchange, "first");
  exchange.onDrain = () => void events.push("other source");
  void new Stage(exchange, "second");
  void new Stage(exchange, "third");
  exchange.drained();
  expect(events).toEqual(["first", "second", "third", "other source"]);
});

test("a drain stops at a stage that holds, and goes on from there", () => {
  void new Stage(exchange, "first");
  const second = new Stage(exchange, "second");
  void new Stage(exchange, "third");
  second.isHolding = true;
  exchange.drained();
  exchange.drained();
  expect(events).toEqual(["first", "second", "first", "second"]);
  second.goOn();
  expect(events.slice(4)).toEqual(["third", "source"]);
});

test("a stage that steps aside takes the stages before it out of the way of the next sender", () => {
  const first = new Stage(exchange, "first");
  const second = new Stage(exchange, "second");
  const third = new Stage(exchange, "third");
  third.isHolding = true;
  second.leave();
  expect(exchange.response).toBe(first);
  exchange.drained();
  expect(events).toEqual(["first", "second", "source"]);
  void new Stage(exchange, "fourth");
  exchange.drained();
  expect(events.slice(3)).toEqual(["first", "second", "fourth", "source"]);
});

test("a source that has ended is not called", () => {
  void new Stage(exchange, "first");
  exchange.onDrain = undefined;
  exchange.drained();
  expect(events).toEqual(["first"]);
});
