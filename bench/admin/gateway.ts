/** A gateway with an admin interface, and requests to it. */
import { type Children, waitFor } from "../support/children.ts";
import { startTurnpike } from "../support/programs.ts";

export const KEY = "the-key-of-the-bench";

export interface Started {
  /** The process id of the launcher; the gateway's processes are its descendants. */
  readonly pid: number;
  readonly port: number;
  /** The URL of the admin interface. */
  readonly url: string;
}

export async function startGateway(children: Children, config: object, workers = 1): Promise<Started> {
  const child = startTurnpike(children, "turnpike", {
    server: { workers, address: "127.0.0.1", port: 0 },
    admin: { enabled: true, port: 0, api_key: KEY },
    access_log: { enabled: false },
    ...config,
  });
  return await waitFor(child, "turnpike", async () => {
    const port = /listening on http:\/\/[^\s]*:(\d+)/.exec(child.output())?.[1];
    const url = /admin interface on (\S+)\//.exec(child.output())?.[1];
    return port === undefined || url === undefined ? undefined : { pid: child.pid, port: Number(port), url };
  });
}

/** Milliseconds until the whole response arrived. Throws if it is not a success. */
export async function ask(url: string, method: string, path: string, body?: object): Promise<number> {
  const headers = { "x-api-key": KEY, "content-type": "application/json" };
  const begun = performance.now();
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot ${method} ${path}: ${response.status} ${text}`);
  return performance.now() - begun;
}
