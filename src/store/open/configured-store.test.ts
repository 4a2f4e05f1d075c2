import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openConfiguredCertificates,
  openConfiguredJobs,
  openConfiguredPages,
  openConfiguredStore,
  openConfiguredTemplates,
  openConfiguredUsage,
  type PostgresConfig,
  readLedgerVersion,
} from "./configured-store.ts";
import { until } from "../../lib/testing/until.ts";
import { closeServers, message, serve } from "../testing/scripted-postgres.ts";
import { RESERVATION } from "../testing/reservation.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-configured-"));
afterAll(() => rmSync(folder, { recursive: true }));

const NONE: PostgresConfig = {
  password_env: "",
  pool_size_per_worker: 2,
  statement_timeout_ms: 500,
  allow_cleartext_password: false,
  ssl_root_cert: "",
  kept_response_bytes: 0,
};
const URL = "postgres://me:hunter2@127.0.0.1:1/db";

test("without a URL the store is the SQLite file", async () => {
  for (const postgres of [NONE, { ...NONE, url: "" }]) {
    const store = openConfiguredStore(postgres, join(folder, "state.db"));
    await store.ready();
    const claim = await store.ledger.reserve({ ...RESERVATION, nonce: crypto.randomUUID() });
    expect(claim.leased).toBe(true);
    await store.close();
  }
});

test("with a URL the store is the database, and fails if there is no server", async () => {
  const store = openConfiguredStore({ ...NONE, url: `${URL}?sslmode=disable` }, join(folder, "unused.db"));
  const said = await store.ready().then(() => "ready", String);
  expect(said).toContain("the server is not reached (ECONNREFUSED)");
  await store.close();
});

function refusalOf(postgres: PostgresConfig): string {
  try {
    openConfiguredStore(postgres, "", { EMPTY: "" });
    return "opened";
  } catch (error) {
    return String(error);
  }
}

