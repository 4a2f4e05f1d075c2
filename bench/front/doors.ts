/** The servers of a run, with settings as similar as their configuration languages allow. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { accepts, type Child, type Children, waitFor } from "../support/children.ts";
import { isInstalled, type Running, startCaddy, startHaproxy, startNginx, startTurnpike } from "../support/programs.ts";
import { LOCAL_RESPONSE } from "./cases.ts";

/** The content that all of them serve. */
export interface Site {
  readonly root: string;
  readonly cert: string;
  readonly key: string;
}

interface Ports {
  readonly http: number;
  readonly https: number;
}

export interface OpenDoor extends Running, Ports {}

export interface Door {
  readonly name: string;
  readonly servesFiles: boolean;
  /** HTTP/3 on the number of its HTTPS port. */
  readonly servesHttp3?: true;
  installed(): boolean;
  start(children: Children, site: Site): Promise<OpenDoor>;
}

async function freePorts(): Promise<Ports> {
  return { http: await freePort(), https: await freePort() };
}

async function opened(name: string, ports: Ports, child: Child): Promise<OpenDoor> {
  await waitFor(child, name, () => accepts(ports.http));
  await waitFor(child, name, () => accepts(ports.https));
  return { name, ...ports, pid: child.pid, exited: () => child.exited() };
}

/** Turnpike with this number of workers. */
export function turnpike(workers: number, name = "turnpike"): Door {
  return {
    name,
    servesFiles: true,
    servesHttp3: true,
    installed: () => true,
    async start(children, site) {
      const ports = await freePorts();
      const config = {
        server: {
          workers,
          max_connections: 20_000,
          // All clients of the bench have one address.
          max_connections_per_address: 20_000,
          static_root: site.root,
          listeners: [
            { address: "127.0.0.1", port: ports.http },
            { address: "127.0.0.1", port: ports.https, use_tls: true, quic_enabled: true },
          ],
        },
        buffer_pool: { buffer_count: 40_000 },
        timeouts: { idle_ms: 3_600_000 },
        tls: { cert_path: site.cert, key_path: site.key },
        access_log: { enabled: false },
      };
      return await opened(name, ports, startTurnpike(children, name, config));
    },
  };
}

/** nginx with this number of workers. */
export function nginx(workers: number, name = "nginx"): Door {
  return {
    name,
    servesFiles: true,
    installed: () => isInstalled("nginx"),
    async start(children, site) {
      const ports = await freePorts();
      const http = `
  sendfile on;
  tcp_nopush on;
  open_file_cache max=16 inactive=3600s;
  types { text/plain txt; }
  http2_max_concurrent_streams 128;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_certificate ${site.cert};
  ssl_certificate_key ${site.key};
  server {
    listen 127.0.0.1:${ports.http} backlog=4096 reuseport;
    listen 127.0.0.1:${ports.https} ssl http2 backlog=4096 reuseport;
    root ${site.root};
    location = ${LOCAL_RESPONSE} { return 200; }
  }`;
      return await opened(name, ports, startNginx(children, name, { workers, connections: 20_000, http }));
    },
  };
}

const HAPROXY: Door = {
  name: "haproxy",
  servesFiles: false,
  installed: () => isInstalled("haproxy"),
  async start(children, site) {
    const ports = await freePorts();
    // HAProxy reads the key from the certificate's file.
    const pair = join(children.folder, "pair.pem");
    writeFileSync(pair, (await Bun.file(site.cert).text()) + (await Bun.file(site.key).text()));
    const config = `
global
  nbthread 1
  maxconn 9000
  ssl-default-bind-options ssl-min-ver TLSv1.2
defaults
  mode http
  timeout connect 5s
  timeout client 3600s
  timeout server 60s
frontend front
  bind 127.0.0.1:${ports.http} backlog 4096
  bind 127.0.0.1:${ports.https} ssl crt ${pair} alpn h2,http/1.1 backlog 4096
  http-request return status 200 if { path ${LOCAL_RESPONSE} }
`;
    return await opened("haproxy", ports, startHaproxy(children, config));
  },
};

const CADDY: Door = {
  name: "caddy",
  servesFiles: true,
  servesHttp3: true,
  installed: () => isInstalled("caddy"),
  async start(children, site) {
    const ports = await freePorts();
    const served = `bind 127.0.0.1\n  respond ${LOCAL_RESPONSE} 200\n  root * ${site.root}\n  file_server`;
    const sites = `
http://127.0.0.1:${ports.http} {
  ${served}
}
https://127.0.0.1:${ports.https} {
  tls ${site.cert} ${site.key}
  ${served}
}
`;
    return await opened("caddy", ports, startCaddy(children, sites));
  },
};

/** The proxy bench's relay, which shows what connections of the runtime cost by themselves. It has no TLS. */
export const RELAY: Door = {
  name: "relay",
  servesFiles: false,
  installed: () => true,
  async start(children) {
    const http = await freePort();
    const program = join(import.meta.dir, "../proxy/relay.ts");
    const child = children.spawn({ name: "relay", argv: [process.execPath, program, String(http), "9"] });
    await waitFor(child, "relay", () => accepts(http));
    return { name: "relay", http, https: 0, pid: child.pid, exited: () => child.exited() };
  },
};

export const PEER_DOORS: readonly Door[] = [nginx(1), HAPROXY, CADDY];
