/** The origin of a run: nginx where it is installed, else Bun.serve; the same one for every proxy. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LARGE_BODIES, SMALL_BODY } from "./cases.ts";
import { accepts, type Children, freePort, waitFor } from "./children.ts";
import { nginxCommon, nginxTempPaths } from "./nginx.ts";

export interface Origin {
  readonly program: string;
  readonly port: number;
}

/** Two workers, since one would be the bottleneck of a proxy that is as fast as itself. */
const WORKERS = 2;

export async function startOrigin(children: Children): Promise<Origin> {
  return Bun.which("nginx") === null ? await startBunOrigin(children) : await startNginxOrigin(children);
}

async function startNginxOrigin(children: Children): Promise<Origin> {
  const port = await freePort();
  const folder = join(children.folder, "origin");
  mkdirSync(join(folder, "www"), { recursive: true });
  for (const [path, size] of Object.entries(LARGE_BODIES)) writeFileSync(join(folder, "www", path), "x".repeat(size));
  const config = `
${nginxCommon(folder, WORKERS)}
http {
  ${nginxTempPaths(folder)}
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
  open_file_cache max=16 inactive=3600s;
  default_type application/octet-stream;
  server {
    listen 127.0.0.1:${port} backlog=4096 reuseport;
    root ${join(folder, "www")};
    location = /small { default_type application/json; return 200 '${SMALL_BODY}'; }
  }
}
`;
  writeFileSync(join(folder, "nginx.conf"), config);
  const child = children.spawn({
    name: "origin",
    argv: ["nginx", "-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")],
  });
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
