import { type HiddenParameters } from "../exchange/hidden-parameters.ts";
import { type LoggedRequest } from "../exchange/exchange.ts";
import { headValue } from "../exchange/head-fields.ts";

/** Requests that an operator watches. All members must match. */
export interface WatchFilter {
  /** A part of method, host, path, query, route, client, consumer, payer, user agent, request id or loss, in lower case. */
  readonly text: string;
  /** The first digit of the status; empty: any. */
  readonly status: string;
  /** Only requests with a payer. */
  readonly isPaid: boolean;
}

/** A request that has ended, without secret parameters of its query. */
export interface WatchedRequest {
  readonly time_ms: number;
  readonly request_id: string;
  readonly client: string;
  readonly consumer: string;
  readonly payer: string;
  readonly protocol: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly route: string;
  /** 499: the client has left before the response. */
  readonly status: number;
  /** Why a request on a priced route was not sold; empty otherwise. */
  readonly loss: string;
  readonly bytes_received: number;
  readonly bytes_sent: number;
  readonly duration_ms: number;
  readonly user_agent: string;
}

/** Requests since the last batch, and the number of others that were not looked at because there were too many. */
export interface WatchedBatch {
  readonly requests: readonly WatchedRequest[];
  readonly missed: number;
}

/** The end of a request, its route, and the query parameters that are not shown. */
interface Ended {
  readonly at: number;
  readonly elapsedMs: number;
  readonly hidden: HiddenParameters;
  readonly route: string;
}

/** Requests that one process sends at a time; further ones are counted only. @bound */
const MAX_PENDING = 100;
/** Milliseconds between two batches. */
const BATCH_MS = 200;
/** Characters of a text that are shown; the rest is cut off. */
const MAX_TEXT = 500;

/** True if the request has everything that the filter asks for. */
export function isWatched(request: WatchedRequest, { text, status, isPaid }: WatchFilter): boolean {
  if (status !== "" && !String(request.status).startsWith(status)) return false;
  if (isPaid && request.payer === "") return false;
  if (text === "") return true;
  const {
    method,
    host,
    path,
    query,
    route,
    client,
    consumer,
    payer,
    user_agent: agent,
    request_id: id,
    loss,
  } = request;
  return `${method} ${host}${path}${query} ${route} ${client} ${consumer} ${payer} ${agent} ${id} ${loss}`
    .toLowerCase()
    .includes(text);
}

/** The requests of this process that operators watch. Without an operator it costs one condition for each request. */
export class RequestWatch {
  /** An operator watches. */
  isOn = false;
  #filters: readonly WatchFilter[] = [];
  #receive: (batch: WatchedBatch) => void = () => undefined;
  #pending: WatchedRequest[] = [];
  #missed = 0;
  #isWaiting = false;

  /** Replaces the filters. Requests that match one of them are sent to `receive`. */
  watch(filters: readonly WatchFilter[], receive: (batch: WatchedBatch) => void): void {
    this.isOn = filters.length > 0;
    this.#filters = filters;
    this.#receive = receive;
  }

  note(request: LoggedRequest, ended: Ended): void {
    if (!this.#isWaiting) setTimeout(() => this.#send(), BATCH_MS);
    this.#isWaiting = true;
    if (this.#pending.length >= MAX_PENDING) {
      this.#missed += 1;
      return;
    }
    const watched = watchedOf(request, ended);
    if (this.#filters.some((filter) => isWatched(watched, filter))) this.#pending.push(watched);
  }

  #send(): void {
    this.#isWaiting = false;
    const batch = { requests: this.#pending, missed: this.#missed };
    this.#pending = [];
    this.#missed = 0;
    if (batch.requests.length > 0 || batch.missed > 0) this.#receive(batch);
  }
}

function watchedOf(request: LoggedRequest, { at, elapsedMs, hidden, route }: Ended): WatchedRequest {
  const { head } = request;
  return {
    time_ms: at,
    request_id: request.id,
    client: request.clientAddress,
    consumer: cut(request.consumer ?? ""),
    payer: request.payer ?? "",
    protocol: request.protocol,
    method: cut(head.method),
    host: cut(head.authority),
    path: cut(head.path),
    query: cut(hidden.query(head.query)),
    route: cut(route),
    status: request.status === 0 ? 499 : request.status,
    loss: request.loss ?? "",
    bytes_received: request.bytesReceived,
    bytes_sent: request.bytesSent,
    duration_ms: Math.max(0, Math.round(elapsedMs * 1000) / 1000),
    user_agent: cut(headValue(head, "user-agent") ?? ""),
  };
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
