/**
 * Writes a configuration to a folder that is full or read-only. It runs in its own mount namespace, so that it may
 * mount the folder.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openConfig } from "../config-source.ts";
import { LiveConfig } from "../live-config.ts";

const [folder = "", kind = ""] = process.argv.slice(2);
const BY = { kind: "operator", key: "api_key", address: "" } as const;
const TEXT = JSON.stringify({ upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9 }] }] });

function mount(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot mount: ${stderr}`);
}

mount("-t", "tmpfs", "-o", "size=64k", "none", folder);
const path = join(folder, "turnpike.json");
writeFileSync(path, TEXT);
const opened = await openConfig({ path, flags: {} });
const running = new LiveConfig({ opened, apply: async () => {}, countReload() {}, onEvent() {} });
const value = "x".repeat(80_000);
await running.change({ kind: "patch-upstream", name: "a", patch: { health_check: { expected_body: value } } }, BY);
if (kind === "read-only") mount("-o", "remount,ro", folder);
const outcome = await running.persist(BY, { force: false });
console.log(JSON.stringify({ outcome, files: readdirSync(folder), isWhole: readFileSync(path, "utf8") === TEXT }));
