import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { hasPostgres, PASSWORD, TestPostgres } from "../testing/postgres.ts";
import { Connection, type ConnectionSettings, statement } from "./connection.ts";
import { type Value } from "./messages.ts";
import { Pool } from "./pool.ts";
import { type SslMode } from "./target.ts";
import { patient } from "../../lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const authority = makeCertificate({ subject: [["CN", "authority"]], isCa: true });
const stranger = makeCertificate({ subject: [["CN", "stranger"]], isCa: true });
const named = makeCertificate({ hostnames: ["localhost"], issuer: authority });
const numbered = makeCertificate({ hostnames: ["127.0.0.1"], issuer: authority });
const expired = makeCertificate({ hostnames: ["localhost"], issuer: authority, from: -9, to: -2 });
const selfSigned = makeCertificate({ hostnames: ["localhost"] });

function wrong(user: string): string {
  return `password authentication failed for user "${user}" (SQLSTATE 28P01)`;
}

/** Returns `ok`, or the error's message without its prefix. */
async function tried(settings: ConnectionSettings): Promise<string> {
  try {
    const connection = await Connection.open(settings);
    const { rows } = await connection.run([{ statement: statement("SELECT 'ok'"), values: [] }], 5000);
    connection.close();
    return rows[0]?.[0] ?? "";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    expect(error.message).not.toContain(PASSWORD);
    return error.message.replace("Cannot use the database: ", "");
  }
}

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: TestPostgres;

  beforeAll(async () => {
    server = await TestPostgres.start({ certificate: named });
  });
  afterAll(() => server.close());

  const NONE = "the server requires a password, and none is configured";
  const REFUSED =
    "the server asks for the password in clear text over a plaintext connection, which postgres.allow_cleartext_password does not allow";

  const LOG_INS: readonly [user: string, password: string, sslMode: SslMode, allowed: boolean, expected: string][] = [
    ["admin", "", "disable", false, "ok"],
    ["salted", PASSWORD, "disable", false, "ok"],
    ["salted", "wrong", "disable", false, wrong("salted")],
    ["salted", "", "disable", false, NONE],
    ["hashed", PASSWORD, "disable", false, "ok"],
    ["hashed", "wrong", "disable", false, wrong("hashed")],
    ["hashed", "", "disable", false, NONE],
    ["clear", PASSWORD, "disable", false, REFUSED],
    ["clear", PASSWORD, "disable", true, "ok"],
    ["clear", "wrong", "disable", true, wrong("clear")],
    ["clear", PASSWORD, "require", false, "ok"],
    ["clear", "", "require", false, NONE],
    ["nobody", "", "disable", false, 'role "nobody" does not exist (SQLSTATE 28000)'],
  ];
  for (const [user, password, sslMode, allowCleartext, expected] of LOG_INS) {
    const shown = password === "" ? "no" : password === PASSWORD ? "its" : "a wrong";
    const leave = allowCleartext ? ", clear text allowed" : "";
    test(`${user} with ${shown} password, sslmode ${sslMode}${leave}: ${expected}`, async () => {
      expect(await tried(server.settings({ user, password, sslMode, allowCleartext }))).toBe(expected);
    });
  }

  const UNTRUSTED = /^TLS failed \((?!the certificate is for another host)/;
  const WAYS: readonly [string, string, SslMode, string, RegExp][] = [
    ["its own name", "localhost", "verify-full", authority.cert, /^ok$/],
    ["a name of several authorities", "localhost", "verify-full", stranger.cert + authority.cert, /^ok$/],
    [
      "another name",
      "127.0.0.1",
      "verify-full",
      authority.cert,
      /^TLS failed \(the certificate is for another host\)$/,
    ],
    ["another authority", "localhost", "verify-full", stranger.cert, UNTRUSTED],
    ["the system's authorities", "localhost", "verify-full", "", UNTRUSTED],
    ["text in place of authorities", "localhost", "verify-full", "nonsense", /^it cannot be connected to$/],
    ["no check of another name", "127.0.0.1", "require", "", /^ok$/],
    ["no TLS", "127.0.0.1", "disable", "", /^ok$/],
  ];
  for (const [what, host, sslMode, authorities, expected] of WAYS) {
    test(`sslmode ${sslMode} and ${what}: ${expected.source}`, async () => {
      expect(await tried(server.settings({ host, sslMode, authorities }))).toMatch(expected);
    });
  }

  test("the server confirms that the connection uses TLS", async () => {
    for (const [sslMode, expected] of [
      ["disable", "f"],
      ["require", "t"],
    ] as const) {
      const connection = await Connection.open(server.settings({ sslMode }));
      const text = statement("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
      expect((await connection.run([{ statement: text, values: [] }], 5000)).rows).toEqual([[expected]]);
      connection.close();
    }
  });

  test("certificates are replaced: one for an address, a self-signed one, an expired one", async () => {
    const full = { sslMode: "verify-full", authorities: authority.cert } as const;
    await server.show(numbered);
    expect(await tried(server.settings({ ...full, host: "127.0.0.1" }))).toBe("ok");
    expect(await tried(server.settings({ ...full, host: "localhost" }))).toContain("for another host");
    await server.show(selfSigned);
    expect(await tried(server.settings({ ...full, host: "localhost" }))).toMatch(UNTRUSTED);
    expect(await tried(server.settings({ ...full, host: "localhost", authorities: selfSigned.cert }))).toBe("ok");
    expect(await tried(server.settings({ sslMode: "require" }))).toBe("ok");
    await server.show(expired);
    expect(await tried(server.settings({ ...full, host: "localhost" }))).toMatch(UNTRUSTED);
    await server.show(named);
    expect(await tried(server.settings({ ...full, host: "localhost" }))).toBe("ok");
  });

  async function echo(values: readonly Value[]): Promise<readonly (string | null)[] | undefined> {
    const connection = await Connection.open(server.settings());
    const columns = values.map((_, i) => `$${i + 1}::text`).join(", ");
    const { rows } = await connection.run([{ statement: statement(`SELECT ${columns}`), values }], 5000);
    connection.close();
    return rows[0];
  }

  test("values are returned unchanged, with any characters and any length", async () => {
    const long = "Ωé🜁x".repeat(200_000);
    expect(await echo(["", null, "né\n'\"\\", 12_345_678_901, "-1.5", long])).toEqual([
      "",
      null,
      "né\n'\"\\",
      "12345678901",
      "-1.5",
      long,
    ]);
    expect(await echo(["a\0b", "\ud800"])).toEqual(["ab", "\ufffd"]);
  });

  test("steps are one transaction: all of them take effect, or no step does", async () => {
    const connection = await Connection.open(server.settings());
    const run = (...texts: string[]): Promise<unknown> =>
      connection.run(
        texts.map((text) => ({ statement: statement(text), values: [] })),
        5000,
      );
    await run("CREATE TABLE steps (n integer)");
    expect(await run("INSERT INTO steps VALUES (1)", "SELECT 1 / 0").catch(String)).toContain("SQLSTATE 22012");
    expect(await run("INSERT INTO steps VALUES (2)", "INSERT INTO steps VALUES (3)")).toEqual({ rows: [], count: 1 });
    expect(await run("SELECT n FROM steps ORDER BY n")).toEqual({ rows: [["2"], ["3"]], count: 2 });
    expect(await run("SET TIME ZONE 'UTC'")).toEqual({ rows: [], count: 0 });
    connection.close();
  });

  test("a statement runs even if a pooler's other session has not prepared it", async () => {
    const connection = await Connection.open(server.settings());
    const one = { statement: statement("SELECT 1"), values: [] };
    await connection.run([one], 5000);
    await connection.run([{ statement: statement("DEALLOCATE ALL"), values: [] }], 5000);
    expect((await connection.run([one], 5000)).rows).toEqual([["1"]]);
    expect((await connection.run([one], 5000)).rows).toEqual([["1"]]);
    connection.close();
  });

  test("the server ends a statement after its timeout, and the connection stays usable", async () => {
    const connection = await Connection.open(server.settings({ statementMs: 50 }));
    const slow = { statement: statement("SELECT pg_sleep(20)"), values: [] };
    expect(await connection.run([slow], 10_000).catch(String)).toContain("SQLSTATE 57014");
    expect(connection.ended).toBe(false);
    expect((await connection.run([{ statement: statement("SELECT 1"), values: [] }], 5000)).count).toBe(1);
    connection.close();
  });

  test("the longest timeout that can be configured does not end a statement early", async () => {
    const pool = new Pool(server.settings({ statementMs: 2_147_483_647 }));
    const slow = { statement: statement("SELECT pg_sleep(0.05)"), values: [] };
    expect((await pool.run(slow)).count).toBe(1);
    await pool.close();
  });

  test("a database in another encoding is refused", async () => {
    await server.query("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    const settings = server.settings();
    expect(await tried({ ...settings, target: { ...settings.target, database: "latin" } })).toContain("encoding");
  });
});
