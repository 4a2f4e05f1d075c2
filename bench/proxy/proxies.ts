/** The proxies of a run, with settings as equal as their configuration languages let them be. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accepts, type Child, type Children, freePort, waitFor } from "./children.ts";
import { nginxCommon, nginxTempPaths } from "./nginx.ts";

/** Upstream connections that each proxy may keep: more than the largest case needs. */
const POOL = 1024;

export interface Running {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  exited(): string | undefined;
}

export interface Proxy {
  readonly name: string;
  installed(): boolean;
  start(children: Children, originPort: number): Promise<Running>;
}

function folderFor(children: Children, name: string): string {
  const folder = join(children.folder, name);
  mkdirSync(folder);
  return folder;
}

function running(name: string, port: number, child: Child): Running {
  return { name, port, pid: child.pid, exited: () => child.exited() };
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
    const file = join(folderFor(children, "turnpike"), "turnpike.json");
    writeFileSync(file, JSON.stringify(config));
    const bin = join(import.meta.dir, "../../bin/turnpike.mjs");
    const child = children.spawn({ name: "turnpike", argv: ["node", bin, "--config", file] });
    const port = await waitFor(child, "turnpike", async () => {
      const match = /listening on http:\/\/[^\s]*:(\d+)/.exec(child.output());
      return match === null ? undefined : Number(match[1]);
    });
    return running("turnpike", port, child);
  },
};

const NGINX: Proxy = {
  name: "nginx",
  installed: () => Bun.which("nginx") !== null,
  async start(children, originPort) {
    const port = await freePort();
    const folder = folderFor(children, "nginx");
    const config = `
${nginxCommon(folder, 1)}
http {
  ${nginxTempPaths(folder)}
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
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
  }
}
`;
    const file = join(folder, "nginx.conf");
    writeFileSync(file, config);
    const child = children.spawn({ name: "nginx", argv: ["nginx", "-p", folder, "-e", "stderr", "-c", file] });
    await waitFor(child, "nginx", () => accepts(port));
    return running("nginx", port, child);
  },
};

const HAPROXY: Proxy = {
  name: "haproxy",
  installed: () => Bun.which("haproxy") !== null,
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
    const file = join(folderFor(children, "haproxy"), "haproxy.cfg");
    writeFileSync(file, config);
    const child = children.spawn({ name: "haproxy", argv: ["haproxy", "-db", "-f", file] });
    await waitFor(child, "haproxy", () => accepts(port));
    return running("haproxy", port, child);
  },
};

const CADDY: Proxy = {
  name: "caddy",
  installed: () => Bun.which("caddy") !== null,
  async start(children, originPort) {
    const port = await freePort();
    const folder = folderFor(children, "caddy");
    const config = `
{
  admin off
  auto_https off
  log {
    output discard
  }
}
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
    const file = join(folder, "Caddyfile");
    writeFileSync(file, config);
    const child = children.spawn({
      name: "caddy",
      argv: ["caddy", "run", "--config", file, "--adapter", "caddyfile"],
      env: { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, GOMAXPROCS: "1" },
    });
    await waitFor(child, "caddy", () => accepts(port));
    return running("caddy", port, child);
  },
};

export const SUBJECT = TURNPIKE;
export const PEERS: readonly Proxy[] = [NGINX, HAPROXY, CADDY];
