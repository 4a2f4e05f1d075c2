import { type Exchange } from "../../../exchange/exchange.ts";
import { type CallGroup } from "../../calls/call.ts";
import { type FieldList } from "./field-list.ts";

/** A response that a filter sends itself. */
export interface LocalResponse {
  readonly status: number;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** -1 if there is no gRPC status. */
  readonly grpcStatus: number;
}

/** Bytes that a filter reads, and can sometimes change. */
export interface ContextBuffer {
  readonly length: number;
  view(start: number, length: number): Uint8Array;
  /** Absent if the filter can only read. Returns false if the result would be too long. */
  splice?(start: number, length: number, bytes: Uint8Array): boolean;
}

/** The object on which host functions work: the plugin itself, or one of its streams. */
export interface Context {
  readonly id: number;
  /** Undefined for the plugin itself. */
  readonly exchange: Exchange | undefined;
  fields(kind: number): FieldList | undefined;
  buffer(kind: number): ContextBuffer | undefined;
  /** Handles `proxy_done`: the filter has finished with this context. False if the gateway did not wait. */
  done(): boolean;
  /** Calls that were made for the stream, and end with it. Undefined for the plugin itself. */
  readonly calls: CallGroup | undefined;
  /** Undefined for the plugin itself, which has no stream to continue. */
  readonly wishes: Wishes | undefined;
}

/** The requests of a filter for a stream. The gateway executes them when the callback has returned. */
export interface Wishes {
  continueRequest(): void;
  continueResponse(): void;
  close(): void;
  respond(response: LocalResponse): void;
}
