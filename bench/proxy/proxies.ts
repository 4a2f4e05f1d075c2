/** The proxies of a run, with settings as equal as their configuration languages let them be. */
import { accepts, type Child, type Children, freePort, waitFor } from "../support/children.ts";
import { isInstalled, type Running, startCaddy, startHaproxy, startNginx, startTurnpike } from "../support/programs.ts";

/** Upstream connections that each proxy may keep: more than the largest case needs. */
const POOL = 1024;

export interface RunningProxy extends Running {
  readonly port: number;
}

export interface Proxy {
  readonly name: string;
  installed(): boolean;
  start(children: Children, originPort: number): Promise<RunningProxy>;
}

function running(name: string, port: number, child: Child): RunningProxy {
  return { name, port, pid: child.pid, exited: () => child.exited() };
}

async function opened(name: string, port: number, child: Child): Promise<RunningProxy> {
  await waitFor(child, name, () => accepts(port));
  return running(name, port, child);
}

const TURNPIKE: Proxy = {
  name: "turnpike",
  installed: () => true,
  async start(children, originPort) {
    const config = {
      server: { address: "127.0.0.1", port: 0, workers: 1 },
      access_log: { enabled: false },
      upstreams: [
        {
          name: "origin",
          servers: [{ address: "127.0.0.1", port: originPort }],
          connection_pool: { max_connections: POOL, max_idle: POOL },
        },
      ],
      routes: [{ path_prefix: "/", upstream: "origin" }],
    };
    const child = startTurnpike(children, "turnpike", config);
    const port = await waitFor(child, "turnpike", async () => {
      const match = /listening on http:\/\/[^\s]*:(\d+)/.exec(child.output());
      return match === null ? undefined : Number(match[1]);
    });
    return running("turnpike", port, child);
  },
};

const NGINX: Proxy = {
  name: "nginx",
  installed: () => isInstalled("nginx"),
  async start(children, originPort) {
    const port = await freePort();
    const http = `
  upstream origin { server 127.0.0.1:${originPort}; keepalive ${POOL}; keepalive_requests 1000000000; }
  map $http_x_request_id $id { default $http_x_request_id; "" $request_id; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Real-IP $remote_addr;
      proxy_set_header Via "1.1 nginx";
      proxy_set_header X-Request-Id $id;
      add_header X-Request-Id $id;
    }
  }`;
    const child = startNginx(children, "nginx", { workers: 1, connections: 8192, http });
    return await opened("nginx", port, child);
  },
};

const HAPROXY: Proxy = {
  name: "haproxy",
  installed: () => isInstalled("haproxy"),
  async start(children, originPort) {
    const port = await freePort();
    const config = `
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend front
  bind 127.0.0.1:${port} backlog 4096
  unique-id-format %[uuid()]
  option forwardfor
  http-request set-header X-Forwarded-Proto http
  http-request set-header X-Forwarded-Host %[req.hdr(host)]
  http-request set-header X-Real-IP %[src]
  http-request set-header Via "1.1 haproxy"
  http-request set-header X-Request-Id %[unique-id] unless { req.hdr(X-Request-Id) -m found }
  http-response set-header X-Request-Id %[unique-id]
  default_backend origin
backend origin
  server origin 127.0.0.1:${originPort} pool-max-conn ${POOL} pool-purge-delay 60s
`;
    return await opened("haproxy", port, startHaproxy(children, config));
  },
};

const CADDY: Proxy = {
  name: "caddy",
  installed: () => isInstalled("caddy"),
  async start(children, originPort) {
    const port = await freePort();
    const site = `
http://127.0.0.1:${port} {
  bind 127.0.0.1
  header X-Request-Id {http.request.uuid}
  reverse_proxy 127.0.0.1:${originPort} {
    header_up X-Real-IP {http.request.remote.host}
    header_up Via "1.1 caddy"
    header_up X-Request-Id {http.request.uuid}
    transport http {
      keepalive_idle_conns ${POOL}
      keepalive_idle_conns_per_host ${POOL}
      compression off
    }
  }
}
`;
    return await opened("caddy", port, startCaddy(children, site));
  },
};

export const SUBJECT = TURNPIKE;
export const PEERS: readonly Proxy[] = [NGINX, HAPROXY, CADDY];
