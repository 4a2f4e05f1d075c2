/** Sends a request unchanged. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Returns the function that sends requests to the gateway. On this machine, a certificate for the gateway's public name
 * can only be the gateway's own.
 */
export function sendTo(gatewayUrl: string): Send {
  const isLocal = /^https:\/\/(?:127\.[0-9.]+|\[::1\])[:/]/.test(`${gatewayUrl}/`);
  return isLocal ? (url, init) => fetch(url, { ...init, tls: { rejectUnauthorized: false } }) : fetch;
}

/** The host that the client requested, through the gateway or directly. */
export function hostOf({ headers }: Request): string {
  return headers.get("x-forwarded-host") ?? headers.get("host") ?? "";
}

const HOST = /^[\w.-]{1,253}(?::\d{1,5})?$|^\[[\da-fA-F:.]+\](?::\d{1,5})?$/;

/** Scheme and host by which the client knows the service; "/" if the host is not valid. */
export function baseUrlOf(request: Request): string {
  const host = hostOf(request);
  const scheme = request.headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return HOST.test(host) ? `${scheme}://${host}` : "/";
}
