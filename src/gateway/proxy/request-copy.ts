import { type Fields } from "../../lib/http/fields.ts";
import { type Exchange } from "../exchange/exchange.ts";

/** Copies requests that are forwarded (`mirror`). A failed copy does not affect the request. */
export interface RequestCopier {
  /** Creates the copy of a request that is about to be forwarded; undefined if this request is not copied. */
  copy(exchange: Exchange): RequestCopy | undefined;
}

/** The copy of a request. It receives the body while the request is sent. Its methods do not throw. */
export interface RequestCopy {
  /** The request itself was sent to its upstream, or waits for a connection. */
  begin(): void;
  /** Takes the bytes from `start` to `end`, and may keep them. */
  data(chunk: Uint8Array, start: number, end: number): void;
  end(trailers: Fields): void;
  /** The request has ended. If the body is incomplete, the copy is given up. */
  close(): void;
}
