import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStore, readPostgresVersion } from "../../store/postgres/open-postgres-store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../store/testing/postgres.ts";
import { RESERVATION } from "../../store/testing/reservation.ts";
import { patient } from "../../lib/testing/patience.ts";
import { COMMAND } from "../../../test/support/program.ts";

// A database server and commands start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

let database: SharedPostgres;
let folder: string;
let config: string;

function writeConfig(path: string, user: string): void {
  writeFileSync(path, JSON.stringify({ postgres: { url: database.url(user) } }));
}

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return runWith(config, ...args);
}

async function runWith(path: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([...COMMAND, "ledger", ...args, "--config", path], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

describe.skipIf(!hasPostgres)("a ledger in PostgreSQL", () => {
  beforeAll(async () => {
    database = await sharedPostgres();
    folder = mkdtempSync(join(tmpdir(), "turnpike-cli-postgres-"));
    config = join(folder, "turnpike.json");
    const user = await database.newUser();
    writeConfig(config, user);
    const store = openPostgresStore(database.settings({ user }));
    await store.ready();
    for (let i = 0; i < 3; i++) {
      const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce: `0xaaa${i}`, amount: "7" });
      await store.ledger.move(payment, { state: i === 2 ? "unknown" : "settled", lease: false });
    }
    await store.close();
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
  });

  test("the same command shows, totals and exports it", async () => {
    const [list, show, totals, csv] = await Promise.all([
      run("list", "--state", "owed", "--json"),
      run("show", "aaa2", "--json"),
      run("totals", "--by", "route", "--json"),
      run("export", "--csv"),
    ]);
    expect(JSON.parse(list.out)).toMatchObject([{ nonce: "0xaaa1" }, { nonce: "0xaaa0" }]);
    expect(JSON.parse(show.out)).toMatchObject({ nonce: "0xaaa2", state: "unknown" });
    expect(JSON.parse(totals.out)).toMatchObject([{ route: "/read", payments: 2, amount: "14" }]);
    expect(csv.out.split("\r\n")).toHaveLength(5);
    expect([list, show, totals, csv].map(({ code, err }) => [code, err])).toEqual(
      Array.from({ length: 4 }, () => [0, ""]),
    );
  });

  test("backup leaves it to the tools of PostgreSQL", async () => {
    expect(await run("backup", join(folder, "backup.db"))).toEqual({
      code: 1,
      out: "",
      err: "turnpike ledger: Cannot back up a ledger in PostgreSQL: use pg_dump\n",
    });
  });

  test("an empty database is an error, and stays empty, and so is an old one", async () => {
    const path = join(folder, "empty.json");
    const user = await database.newUser();
    writeConfig(path, user);
    const { code, out, err } = await runWith(path, "list");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("Cannot read the ledger in PostgreSQL: the database has no tables of Turnpike yet");
    const version = async () => (await readPostgresVersion(database.settings({ user }))).found;
    expect(await version()).toBe(0);
    await database.query(`CREATE TABLE ${user}.turnpike_schema AS SELECT 1 AS version`);
    await database.query(`ALTER TABLE ${user}.turnpike_schema OWNER TO ${user}`);
    expect((await runWith(path, "list")).err).toContain(
      "an older version of Turnpike wrote it; start the gateway once",
    );
    expect(await version()).toBe(1);
  });
});
