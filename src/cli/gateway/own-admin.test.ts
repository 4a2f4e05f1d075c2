import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { adminAddressPath, adminKeyPath, readAdminAddress } from "../admin/admin-key.ts";
import { withOwnParts } from "../../gateway/config/own-parts.ts";
import { OwnAdmin, type OwnAdminOptions } from "./own-admin.ts";

async function open(options: Partial<OwnAdminOptions> = {}) {
  const stateDir = mkdtempSync(join(tmpdir(), "turnpike-own-admin-"));
  const admin = await OwnAdmin.open({
    stateDir,
    port: 0,
    isOff: false,
    takesOver: false,
    trafficPort: undefined,
    ...options,
  });
  return { admin, stateDir };
}

function prepared(admin: OwnAdmin, document: unknown): unknown {
  return withOwnParts(document, admin.parts);
}

test("a configuration without a section gets one, and others stay unchanged", async () => {
  const { admin, stateDir } = await open();
  const key = readFileSync(adminKeyPath(stateDir), "utf8").trim();
  const own = { enabled: true, address: "127.0.0.1", port: 0, api_key: key };
  const given = { server: { port: 1 } };
  expect(prepared(admin, given)).toEqual({ server: { port: 1 }, admin: own });
  expect(given).toEqual({ server: { port: 1 } });
  for (const value of [{ admin: {} }, { admin: { enabled: true } }, { admin: null }, [], null, "x", 1]) {
    expect(prepared(admin, value)).toEqual(value);
  }
});

test("the port stays until the process ends, and its address is written and removed", async () => {
  const { admin, stateDir } = await open();
  admin.startsWith({});
  expect(admin.listens("http://127.0.0.1:4321/")).toEqual([
    ["console", "http://127.0.0.1:4321/"],
    ["admin key", adminKeyPath(stateDir)],
  ]);
  expect(readAdminAddress(stateDir)).toEqual({ url: "http://127.0.0.1:4321/", pid: process.pid });
  expect(prepared(admin, {})).toMatchObject({ admin: { port: 4321 } });
  admin.close();
  expect(existsSync(adminAddressPath(stateDir))).toBe(false);
});

test("a reload takes the key that the file has then, and never creates one", async () => {
  const { admin, stateDir } = await open();
  writeFileSync(adminKeyPath(stateDir), "another-key-of-16\n");
  expect(prepared(admin, {})).toMatchObject({ admin: { api_key: "another-key-of-16" } });
  for (const unusable of ["two words\n", "guessable\n"]) {
    writeFileSync(adminKeyPath(stateDir), unusable);
    expect(prepared(admin, {})).toMatchObject({ admin: { api_key: "another-key-of-16" } });
  }
});

test("the default port is left to traffic, and to a program that has taken it meanwhile", async () => {
  const usual = 9180;
  const blocker = createServer();
  const { admin } = await open({ port: undefined, trafficPort: usual });
  expect(prepared(admin, {})).toMatchObject({ admin: { port: 0 } });
  const { admin: listed } = await open({ port: undefined });
  expect(prepared(listed, { server: { listeners: [{ port: usual }] } })).toMatchObject({ admin: { port: 0 } });
  const { admin: fixed } = await open({ port: await listenOnLoopback(blocker) });
  expect(await fixed.move()).toBe(false);
  blocker.close();
});

test("a flag that contradicts the configuration is refused", async () => {
  const { admin } = await open({ isOff: true, port: undefined });
  expect(prepared(admin, {})).toEqual({});
  const { admin: named } = await open();
  expect(() => named.startsWith({ admin: {} })).toThrow("Cannot use --admin-port: the configuration has a section");
  const { admin: unnamed } = await open();
  expect(() => unnamed.startsWith({})).not.toThrow();
});
