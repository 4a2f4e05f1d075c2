/** Sends a request as it is. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** How the gateway is reached: on this machine a certificate for its public name is that of nobody else. */
export function sendTo(gatewayUrl: string): Send {
  const isLocal = /^https:\/\/(?:127\.[0-9.]+|\[::1\])[:/]/.test(`${gatewayUrl}/`);
  return isLocal ? (url, init) => fetch(url, { ...init, tls: { rejectUnauthorized: false } }) : fetch;
}

/** The host that the client asked for, through the gateway or without it. */
export function hostOf({ headers }: Request): string {
  return headers.get("x-forwarded-host") ?? headers.get("host") ?? "";
}
