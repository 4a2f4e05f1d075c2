import { type Fields } from "../../lib/fields.ts";
import { type Exchange } from "../exchange.ts";

/** Copies requests as they are forwarded (`mirror`). Nothing that becomes of a copy reaches the request itself. */
export interface RequestCopier {
  /** The copy of a request that is about to be forwarded; undefined where there is none of this one. */
  copy(exchange: Exchange): RequestCopy | undefined;
}

/** A request's copy, told of the body as the request itself is sent. Nothing is thrown. */
export interface RequestCopy {
  /** The request itself is on its way. */
  begin(): void;
  /** Takes bytes from `start` to `end`, and may keep them. */
  data(chunk: Uint8Array, start: number, end: number): void;
  /** The body is whole. */
  end(trailers: Fields): void;
  /** The request is over: where its body is not whole, nothing more comes of it. */
  close(): void;
}
