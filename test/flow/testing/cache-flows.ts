import { sendBody } from "../../../src/gateway/proxy/cache/body-reader.ts";
import { Pieces, Reader } from "../../../src/gateway/proxy/cache/reader.ts";
import { ClientExchange, type Flow, BROKEN } from "./flow.ts";

/** Bytes by which a reader may be behind. */
const LEAD = 262_144;

const READER: Flow = {
  name: "a reader of a response that arrives for the cache",
  open(consumer, goOn) {
    const exchange = new ClientExchange(consumer);
    const request = { directives: new Map() } as never;
    const reader = new Reader(exchange, request, false);
    const pieces = new Pieces();
    const isAhead = (): boolean => pieces.bytes > LEAD;
    const read = (): void => {
      reader.read(pieces);
      const wasAhead = isAhead();
      pieces.forget(reader.at);
      if (wasAhead && !isAhead()) goOn();
    };
    exchange.onDrain = () => {
      reader.drained();
      read();
    };
    return {
      data(chunk, start, end) {
        pieces.add(chunk, start, end);
        read();
        return !isAhead();
      },
      end() {
        pieces.isWhole = true;
        read();
      },
      abort() {
        reader.isOver = true;
        pieces.forget(Number.POSITIVE_INFINITY);
        exchange.response.abort(BROKEN);
      },
      used: () => pieces.bytes,
    };
  },
};

const STORED: Flow = {
  name: "a stored response of the cache",
  takesAll: true,
  hasNoAbort: true,
  open(consumer) {
    const exchange = new ClientExchange(consumer);
    const pieces: Buffer[] = [];
    return {
      data(chunk, start, end) {
        pieces.push(Buffer.from(chunk.subarray(start, end)));
        return true;
      },
      end() {
        const body = Buffer.concat(pieces);
        sendBody(exchange, body, 0, body.length);
      },
      abort() {},
    };
  },
};

export const CACHE_FLOWS = [READER, STORED];