writeFileSync(join(folder, "empty.pem"), "no certificate");
writeFileSync(join(folder, "broken.pem"), "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
const REFUSED: readonly [what: string, postgres: Partial<PostgresConfig>, expected: string][] = [
  [
    "an unknown sslmode",
    { url: `${URL}?sslmode=allow` },
    'Cannot use postgres.url: sslmode "allow" is not one of disable',
  ],
  ["another scheme", { url: "http://me@db/x" }, "Cannot use postgres.url: its scheme"],
  ["a variable that is not set", { password_env: "ABSENT" }, "the environment has no such variable"],
  ["a variable that is empty", { password_env: "EMPTY" }, "the environment has no such variable"],
  ["a file that is not there", { ssl_root_cert: join(folder, "none.pem") }, "there is no such file"],
  ["a broken certificate", { ssl_root_cert: join(folder, "broken.pem") }, "a certificate in it is broken"],
  ["a file without a certificate", { ssl_root_cert: join(folder, "empty.pem") }, "there is no certificate in it"],
];
for (const [what, postgres, expected] of REFUSED) {
  test(`${what} is refused, and the error repeats no secret`, () => {
    const said = refusalOf({ ...NONE, url: URL, ...postgres });
    expect(said).toContain(expected);
    expect(said).not.toContain("hunter2");
  });
}

test("usage alone is stored in the same database", async () => {
  const path = join(folder, "usage.db");
  const usage = openConfiguredUsage(NONE, path);
  await usage.add({ gateway: "g", sequence: 3, routes: [], upstreams: [], funnel: [] });
  await usage.close();
  const store = openConfiguredStore(NONE, path);
  expect(await store.usage.read("g")).toMatchObject({ sequence: 3 });
  await store.close();
  const away = openConfiguredUsage({ ...NONE, url: `${URL}?sslmode=disable` }, join(folder, "unused.db"));
  expect(await away.read("g").then(() => "read", String)).toContain("the server is not reached (ECONNREFUSED)");
  await away.close();
});

test("the password is the value of the environment variable", async () => {
  const { port, heard } = await serve(message("R", 3));
  const config = { ...NONE, url: `postgres://me@127.0.0.1:${port}/db?sslmode=disable`, password_env: "SECRET" };
  const store = openConfiguredStore({ ...config, allow_cleartext_password: true }, "", { SECRET: "hunter2" });
  const ready = store.ready().catch(String);
  await until(() => heard().includes("hunter2"));
  closeServers();
  expect(await ready).toContain("the connection was lost");
  await store.close();
  const { port: asking } = await serve(message("R", 3));
  const url = `postgres://me@127.0.0.1:${asking}/db?sslmode=disable`;
  const without = openConfiguredStore({ ...NONE, url, allow_cleartext_password: true }, "");
  expect(await without.ready().catch(String)).toContain("the server requires a password, and none is configured");
  closeServers();
  await without.close();
});

test("a file that is too large for certificates is refused unread", () => {
  const path = join(folder, "large.pem");
  writeFileSync(path, "");
  truncateSync(path, 16 * 1024 * 1024);
  expect(refusalOf({ ...NONE, url: URL, ssl_root_cert: path })).toContain("there is no certificate in it");
  truncateSync(path, 16 * 1024 * 1024 + 1);
  expect(refusalOf({ ...NONE, url: URL, ssl_root_cert: path })).toBe(
    `Error: Cannot use postgres.ssl_root_cert "${path}": it has more than 16777216 bytes`,
  );
});

test("without a URL, the version is that of the SQLite file, certificates lie beside it, and templates are not shared", async () => {
  const path = join(folder, "versioned.db");
  const store = openConfiguredStore(NONE, path);
  await store.ready();
  await store.close();
  const { found, known } = await readLedgerVersion(NONE, path);
  expect([found, found > 0]).toEqual([known, true]);
  const certificates = openConfiguredCertificates(NONE, path);
  await certificates.write("a", "1");
  expect(await certificates.read()).toEqual(new Map([["a", "1"]]));
  await certificates.close();
  expect(existsSync(join(folder, "certificates"))).toBe(true);
  expect(openConfiguredTemplates(NONE)).toBeUndefined();
});

test("with a URL, the version, the certificates and the templates are those of the database", async () => {
  const postgres = { ...NONE, url: `${URL}?sslmode=disable` };
  const path = join(folder, "unused.db");
  const certificates = openConfiguredCertificates(postgres, path);
  const templates = openConfiguredTemplates(postgres);
  for (const asked of [readLedgerVersion(postgres, path), certificates.read(), templates?.exchange([])])
    expect(await Promise.resolve(asked).then(() => "read", String)).toContain("the server is not reached");
  await Promise.all([certificates.close(), templates?.close()]);
});

test("jobs and pages have a database of their own, or none", async () => {
  const { kept_response_bytes: _kept, pool_size_per_worker: pool_size, ...rest } = NONE;
  const config = { ...rest, pool_size, url: "" };
  const said: string[] = [];
  const options = { name: "pages", maxBytes: 1000, versions: 1, log: (line: string) => void said.push(line) };
  expect([openConfiguredJobs(config), openConfiguredPages(config, options)]).toEqual([undefined, undefined]);
  const unset = { ...config, url: URL, password_env: "ABSENT" };
  for (const open of [() => openConfiguredJobs(unset, {}), () => openConfiguredPages(unset, options, {})])
    expect(open).toThrow("Cannot use content.jobs.postgres.password_env: the environment has no such variable");
  const jobs = openConfiguredJobs({ ...config, url: `${URL}?sslmode=disable` });
  const pages = openConfiguredPages({ ...config, url: `${URL}?sslmode=disable` }, options);
  expect(await jobs?.ready().then(() => "ready", String)).toContain("the server is not reached (ECONNREFUSED)");
  expect(await pages?.get("a")).toBeUndefined();
  expect(said).toMatchObject([expect.stringContaining("the server is not reached (ECONNREFUSED)")]);
  await Promise.all([jobs?.close(), pages?.close()]);
});
