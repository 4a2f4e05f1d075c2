import { readUpTo } from "../../../lib/http/response-bytes.ts";
import { VERSION } from "../../../lib/process/version.ts";
import { ModelError } from "./model-error.ts";

/** Maximum number of bytes of a model's response, decompressed. Some hundred statements take 100 KiB. */
const MAX_MODEL_RESPONSE_BYTES = 1024 * 1024;

/** The function with which the protocols' libraries send requests. */
export type ModelFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Sends one request to the model's server. Its address may be private, since the operator has configured it. A redirect
 * is refused, since it would send the question and the key elsewhere. Fails with a ModelError, or with the signal's
 * reason.
 */
export const modelFetch: ModelFetch = async (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set("user-agent", `Turnpike/${VERSION}`);
  const response = await fetch(url, { ...init, headers, redirect: "manual" }).catch((error: unknown) => {
    if (init?.signal?.aborted === true) throw error;
    throw new ModelError("unreachable", "it cannot be reached");
  });
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new ModelError("redirects", "it redirects to another site");
  }
  const body = await boundedBody(response, init?.signal ?? undefined);
  // The body is already decompressed. Of the header fields, only the content type still applies.
  const type = response.headers.get("content-type") ?? "application/json";
  return new Response(body, { status: response.status, headers: { "content-type": type } });
};

async function boundedBody(response: Response, signal: AbortSignal | undefined): Promise<Uint8Array<ArrayBuffer>> {
  const body = await readUpTo(response, MAX_MODEL_RESPONSE_BYTES).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ModelError("unreachable", "its response broke off");
  });
  if (body !== undefined) return body;
  throw new ModelError("too-large", `its response has more than ${MAX_MODEL_RESPONSE_BYTES} bytes`);
}
