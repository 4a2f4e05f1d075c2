/** Accounts at an ACME directory: external ones, deactivated ones, and lost ones. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AcmeDirectory } from "../../src/gateway/acme/directory.ts";
import { AccountKey } from "../../src/gateway/acme/jws.ts";
import { TEST_CA } from "../support/certificates.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Keeping } from "./testing/keeping.ts";
import { hasPebble, refusal, TestDirectory } from "./testing/test-directory.ts";

setDefaultTimeout(patient(20_000));

const KEY = "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W";

/** The stored key of the only account in a folder. */
function accountOf(folder: string): { path: string; pem: string } {
  const path = join(folder, "certificates");
  const [file = ""] = readdirSync(path).filter((name) => name.startsWith("account-"));
  const { value }: { value: string } = JSON.parse(readFileSync(join(path, file), "utf8"));
  return { path: join(path, file), pem: JSON.parse(value).key };
}

describe.skipIf(!hasPebble)("with pebble", () => {
  let httpPort: number;
  let directory: TestDirectory;
  let strict: TestDirectory;

  beforeAll(async () => {
    httpPort = await freePort();
    const ports = { httpPort, tlsPort: await freePort() };
    directory = await TestDirectory.start(ports);
    // The test below counts the requests, and a refused nonce repeats one.
    strict = await TestDirectory.start({ ...ports, externalAccounts: { "kid-1": KEY }, nonceReject: 0 });
  });
  afterAll(async () => {
    await directory.close();
    await strict.close();
  });
  beforeEach(() => {
    directory.intercept = () => undefined;
    strict.intercept = () => undefined;
  });

  test("an account is bound to an external account once, and found again without it", async () => {
    const bodies: Record<string, unknown>[] = [];
    strict.intercept = (path, body) => {
      if (path === "/sign-me-up") {
        bodies.push(JSON.parse(Buffer.from(JSON.parse(body).payload, "base64url").toString()));
      }
      return undefined;
    };
    await using keeping = await Keeping.start({
      directory: strict,
      httpPort,
      acme: { domains: ["a.test"], external_account: { key_id: "kid-1", hmac_key: KEY } },
    });
    await keeping.says(/got a certificate for a\.test/);
    await keeping.use(undefined);
    const { folder } = keeping;
    await keeping.keeper.close();
    process.env["TURNPIKE_TEST_HMAC"] = ` ${KEY}\n`;
    const acme = { domains: ["b.test"], external_account: { key_id: "kid-1", hmac_key_env: "TURNPIKE_TEST_HMAC" } };
    await using next = await Keeping.start({ directory: strict, httpPort: await freePort(), folder, acme });
    // Pebble cannot reach the challenges of this domain.
    await next.says(/Cannot get a certificate for b\.test/);
    expect(bodies.map((body) => Object.keys(body).toSorted())).toEqual([
      ["contact", "externalAccountBinding", "termsOfServiceAgreed"],
      ["onlyReturnExisting"],
    ]);
    expect(JSON.stringify([next.lines, next.events, keeping.lines, keeping.events])).not.toContain(KEY);
  });

  const REFUSED: readonly [what: string, acme: object, says: RegExp][] = [
    ["no external account", {}, /the directory requires an external account; set tls\.acme\.external_account;/],
    ["an unknown one", { external_account: { key_id: "kid-2", hmac_key: KEY } }, /unauthorized/],
    ["a wrong key", { external_account: { key_id: "kid-1", hmac_key: "AAAA" } }, /the directory says \w+/],
  ];
  for (const [what, acme, says] of REFUSED) {
    test(`with ${what}, a directory that requires an external account refuses, and the error has the reason`, async () => {
      await using keeping = await Keeping.start({
        directory: strict,
        httpPort,
        acme: { domains: ["x.test"], ...acme },
      });
      const line = await keeping.says(/Cannot get a certificate for x\.test/);
      expect(line).toMatch(says);
    });
  }

  test("a deactivated account is replaced by a new one", async () => {
    await using first = await Keeping.start({ directory, httpPort, acme: { domains: ["a.test"] } });
    await first.says(/got a certificate for a\.test/);
    const { pem } = accountOf(first.folder);
    const key = new AccountKey(pem);
    const client = new AcmeDirectory({
      requestMs: 30_000,
      url: directory.url,
      authorities: TEST_CA.cert,
      signal: new AbortController().signal,
      clock: Date.now,
    });
    const url = await client.needed("newAccount");
    const { headers } = await client.post(url, { onlyReturnExisting: true }, { key, account: undefined });
    const account = headers.get("location") ?? "";
    await client.post(account, { status: "deactivated" }, { key, account });
    await first.change({ domains: ["a.test", "c.test"] });
    await first.says(/got a certificate for c\.test/);
    expect(accountOf(first.folder).pem).not.toBe(pem);
  });

  test("an account that the directory no longer knows is created again, and an account with a damaged key is replaced", async () => {
    await using first = await Keeping.start({ directory, httpPort, acme: { domains: ["a.test"] } });
    await first.says(/got a certificate for a\.test/);
    const { path } = accountOf(first.folder);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("MIGH", "AAAA"));
    await first.change({ domains: ["d.test"] });
    await first.says(/got a certificate for d\.test/);
  });

  test("after a change of the terms, the error names the page that the operator must visit", async () => {
    directory.intercept = (path) =>
      path === "/order-plz"
        ? refusal("userActionRequired", 403, {}, { instance: "https://ca.test/agree?token=1" })
        : undefined;
    await using keeping = await Keeping.start({ directory, httpPort, acme: { domains: ["t.test"] } });
    await keeping.says(
      /userActionRequired.*: a test's userActionRequired \(visit https:\/\/ca\.test\/agree\?token=1\)/,
    );
  });
});
