/** The origin of a run: nginx where it is installed, else Bun.serve; the same one for every proxy. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { accepts, type Children, freePort, waitFor } from "../support/children.ts";
import { folderFor, isInstalled, startNginx } from "../support/programs.ts";
import { LARGE_BODIES, SMALL_BODY } from "./cases.ts";

export interface Origin {
  readonly program: string;
  readonly port: number;
}

/** Two workers, since one would be the bottleneck of a proxy that is as fast as itself. */
const WORKERS = 2;

export async function startOrigin(children: Children): Promise<Origin> {
  return isInstalled("nginx") ? await startNginxOrigin(children) : await startBunOrigin(children);
}

async function startNginxOrigin(children: Children): Promise<Origin> {
  const port = await freePort();
  const root = folderFor(children, "www");
  for (const [path, size] of Object.entries(LARGE_BODIES)) writeFileSync(join(root, path), "x".repeat(size));
  const http = `
  sendfile on;
  tcp_nopush on;
  open_file_cache max=16 inactive=3600s;
  default_type application/octet-stream;
  server {
    listen 127.0.0.1:${port} backlog=4096 reuseport;
    root ${root};
    location = /small { default_type application/json; return 200 '${SMALL_BODY}'; }
  }`;
  const child = startNginx(children, "origin", { workers: WORKERS, connections: 8192, http });
  await waitFor(child, "the origin", () => accepts(port));
  return { program: `nginx, ${WORKERS} workers`, port };
}

async function startBunOrigin(children: Children): Promise<Origin> {
  const port = await freePort();
  const program = join(import.meta.dir, "bun-origin.ts");
  for (let worker = 0; worker < WORKERS; worker++) {
    const child = children.spawn({ name: "origin", argv: [process.execPath, program, String(port)] });
    await waitFor(child, "the origin", async () => (child.output().includes("ready") ? true : undefined));
  }
  return { program: `Bun.serve, ${WORKERS} processes`, port };
}
