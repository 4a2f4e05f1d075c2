/** One process of the origin where nginx is not installed; the argument is the port, which several share. */
import { LARGE_BODIES, SMALL_BODY } from "./cases.ts";

const routes: Record<string, Response> = {
  "/small": new Response(SMALL_BODY, { headers: { "Content-Type": "application/json" } }),
};
for (const [path, size] of Object.entries(LARGE_BODIES)) routes[path] = new Response("x".repeat(size));

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  reusePort: true,
  idleTimeout: 0,
  routes,
  fetch: () => new Response(null, { status: 404 }),
});
console.log("ready");
