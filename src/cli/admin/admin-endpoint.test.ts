import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminKeyPath, openAdminKey, writeAdminAddress } from "./admin-key.ts";
import { findAdmin } from "./admin-endpoint.ts";

function fresh(): string {
  return mkdtempSync(join(tmpdir(), "turnpike-admin-endpoint-"));
}

function running(url = "http://127.0.0.1:9180/"): { folder: string; key: string } {
  const folder = fresh();
  const key = openAdminKey(folder);
  writeAdminAddress(folder, url);
  return { folder, key };
}

test("the gateway of the state folder is found without flags, with its key", () => {
  const { folder, key } = running();
  const endpoint = findAdmin({ "state-dir": folder }, {});
  expect([endpoint.url.href, endpoint.key, endpoint.timeoutMs]).toEqual(["http://127.0.0.1:9180/", key, 30_000]);
  expect(findAdmin({ "state-dir": folder, admin: "http://127.0.0.1:9180" }, {}).key).toBe(key);
});

test("flags take precedence over the environment, and the environment over the state folder", () => {
  const { folder } = running();
  const env = { TURNPIKE_ADMIN: "http://127.0.0.2:1/", TURNPIKE_ADMIN_KEY: "from-the-environment" };
  const file = join(folder, "my-key");
  writeFileSync(file, " from-a-file\n");
  expect(findAdmin({ "state-dir": folder }, env)).toMatchObject({ key: "from-the-environment" });
  expect(findAdmin({ "state-dir": folder }, env).url.host).toBe("127.0.0.2:1");
  const flags = { "state-dir": folder, admin: "http://localhost:2/x", "admin-key-file": file };
  expect(findAdmin(flags, env)).toMatchObject({ key: "from-a-file" });
  expect(findAdmin(flags, env).url.href).toBe("http://localhost:2/x");
});

test("only the gateway of the state folder gets its key", () => {
  const { folder } = running();
  for (const admin of ["http://127.0.0.1:9181/", "https://127.0.0.1:9180/", "http://localhost:9180/"]) {
    expect(() => findAdmin({ "state-dir": folder, admin }, {})).toThrow(/^Cannot call \S+ without the admin key: name/);
    expect(() => findAdmin({ "state-dir": folder }, { TURNPIKE_ADMIN: admin })).toThrow("without the admin key");
  }
});

test("without a gateway, or without its key, the error says what to do", () => {
  const folder = fresh();
  expect(() => findAdmin({ "state-dir": folder }, {})).toThrow(
    `no turnpike start runs with the state folder "${folder}"; for a gateway whose configuration has "admin", add --admin URL`,
  );
  const { folder: other } = running();
  rmSync(adminKeyPath(other));
  expect(() => findAdmin({ "state-dir": other }, {})).toThrow("without the admin key");
});

test.each([
  [{ "admin-key": "secret-1" }, {}, "--admin-key is not supported"],
  [{ admin: "http://secret-1@127.0.0.1/" }, {}, "a URL without a user and password"],
  [{}, { TURNPIKE_ADMIN: "http://a:secret-1@127.0.0.1/" }, "a URL without a user and password"],
  [{ admin: "http://127.0.0.1/" }, { TURNPIKE_ADMIN_KEY: "secret-1 \u00fc" }, "one line of visible ASCII characters"],
])("a key that is given wrongly is refused, and not shown: %p", (flags, env, why) => {
  const failure = (() => {
    try {
      return JSON.stringify(findAdmin(flags, env));
    } catch (error) {
      return String(error);
    }
  })();
  expect(failure).toContain(why);
  expect(failure).not.toContain("secret-1");
});

test.each(["", "x", "ftp://a", "http://", "http://a/?x", "http://a/#x", "127.0.0.1:9180"])(
  "%j is not an address",
  (admin) => {
    expect(() => findAdmin({ admin }, { TURNPIKE_ADMIN_KEY: "k" })).toThrow("is not an http or https URL");
  },
);

test.each(["", "x", "0", "-1", "3601", "1e3"])("%j is not a number of seconds", (timeout) => {
  expect(() => findAdmin({ timeout }, {})).toThrow("is not a number of seconds from 1 to 3600");
});

test.each([
  ["no certificate", "it has no certificate in PEM"],
  ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "its certificate cannot be read"],
  [undefined, "there is no such file"],
])("a CA file of %j is refused", (text, why) => {
  const file = join(fresh(), "ca.pem");
  if (text !== undefined) writeFileSync(file, text);
  const flags = { admin: "https://127.0.0.1:1/", "admin-ca": file };
  expect(() => findAdmin(flags, { TURNPIKE_ADMIN_KEY: "k" })).toThrow(`Cannot use --admin-ca "${file}": ${why}`);
});
