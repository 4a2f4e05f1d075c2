import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { systemTrust } from "../../lib/net/system-trust.ts";
import { networkError } from "../common/network-error.ts";
import { whyUntrusted } from "../common/trust.ts";
import { UsageError } from "../common/usage-error.ts";
import { type AdminEndpoint } from "./admin-endpoint.ts";
import { AdminRefused, refusalOf } from "./admin-refused.ts";

/** Bytes of one response; 10,000 routes take 5 MB. A longer response is an error. */
const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;

export interface AdminRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below /v1, with its query. `pathOf` encodes names in it. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface AdminResponse {
  readonly status: number;
  readonly text: string;
  /** Throws if the body is not valid JSON. */
  json(): unknown;
}

/** The admin interface did not respond. The message is one line with the reason. */
export class AdminUnreachable extends Error {}

/** Sends requests to one admin interface. It follows no redirect and uses no proxy: only this interface may receive the key. */
export class AdminClient {
  readonly endpoint: AdminEndpoint;

  constructor(endpoint: AdminEndpoint) {
    this.endpoint = endpoint;
  }

  /** Returns the JSON of a response. Throws AdminRefused for an error response, AdminUnreachable if there is no response. */
  async json(request: AdminRequest): Promise<unknown> {
    return (await this.send(request)).json();
  }

  /** Throws AdminRefused for an error response, AdminUnreachable if there is no response. */
  async send(request: AdminRequest): Promise<AdminResponse> {
    const { origin } = this.endpoint.url;
    const timeout = AbortSignal.timeout(this.endpoint.timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    try {
      const message = await this.#open(request, signal);
      const text = await readText(message);
      // Node ends an aborted response as if it were complete.
      signal.throwIfAborted();
      const status = message.statusCode ?? 0;
      if (status < 200 || status > 299) throw this.#refusal(message, text);
      return { status, text, json: () => parseResponse(text, origin) };
    } catch (error) {
      throw this.#explain(error, timeout);
    }
  }

  /** The bytes of an endless response, as they arrive, until `signal` aborts. Throws the errors of `send`. */
  async *stream(request: AdminRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.endpoint.timeoutMs);
    try {
      const message = await this.#open(request, AbortSignal.any([timeout.signal, signal]));
      const status = message.statusCode ?? 0;
      if (status !== 200) throw this.#refusal(message, await readText(message));
      clearTimeout(timer);
      for await (const chunk of message) yield chunk as Uint8Array; // The stream has no encoding, so its chunks are bytes.
    } catch (error) {
      if (!signal.aborted) throw this.#explain(error, timeout.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  #open({ method = "GET", path, body, headers }: AdminRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { url, key, ca } = this.endpoint;
    const target = new URL(`${url.origin}${url.pathname.replace(/\/+$/, "")}/v1${path}`);
    const isSecure = url.protocol === "https:";
    const options = {
      method,
      signal,
      // Each request has its own connection: a connection that a restarted gateway has closed must not fail the next
      // request.
      agent: false as const,
      headers: {
        "x-api-key": key,
        accept: "application/json",
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
        ...headers,
      },
      ...(isSecure ? { ca: ca ?? [...systemTrust()] } : {}),
    };
    return new Promise((resolve, reject) => {
      const request = (isSecure ? httpsRequest : httpRequest)(target, options, resolve);
      request.on("error", reject);
      request.end(body);
    });
  }

  #refusal(message: IncomingMessage, text: string): AdminRefused {
    return refusalOf(this.endpoint.url.origin, { status: message.statusCode ?? 0, headers: message.headers, text });
  }

  /** Replaces a network error by one with a readable message. */
  #explain(error: unknown, timeout: AbortSignal): unknown {
    if (error instanceof AdminRefused || error instanceof AdminUnreachable) return error;
    const { url, timeoutMs, ca } = this.endpoint;
    if (timeout.aborted) {
      return new AdminUnreachable(`Cannot reach ${url.origin}: no response within ${timeoutMs / 1000} s`, {
        cause: error,
      });
    }
    const code = codeOf(error);
    const known = networkError(code, url) ?? whyUntrusted(code, "--admin-ca", ca !== undefined);
    const hint = code === "ECONNREFUSED" ? "; is the gateway running, with its admin interface on?" : "";
    const why = `${known ?? messageOf(error).split("\n")[0] ?? ""}${hint}`;
    return new AdminUnreachable(`Cannot reach ${url.origin}: ${why}`, { cause: error });
  }
}

/** Builds a path below /v1 from parts that may have any characters. Throws UsageError if a URL cannot contain a part. */
export function pathOf(...parts: readonly string[]): string {
  // URL parsers resolve dot segments even if they are percent-encoded.
  const step = parts.find((part) => part === "." || part === ".." || part === "");
  if (step !== undefined) throw new UsageError(`"${step}" is not a name that a URL can contain`);
  return parts.map((part) => `/${encodeURIComponent(part.toWellFormed())}`).join("");
}

/** The query string of the defined values, with its question mark. */
export function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? "" : `?${query.toString()}`;
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of message) {
    const bytes = chunk as Uint8Array; // The stream has no encoding, so its chunks are bytes.
    length += bytes.byteLength;
    if (length > MAX_RESPONSE_BYTES) {
      message.destroy();
      throw new AdminUnreachable(`Cannot read the response: it has more than ${MAX_RESPONSE_BYTES} bytes`);
    }
    chunks.push(bytes);
  }
  if (!message.complete) throw new AdminUnreachable("Cannot read the response: it ends early");
  return Buffer.concat(chunks).toString("utf8");
}

function parseResponse(text: string, origin: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    throw new AdminUnreachable(`Cannot use the response of ${origin}: it is not JSON; is that an admin interface?`, {
      cause: error,
    });
  }
}
