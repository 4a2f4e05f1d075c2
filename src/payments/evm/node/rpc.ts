import { basicAuthorization } from "../../../lib/http/authorization.ts";
import { readJsonUpTo } from "../../../lib/http/response-bytes.ts";
import { timeoutSignal } from "../../../lib/time/timeout-signal.ts";
import { z } from "zod";
import { type Hex } from "../../x402/address.ts";
import { type Refusal, toRefusal } from "./refusal.ts";

/** Longest response of a node, in bytes; a longer one is an error. A batch of receipts has some 100 KB. */
const MAX_NODE_RESPONSE_BYTES = 1024 * 1024;
/** Calls in one HTTP request; more take several, one after the other. Endpoints allow 10 to 1000. */
const MAX_BATCH = 50;
/** Tries of a read if the connection fails or the endpoint is busy, and the time between them. */
const MAX_TRIES = 2;
const RETRY_MS = 100;
const MAX_ERROR_TEXT = 512;
const MAX_ERROR_DATA = 8192;

/** One call, and the expected shape of its result. */
export interface Request<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly schema: z.ZodType<T>;
}

/**
 * The reason why there is no result. `unavailable`: the node may have received the call or not. `failed`: its response
 * is invalid. `refused`: it responded with an error. `cause` is for the log: it contains no URL and no text of the
 * node.
 */
export interface RpcError {
  readonly error: "unavailable" | "failed" | "refused";
  readonly cause: string;
  /** Only for `refused`. */
  readonly refusal?: Refusal;
  /** The result of a reverted call, if the node sends it. */
  readonly data?: Hex;
  /** True if the timeout has passed. */
  readonly isLate?: boolean;
}

/** The results of several calls, in their order. Each is a value or an error. */
export type Responses<T extends readonly unknown[]> = { readonly [K in keyof T]: T[K] | RpcError };
/** Several calls, with the type of each result. */
export type Requests<T extends readonly unknown[]> = { readonly [K in keyof T]: Request<T[K]> };

/** True if a call has no result. */
export function isRpcError(response: unknown): response is RpcError {
  return typeof response === "object" && response !== null && "error" in response;
}

/** A payment that was not judged because a call has no result. */
export function unjudged({ error, cause }: RpcError): {
  readonly kind: "unavailable" | "failed";
  readonly cause: string;
} {
  return { kind: error === "unavailable" ? error : "failed", cause };
}

const envelope = z.object({
  id: z.number().nullish(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string().default(""), data: z.unknown().optional() }).optional(),
});
type Envelope = z.infer<typeof envelope>;

type Post = (body: unknown) => Promise<{ readonly json: unknown } | RpcError>;

/** Sends one HTTP request. The URL's name and password become a field: fetch would refuse and repeat them. */
function createPost(url: string, timeoutMs: number): Post {
  const target = new URL(url);
  const authorization = basicAuthorization(target);
  target.username = "";
  target.password = "";
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    ...(authorization === undefined ? {} : { authorization }),
  };

  return async function post(body) {
    try {
      const response = await fetch(target, {
        method: "POST",
        // A redirect would send a signed transaction to its target.
        redirect: "manual",
        signal: timeoutSignal(timeoutMs),
        headers,
        body: JSON.stringify(body),
      });
      const json = await readJsonUpTo(response, MAX_NODE_RESPONSE_BYTES);
      // Some endpoints send JSON-RPC errors with a status other than 200.
      if (response.status === 200 || (json !== undefined && isResponse(json))) return { json };
      const isBusy = response.status === 429 || response.status >= 500;
      return { error: isBusy ? "unavailable" : "failed", cause: `the node responded with ${response.status}` };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "TimeoutError") {
        return { error: "unavailable", cause: "no connection to the node" };
      }
      return { error: "unavailable", cause: `no response of the node within ${timeoutMs} ms`, isLate: true };
    }
  };
}

function isResponse(json: unknown): boolean {
  return Array.isArray(json) || envelope.safeParse(json).data?.error !== undefined;
}

/** True if the same request may be repeated at once; after a timeout there is no time for it. */
function isWorthRetry(response: object): boolean {
  return isRpcError(response) && response.error === "unavailable" && response.isLate !== true;
}

function toBody({ method, params }: Request<unknown>, id: number): object {
  return { jsonrpc: "2.0", id, method, params };
}

/** The result of `request` in its response, if it has the right shape. */
function judge<T>(request: Request<T>, response: Envelope): T | RpcError {
  if (response.error !== undefined) return toError(request.method, response.error);
  const parsed = request.schema.safeParse(response.result);
  if (parsed.success) return parsed.data;
  return { error: "failed", cause: `the node's response to ${request.method} is invalid` };
}

