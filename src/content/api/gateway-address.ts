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
