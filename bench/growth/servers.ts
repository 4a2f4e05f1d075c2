/** The gateway and nginx with equal settings for one point of a curve. */
import { freePort } from "../../src/lib/testing/listen.ts";
import { accepts, type Child, type Children, waitFor } from "../support/children.ts";
import { NGINX_ID, nginxFields, startNginx, startTurnpike } from "../support/programs.ts";
import { type Point, PREFIX } from "./curves.ts";

/** More than the connections of any point, on both sides. */
const MAX_CONNECTIONS = 16_000;
const POOL = 64;

export interface Server {
  readonly pid: number;
  readonly port: number;
  /** A path with a local response of the server. */
  readonly ownPath: string;
  /** Requests that it has received since its start. */
  requests(): Promise<number>;
}

export interface ServerKind {
  readonly name: "turnpike" | "nginx";
  start(children: Children, point: Point, originPort: number): Promise<Server>;
}

async function ready(child: Child, name: string, port: number): Promise<void> {
  await waitFor(child, name, () => accepts(port));
}

async function counted(url: string, pattern: RegExp): Promise<number> {
  const text = await (await fetch(url)).text();
  return [...text.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}

const nginxCount = /^\s*\d+ \d+ (\d+)\s*$/gm;

/** An nginx that responds to all requests. */
export async function startOrigin(children: Children): Promise<{ readonly pid: number; readonly port: number }> {
  const port = await freePort();
  const http = `large_client_header_buffers 8 32k;
  server { listen 127.0.0.1:${port} backlog=4096; location / { return 200 "hello"; } }`;
  const child = startNginx(children, "origin", { workers: 1, connections: MAX_CONNECTIONS, http });
  await ready(child, "the origin", port);
  return { pid: child.pid, port };
}

const upstreamOf = ({ upstreams }: Point, route: number): string => `u${upstreams === 1 ? 0 : route}`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

const TURNPIKE: ServerKind = {
  name: "turnpike",
  async start(children, point, originPort) {
    const port = await freePort();
    const servers = [{ address: "127.0.0.1", port: originPort }];
    const child = startTurnpike(children, "turnpike", {
      server: {
        workers: 1,
        address: "127.0.0.1",
        port,
        max_connections: MAX_CONNECTIONS,
        max_connections_per_address: MAX_CONNECTIONS,
      },
      // Two buffers for each connection.
      buffer_pool: { buffer_count: 2 * MAX_CONNECTIONS },
      access_log: { enabled: false },
      upstreams: numbers(point.upstreams).map((n) => ({
        name: `u${n}`,
        servers,
        connection_pool: { max_connections: POOL, max_idle: POOL },
      })),
      routes: numbers(point.routes).map((n) => ({ path_prefix: `${PREFIX}${n}`, upstream: upstreamOf(point, n) })),
    });
    await ready(child, "turnpike", port);
    const url = `http://127.0.0.1:${port}/metrics`;
    const requests = (): Promise<number> => counted(url, /^turnpike_http_requests_total(?:\{[^}]*\})? (\d+)$/gm);
    return { pid: child.pid, port, ownPath: "/.healthz", requests };
  },
};

const NGINX: ServerKind = {
  name: "nginx",
  async start(children, point, originPort) {
    const port = await freePort();
    const upstreams = numbers(point.upstreams).map(
      (n) => `upstream u${n} { server 127.0.0.1:${originPort}; keepalive ${POOL}; keepalive_requests 1000000000; }`,
    );
    const routes = numbers(point.routes).map(
      (n) => `location ${PREFIX}${n} { proxy_pass http://${upstreamOf(point, n)}; }`,
    );
    const http = `large_client_header_buffers 8 32k;
  ${NGINX_ID}
  ${upstreams.join("\n  ")}
  server {
    listen 127.0.0.1:${port} backlog=4096;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    ${nginxFields()}
    location = /requests { stub_status; }
    location = /.healthz { return 200; }
    ${routes.join("\n    ")}
  }`;
    const child = startNginx(children, "nginx", { workers: 1, connections: MAX_CONNECTIONS, http });
    await ready(child, "nginx", port);
    const requests = (): Promise<number> => counted(`http://127.0.0.1:${port}/requests`, nginxCount);
    return { pid: child.pid, port, ownPath: "/.healthz", requests };
  },
};

export const SERVERS: readonly ServerKind[] = [TURNPIKE, NGINX];
