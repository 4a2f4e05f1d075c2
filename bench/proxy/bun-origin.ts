/**
 * One process of the origin if nginx is not installed, and the origin behind caches: `PORT [CERT KEY]`. Several
 * processes can share the port. `/count` returns the number of requests for cacheable responses.
 */
import { bodyAt, CACHED_BODIES, LARGE_BODIES } from "./bodies.ts";

const [port, cert, key] = process.argv.slice(2);
const json = { "Content-Type": "application/json" };
const cachedJson = { ...json, "Cache-Control": "public, max-age=3600" };

let asked = 0;
const routes: Record<string, Response | (() => Response)> = {
  "/small": new Response(bodyAt("/small"), { headers: json }),
  "/count": () => new Response(String(asked)),
};
for (const path of Object.keys(LARGE_BODIES)) routes[path] = new Response(bodyAt(path));
for (const [path, body] of Object.entries(CACHED_BODIES)) {
  routes[path] = () => {
    asked++;
    return new Response(body, { headers: cachedJson });
  };
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  reusePort: true,
  idleTimeout: 0,
  ...(cert === undefined || key === undefined ? {} : { tls: { cert: Bun.file(cert), key: Bun.file(key) } }),
  routes,
  fetch: () => new Response(null, { status: 404 }),
});
console.log("ready");
