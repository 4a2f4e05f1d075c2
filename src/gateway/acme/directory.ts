import { retryWaitMs } from "../../lib/http/retry-after.ts";
import { messageOf } from "../../lib/caught.ts";
import { VERSION } from "../../lib/process/version.ts";
import { isObject } from "../../lib/is-object.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { AcmeError, wordsOf } from "./acme-error.ts";
import { type AccountKey } from "./jws.ts";

/** Milliseconds for one request; then it fails, and its order too. @bound */
export const REQUEST_MS = 30_000;
/** Bytes of a directory's response; a longer one fails the order. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Times that a request is repeated because its nonce was refused (RFC 8555 §6.5); then the order fails. */
const MAX_NONCES = 20;
const ERRORS = "urn:ietf:params:acme:error:";

/** A response that is not an error. */
export interface AcmeResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as a JSON object. Throws an AcmeError if it is not one. */
  json(): Readonly<Record<string, unknown>>;
}

export interface DirectoryOptions {
  readonly url: string;
  /** CAs in PEM that verify the directory's own certificate; empty: those of the system. */
  readonly authorities: string;
  /** Cancels the requests under way. */
  readonly signal: AbortSignal;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds for one request and its whole response; then the request fails. */
  readonly requestMs: number;
}

/** An ACME directory (RFC 8555 §7.1) and its requests. They reject with an AcmeError. */
export class AcmeDirectory {
  readonly #options: DirectoryOptions;
  #resources: Readonly<Record<string, unknown>> | undefined;
  /** The nonce of the last response. */
  #nonce: string | undefined;

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /** The URL of a resource, such as `newOrder`; undefined if the directory does not have it. */
  async resource(name: string): Promise<string | undefined> {
    this.#resources ??= (await this.get(this.#options.url)).json();
    const url = this.#resources[name];
    return typeof url === "string" ? url : undefined;
  }

  /** True if an account needs an external account (RFC 8555 §7.1.1). */
  async requiresExternalAccount(): Promise<boolean> {
    this.#resources ??= (await this.get(this.#options.url)).json();
    const { meta } = this.#resources;
    return isObject(meta) && meta["externalAccountRequired"] === true;
  }

  /** Like `resource`, but rejects if the directory does not have it. */
  async needed(name: string): Promise<string> {
    const url = await this.resource(name);
    if (url === undefined) throw new AcmeError(`the directory has no "${name}"`);
    return url;
  }

  async get(url: string): Promise<AcmeResponse> {
    return this.#accepted(await this.#send(url, { method: "GET" }));
  }

  /** Sends a request that `key` signs. `account` as in `AccountKey.sign`. `payload` undefined: reads the resource. */
  async post(
    url: string,
    payload: unknown,
    { key, account }: { key: AccountKey; account: string | undefined },
  ): Promise<AcmeResponse> {
    for (let tries = 0; ; tries++) {
      const nonce = this.#nonce ?? (await this.#newNonce());
      this.#nonce = undefined;
      const response = await this.#send(url, {
        method: "POST",
        headers: { "content-type": "application/jose+json" },
        body: key.sign(url, payload, { nonce, account }),
      });
      this.#nonce = response.headers.get("replay-nonce") ?? undefined;
      try {
        return this.#accepted(response);
      } catch (error) {
        if (!(error instanceof AcmeError) || error.type !== "badNonce" || tries >= MAX_NONCES) throw error;
      }
    }
  }

  /** Returns the response. Throws if it is an error (RFC 8555 §6.7). */
  #accepted(response: AcmeResponse): AcmeResponse {
    const { status, headers } = response;
    if (status >= 200 && status < 300) return response;
    const waitMs = retryWaitMs(headers.get("retry-after"), this.#options.clock()) ?? 0;
    try {
      throw problemError(response.json(), { status, retryAfterMs: waitMs });
    } catch (error) {
      if (error instanceof AcmeError && error.type !== "") throw error;
      throw new AcmeError(`the directory responded with status ${status}`, { retryAfterMs: waitMs });
    }
  }

  async #newNonce(): Promise<string> {
    const { headers } = this.#accepted(await this.#send(await this.needed("newNonce"), { method: "HEAD" }));
    const nonce = headers.get("replay-nonce");
    if (nonce === null) throw new AcmeError("the directory sent no nonce");
    return nonce;
  }

  async #send(
    url: string,
    init: { readonly method: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<AcmeResponse> {
    const { authorities, signal, requestMs } = this.#options;
    if (!url.startsWith("https://")) throw new AcmeError("the directory has a URL without TLS");
    try {
      const response = await fetch(url, {
        ...init,
        headers: { ...init.headers, "user-agent": `Turnpike/${VERSION}` },
        // A signed request is only for the URL that it names.
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
        ...(authorities === "" ? {} : { tls: { ca: authorities } }),
      });
      const text = await bodyText(response);
      return { status: response.status, headers: response.headers, text, json: () => parsed(text) };
    } catch (error) {
      if (error instanceof AcmeError) throw error;
      // Bun's advice for programmers says nothing to operators.
      const reason = wordsOf(messageOf(error)).replace(/ For more information, pass .*$/, "");
      throw new AcmeError(`no response from ${new URL(url).host}: ${reason}`);
    }
  }
}

async function bodyText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_RESPONSE_BYTES) throw new AcmeError(`a response has more than ${MAX_RESPONSE_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(text);
  if (isObject(value)) return value;
  throw new AcmeError("a response of the directory is not JSON object");
}

/** The error in a problem document (RFC 9457). */
export function problemError(
  problem: unknown,
  { status, retryAfterMs }: { status?: number; retryAfterMs?: number } = {},
): AcmeError {
  const { type, detail, instance } = isObject(problem) ? problem : {};
  const name = typeof type === "string" && type.startsWith(ERRORS) ? wordsOf(type.slice(ERRORS.length)) : "";
  const where = status === undefined ? "" : ` (status ${status})`;
  // Changed terms, for example (RFC 8555 §7.3.3).
  const visit = name === "userActionRequired" && typeof instance === "string" ? ` (visit ${wordsOf(instance)})` : "";
  return new AcmeError(`the directory says ${name === "" ? "no" : name}${where}: ${wordsOf(detail)}${visit}`, {
    type: name,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
