import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");
/** Features that a gateway without them does not load. */
const OPTIONAL = [
  "src/gateway/acme/keeper.ts",
  "src/gateway/admin/overview/",
  "src/gateway/admin/usage/",
  "src/gateway/filters/control/control-socket.ts",
  "src/gateway/http2/client-connection.ts",
  "src/gateway/http2/server-connection.ts",
  "src/gateway/http3/server.ts",
  "src/gateway/policy/auth/auth.ts",
  "src/gateway/policy/compression/",
  "src/gateway/policy/payment/payment.ts",
  "src/gateway/proxy/cache/",
  "src/gateway/proxy/mirror.ts",
  "src/gateway/static/static-files.ts",
  "src/gateway/telemetry/tracing/tracer.ts",
  "/node_modules/zod/",
];

/** Starts a gateway, and prints the modules that it has loaded before and after a request of HTTP/2. */
const SCRIPT = `
  const { readConfig } = await import("${ROOT}/src/cli/common/configuration.ts");
  await import("${ROOT}/src/cli/gateway/gateway.ts");
  const { startAdministered } = await import("${ROOT}/src/gateway/process/start-administered.ts");
  const opened = await readConfig({ path: process.argv[1], flags: {}, prepare: (value) => value });
  const gateway = await startAdministered(opened, { storePath: ":memory:", reusePort: false, log() {} });
  const before = Object.keys(require.cache);
  const { connect } = await import("node:http2");
  const session = connect("http://127.0.0.1:" + gateway.listeners[0].port);
  const stream = session.request({ ":path": "/.healthz" });
  const status = await new Promise((resolve) => stream.on("response", (head) => resolve(head[":status"])));
  session.destroy();
  const after = Object.keys(require.cache);
  await gateway.close(0);
  console.log(JSON.stringify({ before, after, status }));
`;

/** The part of a feature that takes its configuration is always loaded. */
const PROVIDES = /\/provide-[a-z-]+\.ts$/;

function optional(paths: readonly string[]): string[] {
  return OPTIONAL.filter((part) => paths.some((path) => path.includes(part) && !PROVIDES.test(path)));
}

test("a plain gateway loads no optional feature, and HTTP/2 with its first connection", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  const file = join(folder, "turnpike.json");
  writeFileSync(
    file,
    JSON.stringify({
      server: { workers: 1, address: "127.0.0.1", port: 0 },
      access_log: { enabled: false },
      upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9 }] }],
      routes: [{ path_prefix: "/", upstream: "a" }],
    }),
  );
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", SCRIPT, file], { cwd: folder });
  rmSync(folder, { recursive: true });
  expect(stderr.toString()).toBe("");
  const { before, after, status } = JSON.parse(stdout.toString()) as {
    before: string[];
    after: string[];
    status: number;
  };
  expect([optional(before), optional(after), status]).toEqual([[], ["src/gateway/http2/server-connection.ts"], 200]);
});
