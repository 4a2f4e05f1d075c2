import { basicAuthorization } from "../../../lib/http/authorization.ts";
import { messageOf } from "../../../lib/caught.ts";
import { isObject } from "../../../lib/is-object.ts";
import { parsedJson } from "../../../lib/parsed-json.ts";

/** Maximum number of bytes of a response to /json/version, which has a few hundred. A longer one is an error. */
const MAX_VERSION_BYTES = 64 * 1024;

/** The origin of an endpoint, for logs: path, query and credentials may be secret. */
export function endpointName(endpoint: URL): string {
  return `${endpoint.protocol}//${endpoint.host}`;
}

/**
 * The WebSocket URL of an endpoint. An http or https URL is that of a browser with `--remote-debugging-port`, whose
 * WebSocket has another path after each start; the path is read from `/json/version`. Fails with a one-line reason that
 * does not contain the URL.
 */
export async function webSocketUrl(endpoint: URL, timeoutMs: number, ca: string | undefined): Promise<URL> {
  if (/^wss?:$/.test(endpoint.protocol)) return endpoint;
  const { path, base } = await askForPath(endpoint, timeoutMs, ca);
  const url = new URL(endpoint);
  url.protocol = endpoint.protocol === "https:" ? "wss:" : "ws:";
  url.pathname = `${base}${path}`;
  return url;
}

async function askForPath(
  endpoint: URL,
  timeoutMs: number,
  ca: string | undefined,
): Promise<{ path: string; base: string }> {
  const url = new URL(endpoint);
  const base = endpoint.pathname.replace(/\/+$/, "");
  url.pathname = `${base}/json/version`;
  url.username = "";
  url.password = "";
  const text = await fetchText(url, { timeoutMs, ca, authorization: basicAuthorization(endpoint) });
  const version = parsedJson(text);
  const found = isObject(version) ? version["webSocketDebuggerUrl"] : undefined;
  if (typeof found !== "string" || !URL.canParse(found))
    throw new Error("its /json/version has no webSocketDebuggerUrl");
  // Only the path counts: the host is the one that the configuration trusts.
  return { path: new URL(found).pathname, base };
}

interface Asking {
  readonly timeoutMs: number;
  readonly ca: string | undefined;
  readonly authorization: string | undefined;
}

async function fetchText(url: URL, { timeoutMs, ca, authorization }: Asking): Promise<string> {
  const response = await fetch(url, {
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
    headers: authorization === undefined ? {} : { authorization },
    ...(ca === undefined ? {} : { tls: { ca } }),
  }).catch((error: unknown) => {
    throw new Error(isTimeout(error) ? `there is no response within ${timeoutMs} ms` : withoutUrl(error));
  });
  if (response.status !== 200) throw new Error(`it responds to /json/version with ${response.status}`);
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_VERSION_BYTES) throw new Error("its /json/version is too long");
  }
  return text;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** Errors of `fetch` name the URL in a property and some also in their text. */
function withoutUrl(error: unknown): string {
  const text = messageOf(error);
  return /:\/\//.test(text) ? "it cannot be reached" : text;
}
