/** Starts the programs that are measured, each with its configuration in its own folder. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Child, type Children, waitFor } from "./children.ts";

/** A running program that can be measured. */
export interface Running {
  readonly name: string;
  readonly pid: number;
  /** Undefined while it runs. */
  exited(): string | undefined;
  /** All its output so far. */
  output?(): string;
}

const TURNPIKE = join(import.meta.dir, "../../bin/turnpike");

export function isInstalled(program: string): boolean {
  return Bun.which(program) !== null;
}

export function folderFor(children: Children, name: string): string {
  const folder = join(children.folder, name);
  mkdirSync(folder);
  return folder;
}

/** Writes `config` to a file of that name, in a folder with the program's name. */
function configured(children: Children, name: string, [file, config]: readonly [file: string, config: string]): string {
  const path = join(folderFor(children, name), file);
  writeFileSync(path, config);
  return path;
}

export function startTurnpike(children: Children, name: string, config: object): Child {
  const file = configured(children, name, ["turnpike.json", JSON.stringify(config)]);
  return children.spawn({ name, argv: [TURNPIKE, "--config", file] });
}

/** The port of a gateway's first listener, when it listens. */
export async function listeningPort(child: Child, name = "turnpike"): Promise<number> {
  const listening = /listening on https?:\/\/[^\s]*:(\d+)/;
  return Number(await waitFor(child, name, async () => listening.exec(child.output())?.[1]));
}

/** The upstream of a gateway's configuration. */
export function originUpstream(port: number | undefined, connections: number) {
  return {
    name: "origin",
    servers: [{ address: "127.0.0.1", port }],
    connection_pool: { max_connections: connections, max_idle: connections },
  };
}

/** Directives of nginx for the header fields that the gateway adds. The `http` block has `NGINX_ID`. */
export function nginxFields(set = "proxy_set_header"): string {
  return `${set} Host $http_host;
      ${set} X-Forwarded-For $proxy_add_x_forwarded_for;
      ${set} X-Forwarded-Proto $scheme;
      ${set} X-Forwarded-Host $http_host;
      ${set} X-Real-IP $remote_addr;
      ${set} Via "1.1 nginx";
      ${set} X-Request-Id $id;
      add_header X-Request-Id $id;`;
}

export const NGINX_ID = 'map $http_x_request_id $id { default $http_x_request_id; "" $request_id; }';

export interface NginxConfig {
  readonly workers: number;
  /** Connections of each worker, to clients and upstreams together. */
  readonly connections: number;
  /** The contents of its `http` block. */
  readonly http: string;
}

/** As root, nginx would run workers as a user that cannot read the folder, and write outside the folder. */
export function startNginx(children: Children, name: string, { workers, connections, http }: NginxConfig): Child {
  const folder = folderFor(children, name);
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? "user root;\n" : ""}daemon off;
worker_processes ${workers};
worker_rlimit_nofile 16384;
pid ${join(folder, "nginx.pid")};
error_log stderr error;
events { worker_connections ${connections}; }
http {
  ${kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`).join("\n  ")}
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
${http}
}
`,
  );
  return children.spawn({ name, argv: ["nginx", "-p", folder, "-e", "stderr", "-c", file] });
}

export function startHaproxy(children: Children, config: string): Child {
  const file = configured(children, "haproxy", ["haproxy.cfg", config]);
  return children.spawn({ name: "haproxy", argv: ["haproxy", "-db", "-f", file] });
}

/** `sites` are the site blocks of a Caddyfile, `more` are further global options. */
export function startCaddy(children: Children, sites: string, more = ""): Child {
  const options = `{\n  admin off\n  auto_https off\n  log {\n    output discard\n  }\n${more}}\n`;
  const file = configured(children, "caddy", ["Caddyfile", options + sites]);
  const home = join(children.folder, "caddy");
  return children.spawn({
    name: "caddy",
    argv: ["caddy", "run", "--config", file, "--adapter", "caddyfile"],
    env: { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, GOMAXPROCS: "1" },
  });
}