function toError(method: string, { code, message, data }: NonNullable<Envelope["error"]>): RpcError {
  const refusal = toRefusal(code, message.slice(0, MAX_ERROR_TEXT));
  const isData = typeof data === "string" && data.length <= MAX_ERROR_DATA && /^0x[0-9a-fA-F]*$/.test(data);
  return {
    error: refusal === "busy" ? "unavailable" : "refused",
    cause: `the node refused ${method} (${refusal}, ${code})`,
    refusal,
    // The pattern above is that of `Hex`.
    ...(isData ? { data: data as Hex } : {}),
  };
}

/** Responses by id, because a batch may return them in any order. The first one with an id counts. */
function byId(json: unknown): ReadonlyMap<number, Envelope> {
  const found = new Map<number, Envelope>();
  for (const item of Array.isArray(json) ? json.slice(0, MAX_BATCH) : [json]) {
    const { data } = envelope.safeParse(item);
    if (typeof data?.id === "number" && !found.has(data.id)) found.set(data.id, data);
  }
  return found;
}

/** JSON-RPC over HTTP to one node of a chain. Methods do not reject: errors are values. */
export class Rpc {
  readonly #post: Post;
  #nextId = 1;
  /** Some endpoints support no batches. This is detected only once. */
  #takesBatches = true;

  /** `timeoutMs` limits each HTTP request. Throws if `url` is not a URL. */
  constructor(url: string, timeoutMs: number) {
    this.#post = createPost(url, timeoutMs);
  }

  /** Sends several reads as one HTTP request. Repeats it if there is no response. */
  async readAll<T extends readonly unknown[]>(requests: Requests<T>): Promise<Responses<T>> {
    const all: readonly Request<unknown>[] = requests;
    const responses: unknown[] = [];
    for (let i = 0; i < all.length; i += MAX_BATCH) responses.push(...(await this.#batch(all.slice(i, i + MAX_BATCH))));
    // #batch returns a result of the schema's type, or an RpcError, for each request in order.
    return responses as unknown as Responses<T>;
  }

  /** Sends one call that changes something. It is never repeated, because its outcome would be unknown. */
  async write<T>(request: Request<T>): Promise<T | RpcError> {
    // As above.
    return (await this.#single(request)) as T | RpcError;
  }

  #asIds(requests: readonly Request<unknown>[]): readonly number[] {
    return requests.map(() => this.#nextId++);
  }

  async #single(request: Request<unknown>): Promise<unknown> {
    const id = this.#nextId++;
    const response = await this.#post(toBody(request, id));
    if (isRpcError(response)) return response;
    const own = byId(response.json).get(id) ?? refusalWithoutId(response.json);
    if (own === undefined) return { error: "failed", cause: `the node's response to ${request.method} is invalid` };
    return judge(request, own);
  }

  async #read(request: Request<unknown>): Promise<unknown> {
    let response = await this.#single(request);
    for (let tries = 1; tries < MAX_TRIES && isRpcError(response) && isWorthRetry(response); tries++) {
      await Bun.sleep(RETRY_MS);
      response = await this.#single(request);
    }
    return response;
  }

  async #batch(requests: readonly Request<unknown>[]): Promise<readonly unknown[]> {
    const [first] = requests;
    if (first === undefined) return [];
    if (requests.length === 1 || !this.#takesBatches)
      return await Promise.all(requests.map((request) => this.#read(request)));
    const ids = this.#asIds(requests);
    const body = requests.map((request, i) => toBody(request, ids[i] ?? 0));
    let response = await this.#post(body);
    for (let tries = 1; tries < MAX_TRIES && isWorthRetry(response); tries++) {
      await Bun.sleep(RETRY_MS);
      response = await this.#post(body);
    }
    if (isRpcError(response)) return requests.map(() => response);
    const whole = Array.isArray(response.json) ? undefined : refusalWithoutId(response.json)?.error;
    if (whole !== undefined) {
      const error = toError("a batch", whole);
      // The endpoint is busy, and single calls would be even more requests. Also, the results of one batch come from
      // the same state of a node.
      if (error.error === "unavailable") return requests.map(() => error);
      this.#takesBatches = false;
      return await Promise.all(requests.map((request) => this.#read(request)));
    }
    const found = byId(response.json);
    return requests.map((request, i) => {
      const own = found.get(ids[i] ?? 0);
      return own === undefined
        ? { error: "failed", cause: `the node did not respond to ${request.method}` }
        : judge(request, own);
    });
  }
}

/** An error in response to the HTTP request as a whole. */
function refusalWithoutId(json: unknown): Envelope | undefined {
  const { data } = envelope.safeParse(json);
  return data?.error === undefined || typeof data.id === "number" ? undefined : data;
}
