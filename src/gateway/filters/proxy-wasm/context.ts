import { type Exchange } from "../../exchange.ts";
import { type CallGroup } from "../calls/call.ts";
import { type FieldList } from "./field-list.ts";

/** A response that a filter sends by itself. */
export interface LocalResponse {
  readonly status: number;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** -1: none. */
  readonly grpcStatus: number;
}

/** Bytes that a filter reads, and perhaps changes. */
export interface ContextBuffer {
  readonly length: number;
  view(start: number, length: number): Uint8Array;
  /** Absent where the filter only reads. False: the bytes would be too many. */
  splice?(start: number, length: number, bytes: Uint8Array): boolean;
}

/** What host functions work on: the plugin itself, or one of its streams. */
export interface Context {
  readonly id: number;
  /** Undefined: the plugin itself. */
  readonly exchange: Exchange | undefined;
  fields(kind: number): FieldList | undefined;
  /** True where the filter cannot change these fields any more. */
  isSent(kind: number): boolean;
  buffer(kind: number): ContextBuffer | undefined;
  /** The filter has nothing more to do for it: `proxy_done`. False: it was not waited for. */
  done(): boolean;
  /** Calls made for the stream, which end with it; undefined for the plugin itself. */
  readonly calls: CallGroup | undefined;
  /** Undefined for the plugin itself, which has no stream to go on with. */
  readonly wishes: Wishes | undefined;
}

/** What a filter has asked for a stream; done once the callback that asks has returned. */
export interface Wishes {
  continueRequest(): void;
  continueResponse(): void;
  close(): void;
  respond(response: LocalResponse): void;
  /** The stream fails, and not its instance. `reason` is what the filter does. */
  fail(reason: string): void;
}
