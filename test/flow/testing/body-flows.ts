import { GuardedBody } from "../../../src/gateway/policy/auth/guarded-body.ts";
import { GatheredBody } from "../../../src/gateway/policy/gathered-body.ts";
import { PeekedBody } from "../../../src/gateway/filters/peeked-body.ts";
import { type RequestBody } from "../../../src/gateway/exchange/exchange.ts";
import { BROKEN, ClientExchange, type Consumer, type Flow, ProducedBody, type Producer } from "./flow.ts";

const PEEKED_BYTES = 40_000;

/** A count of the bytes that bodies use. */
function memoryOf() {
  const memory = {
    used: 0,
    take(bytes: number): boolean {
      memory.used += bytes;
      return true;
    },
    give: (bytes: number): void => void (memory.used -= bytes),
  };
  return memory;
}

/** The producer's side of a body that the test produces. */
export function producerOf(produced: ProducedBody): Producer {
  return {
    data: (chunk, start, end) => produced.sink?.data(chunk, start, end) ?? true,
    end: () => produced.sink?.end(""),
    abort: () => produced.sink?.abort(BROKEN),
  };
}

function readBy(consumer: Consumer, body: RequestBody): void {
  consumer.onRoom = () => body.resume();
  body.readTo(consumer);
}

const GUARDED: Flow = {
  name: "a request body without identity trailers",
  open(consumer, goOn) {
    const produced = new ProducedBody(goOn);
    readBy(consumer, new GuardedBody(produced, ["x-user"]));
    return producerOf(produced);
  },
};

const PEEKED: Flow = {
  name: "a request body whose first bytes a filter reads",
  open(consumer, goOn) {
    const exchange = new ClientExchange(consumer);
    const produced = new ProducedBody(goOn);
    exchange.body = produced;
    const memory = memoryOf();
    const bounds = { maxBytes: PEEKED_BYTES, memory, tooLong: BROKEN, noRoom: BROKEN };
    const peeked = new PeekedBody(exchange, bounds);
    void Promise.resolve(peeked.peek()).then(() => readBy(consumer, peeked));
    return { ...producerOf(produced), used: () => memory.used };
  },
};

const GATHERED: Flow = {
  name: "a request body that is gathered",
  takesAll: true,
  open(consumer, goOn) {
    const exchange = new ClientExchange(consumer);
    const produced = new ProducedBody(goOn);
    exchange.body = produced;
    const memory = memoryOf();
    const bounds = { maxBytes: 10_000_000, memory, tooLong: BROKEN, noRoom: BROKEN };
    const gathered = new GatheredBody(exchange, bounds);
    const read = async (): Promise<void> => {
      const error = await gathered.gather();
      if (error !== undefined) {
        consumer.abort(error);
        return;
      }
      gathered.replace();
      readBy(consumer, gathered);
    };
    void read();
    return { ...producerOf(produced), used: () => memory.used };
  },
};

export const BODY_FLOWS = [GUARDED, PEEKED, GATHERED];
