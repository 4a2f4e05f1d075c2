import { type EgressOptions } from "../../egress/guard.ts";
import { ProviderError } from "../web/provider.ts";
import { type WebResponse, WebError, type WebRequest, webGet } from "../web/web-get.ts";

/** Maximum number of bytes of a provider's response. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** A request to a provider's server. */
export interface Ask {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: URLSearchParams;
  readonly egress: EgressOptions;
  readonly signal: AbortSignal;
}

/** Sends a request to a provider's server, and returns its response with status 200. Fails with a ProviderError. */
export async function ask({ url, headers, form, egress, signal }: Ask): Promise<WebResponse> {
  const request: WebRequest = {
    url,
    headers,
    ...(form === undefined ? {} : { form }),
    maxBytes: MAX_RESPONSE_BYTES,
    egress,
    // A search page that redirects to another site asks for a CAPTCHA or a login.
    redirects: "same-origin",
    signal,
  };
  const response = await webGet(request).catch((error: unknown) => {
    throw providerError(error);
  });
  const { status } = response;
  if (status === 200) return response;
  if (status === 429 || status === 503) throw new ProviderError("limited", `it responded with ${status}`);
  if (status === 202 || status === 403) throw new ProviderError("challenge", `it responded with ${status}`);
  throw new ProviderError("refused", `it responded with ${status}`);
}

function providerError(error: unknown): ProviderError {
  const reason = error instanceof WebError ? error.reason : "unreachable";
  if (reason === "timeout") return new ProviderError("timeout", "it did not respond in time");
  if (reason === "too-large")
    return new ProviderError("unreadable", `its response has more than ${MAX_RESPONSE_BYTES} bytes`);
  if (reason === "redirects") return new ProviderError("challenge", "it redirects to another site");
  if (reason === "refused") return new ProviderError("unreachable", "its address is refused");
  return new ProviderError("unreachable", "it cannot be reached");
}

/** The JSON object in a response. Fails with a ProviderError. */
export function jsonObject(response: WebResponse): object {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(response.body).toString("utf8"));
  } catch {
    throw new ProviderError("unreadable", "its response is not JSON");
  }
  if (typeof value !== "object" || value === null)
    throw new ProviderError("unreadable", "its response is not an object");
  return value;
}

/** A field of an untrusted object. Undefined for inherited properties. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** Maximum number of results of a page that are read. */
const MAX_RESULTS = 100;

/** The list in a field, cut to `MAX_RESULTS`. Undefined if the field holds no list. */
export function list(value: unknown, name: string): readonly unknown[] | undefined {
  const found = field(value, name);
  return Array.isArray(found) ? found.slice(0, MAX_RESULTS) : undefined;
}
