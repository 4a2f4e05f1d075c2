import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStore } from "../../store/postgres/open-postgres-store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../store/testing/postgres.ts";
import { RESERVATION } from "../../store/testing/reservation.ts";
import { patient } from "../../lib/testing/patience.ts";
import { COMMAND } from "../../../test/support/program.ts";

// A database server and commands start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

let database: SharedPostgres;
let folder: string;
let config: string;

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([...COMMAND, "ledger", ...args, "--config", config], {
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
    writeFileSync(config, JSON.stringify({ postgres: { url: database.url(user) } }));
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
});
