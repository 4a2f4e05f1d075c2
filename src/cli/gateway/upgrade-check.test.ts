import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../lib/testing/patience.ts";
import { openStore } from "../../store/open/open-store.ts";
import { openPostgresStore } from "../../store/postgres/open-postgres-store.ts";
import { hasPostgres, sharedPostgres } from "../../store/testing/postgres.ts";

// A database server starts slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-upgrade-"));
const stateDir = join(folder, "state");
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, value: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const ENVIRONMENT = {
  ...process.env,
  UPGRADE_RPC: "http://127.0.0.1:1",
  TURNPIKE_FACILITATOR_KEY: `0x${"11".repeat(32)}`,
};

/** Runs the command in a process of its own. */
async function run(...args: string[]) {
  const module = JSON.stringify(join(import.meta.dir, "upgrade-check.ts"));
  const script = `const { upgradeCheck } = await import(${module}); process.exitCode = await upgradeCheck(process.argv.slice(1));`;
  const child = Bun.spawn([process.execPath, "-e", script, "--", ...args], {
    stdout: "pipe",
    stderr: "pipe",
    env: ENVIRONMENT,
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

const fixed = { server: { port: 8090 } };

test("a ledger of this version or an older one, or a missing ledger, is accepted; a newer one is refused", async () => {
  const file = write("turnpike.json", fixed);
  const path = join(folder, "turnpike.db");
  expect((await run(file)).out).toContain("ledger: ok (there is none yet)");
  await openStore(path).close();
  expect(await run(file)).toMatchObject({ code: 0, err: "" });
  const database = new Database(path);
  const version = database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
  database.run(`PRAGMA user_version = ${version - 1}`);
  expect((await run(file)).out).toContain(`version ${version - 1}; this program changes it to ${version}`);
  database.run(`PRAGMA user_version = ${version + 1}`);
  database.close();
  const newer = await run(file);
  expect(newer.code).toBe(1);
  expect(newer.err).toContain(`its schema is version ${version + 1}, this program knows ${version}`);
  // The state folder has another ledger.
  expect((await run("--state-dir", stateDir, file)).out).toContain("there is none yet");
});

test("a port that the system chooses is refused, and so is a configuration with problems", async () => {
  expect(await run(write("free.json", { server: { port: 0 } }))).toMatchObject({ code: 1 });
  const chains = [{ network: "base", rpc_url_env: "UPGRADE_RPC" }];
  const x402 = { enabled: true, embedded: { enabled: true }, chains };
  const own = await run(write("own.json", { ...fixed, x402 }));
  expect(own.err).toContain("one process at a time may use the key of x402.embedded");
  const wrong = await run(write("wrong.json", { server: { port: "x" } }));
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain("server.port");
  expect((await run()).code).toBe(2);
});

test.skipIf(!hasPostgres)("a database is read, and not changed", async () => {
  const database = await sharedPostgres();
  const user = await database.newUser();
  const file = write("shared.json", { ...fixed, postgres: { url: database.url(user) } });
  expect((await run(file)).out).toContain("ledger: ok (there is none yet)");
  expect((await run(file)).out).toContain("ledger: ok (there is none yet)");
  const store = openPostgresStore(database.settings({ user }));
  await store.ready();
  await store.close();
  expect((await run(file)).out).toContain("the version that this program writes");
});
