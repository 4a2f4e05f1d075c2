/** The origins of a run, the same for every proxy. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { accepts, type Children, waitFor } from "../support/children.ts";
import { folderFor, isInstalled, startNginx } from "../support/programs.ts";
import { bodyAt, LARGE_BODIES, SMALL_BODY } from "./bodies.ts";

export interface Origin {
  readonly program: string;
  readonly port: number;
}

/** The files of a certificate. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Two workers, since one would be the bottleneck of a proxy that is as fast as itself. */
const WORKERS = 2;

/** nginx if it is installed, else Bun.serve; over TLS if a certificate is given. */
export async function startOrigin(children: Children, tls?: Pair): Promise<Origin> {
  return isInstalled("nginx") ? await startNginxOrigin(children, tls) : await startBunOrigin(children, tls);
}

async function startNginxOrigin(children: Children, tls: Pair | undefined): Promise<Origin> {
  const port = await freePort();
  const root = folderFor(children, "www");
  for (const path of Object.keys(LARGE_BODIES)) writeFileSync(join(root, path), bodyAt(path));
  const http = `
  sendfile on;
  tcp_nopush on;
  open_file_cache max=16 inactive=3600s;
  default_type application/octet-stream;
  server {
    listen 127.0.0.1:${port} ${tls === undefined ? "" : "ssl "}backlog=4096 reuseport;
    ${tls === undefined ? "" : `ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key};`}
    ${tls === undefined ? "" : "ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;"}
    root ${root};
    location = /small { default_type application/json; return 200 '${SMALL_BODY}'; }
  }`;
  const child = startNginx(children, "origin", { workers: WORKERS, connections: 8192, http });
  await waitFor(child, "the origin", () => accepts(port));
  return { program: `nginx, ${WORKERS} workers`, port };
}

async function startBunOrigin(children: Children, tls: Pair | undefined): Promise<Origin> {
  const port = await freePort();
  const more = tls === undefined ? [] : [tls.cert, tls.key];
  for (let worker = 0; worker < WORKERS; worker++)
    await startProgram(children, "bun-origin.ts", [String(port), ...more]);
  return { program: `Bun.serve, ${WORKERS} processes`, port };
}

/** One process that counts its requests. Behind a cache it has little work. */
export async function startCacheOrigin(children: Children): Promise<Origin> {
  const port = await freePort();
  await startProgram(children, "bun-origin.ts", [String(port)]);
  return { program: "Bun.serve", port };
}

/** The number of requests for cacheable responses at the origin of `startCacheOrigin`. */
export async function askedOf(origin: Origin): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${origin.port}/count`);
  return Number(await response.text());
}

export async function startWebSocketOrigin(children: Children): Promise<Origin> {
  const port = await freePort();
  await startProgram(children, "websocket-origin.ts", [String(port)]);
  return { program: "Bun.serve", port };
}

export async function startGrpcOrigin(children: Children): Promise<Origin> {
  const port = await freePort();
  await startProgram(children, "grpc-origin.ts", [String(port)]);
  return { program: "Bun, frames alone", port };
}

async function startProgram(children: Children, file: string, args: readonly string[]): Promise<void> {
  const argv = [process.execPath, join(import.meta.dir, file), ...args];
  const child = children.spawn({ name: "origin", argv });
  await waitFor(child, "the origin", async () => (child.output().includes("ready") ? true : undefined));
}
