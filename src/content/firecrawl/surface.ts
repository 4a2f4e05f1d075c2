import { TurnpikeError } from "../../lib/errors.ts";
import { type OperationResult, type Services, type TextFeed } from "../operations/operation.ts";

/** A request in Firecrawl's form. */
export interface Ask {
  readonly body: unknown;
  /** The name of the job in the path; empty if the path names no job. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** The owner of the jobs that the request may see; empty if it has no key. */
  readonly owner: string;
  /** The subprotocol of a WebSocket: the SDK sends its key as one. */
  readonly protocol: string | undefined;
  /** Scheme and host of this service as its client sees them. */
  readonly base: string;
  /** The price of one page in words; undefined if it is not known. */
  readonly pagePrice: () => Promise<string | undefined>;
  /** The first part of the path. */
  readonly version: "v1" | "v2";
}

/** A response, or the messages of a WebSocket. */
export type Answer = OperationResult | { readonly socket: TextFeed };

export type Responder = (ask: Ask, services: Services) => Promise<Answer>;

/** A request that Turnpike serves in Firecrawl's form. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the version, with `:id` for the name of a job. */
  readonly path: string;
  /** The operation under which it is counted, if it does the same work. */
  readonly operation?: string;
  /** The body is a form with a file: `Ask.body` is an `Upload`. */
  readonly isUpload?: true;
  readonly respond: Responder;
}

/** The payer that the gateway names; otherwise empty. */
export function payerOf(headers: Headers): string {
  return headers.get("turnpike-payer") ?? "";
}

/** The error of a request that has no meaning here. */
export function notServed(what: string): TurnpikeError {
  return new TurnpikeError("not-implemented", `Cannot serve the request: ${what}`);
}
