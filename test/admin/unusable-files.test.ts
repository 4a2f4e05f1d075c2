/** Files that a gateway cannot serve with are refused by every way to judge or change a configuration. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, KEY, READ_KEY } from "../support/admin.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { Folder, Program, until } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const files = new Folder();
const garbage = files.write("garbage", "garbage");
const key = files.write("key.pem", LOCALHOST.key);
const cert = files.write("cert.pem", LOCALHOST.cert);
const fifo = files.file("fifo");
spawnSync("mkfifo", [fifo]);
const absent = files.file("absent/file");
const PAIR = { cert_path: cert, key_path: key };
const ROUTE = { path_prefix: "/", fixed_response: { body: "hello" } };

let admin: Admin;
let served: Record<string, object>;

beforeAll(async () => {
  const folder = files.file("");
  admin = await Admin.start({ config: { routes: [ROUTE] }, admin: { file_folders: [folder] } });
  served = Object(admin.saved());
});
afterAll(async () => {
  await admin.stop();
  files.remove();
});

const CASES: readonly (readonly [name: string, path: string, section: string, change: object | string])[] = [
  ["a module of garbage", "wasm_filters[0].module", "wasm_filters", [{ match: "/", module: garbage }]],
  ["an absent module", "wasm_filters[0].module", "wasm_filters", [{ match: "/", module: absent }]],
  ["a certificate of garbage", "", "tls", { ...PAIR, cert_path: garbage }],
  ["a FIFO as certificate", "", "tls", { ...PAIR, cert_path: fifo }],
  ["a key of garbage for the admin interface", "admin.tls", "admin", { tls: { ...PAIR, key_path: garbage } }],
  ["a FIFO for the admin interface", "admin.tls", "admin", { tls: { ...PAIR, cert_path: fifo } }],
  ["an absent folder of static files", "server.static_root", "server", { static_root: absent }],
  ["an audit log in an absent folder", "admin.audit_log", "admin", { audit_log: absent }],
  ["an access log in an absent folder", "access_log.path", "access_log", { enabled: true, path: absent }],
  ["a file as state folder", "state_path", "state_path", garbage],
  ["a FIFO as state folder", "state_path", "state_path", fifo],
  ["authorities of garbage for an upstream", "upstreams[0]", "upstreams", [tlsUpstream(garbage)]],
];

function tlsUpstream(authorities: string): object {
  return { name: "tls", tls: true, tls_ca_path: authorities, servers: [{ address: "127.0.0.1", port: 1 }] };
}

function configWith(section: string, change: object | string): object {
  const isWhole = Array.isArray(change) || typeof change === "string";
  return { ...served, [section]: isWhole ? change : { ...served[section], ...change } };
}

async function expectServed(): Promise<void> {
  expect(await (await fetch(`http://127.0.0.1:${admin.port}/`)).text()).toBe("hello");
  expect((await admin.call("GET", "/v1/config")).body).not.toHaveProperty("wasm_filters.0");
}

test.each(CASES)(
  "%s is refused by a check, a reload, a signal, PUT and turnpike check",
  async (_, path, section, change) => {
    const body = configWith(section, change);
    const checked = await admin.call("POST", "/v1/config/check", { key: READ_KEY, body });
    expect([checked.status, checked.body.ok, checked.body.problems]).toMatchObject([200, false, [{ path }]]);
    const { message } = checked.body.problems[0];
    const put = await admin.call("PUT", "/v1/config?force=true", { body });
    expect([put.status, put.text]).toEqual([400, expect.stringContaining(JSON.stringify(message))]);
    await Bun.write(admin.file, JSON.stringify(body));
    const reload = await admin.call("POST", "/v1/reload");
    expect([reload.status, reload.text]).toEqual([400, expect.stringContaining(JSON.stringify(message))]);
    admin.program.kill("SIGHUP");
    await until("the reload by the signal", async () => {
      const { last_reload: last } = (await admin.call("GET", "/v1/status")).body;
      return last.by.kind === "signal" && !last.ok ? true : undefined;
    });
    const program = new Program(["check", admin.file]);
    expect([await program.exit(), program.output]).toEqual([1, expect.stringContaining(message)]);
    await expectServed();
    await Bun.write(admin.file, JSON.stringify(served));
    expect((await admin.call("POST", "/v1/reload")).status).toBe(200);
  },
);

test("the commands of the admin interface print why a file is refused", async () => {
  await Bun.write(admin.file, JSON.stringify(configWith("state_path", garbage)));
  const environment = { env: { TURNPIKE_ADMIN_KEY: KEY, TURNPIKE_ADMIN: admin.url } };
  for (const args of [["config", "check", admin.file], ["config", "replace", admin.file], ["reload"]]) {
    const program = new Program(args, environment);
    expect([args, await program.exit(), program.output]).toEqual([args, 1, expect.stringContaining("is not a folder")]);
  }
  await expectServed();
  await Bun.write(admin.file, JSON.stringify(served));
});

test("a FIFO as the configuration file is refused at once", async () => {
  rmSync(admin.file);
  spawnSync("mkfifo", [admin.file]);
  const { status, text } = await admin.call("POST", "/v1/reload");
  expect([status, text]).toEqual([400, expect.stringContaining("it is not a regular file")]);
  const check = new Program(["check", admin.file]);
  expect([await check.exit(), check.output]).toEqual([1, expect.stringContaining("it is not a regular file")]);
  rmSync(admin.file);
  await Bun.write(admin.file, JSON.stringify(served));
});

test("an added item with an unusable file is refused, and one with a usable file is not", async () => {
  const refused = await admin.call("POST", "/v1/upstreams", { body: tlsUpstream(garbage) });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("garbage")]);
  expect((await admin.call("POST", "/v1/upstreams", { body: tlsUpstream(cert) })).status).toBe(201);
  const patch = { tls_ca_path: fifo };
  expect((await admin.call("PATCH", "/v1/upstreams/tls", { body: patch })).status).toBe(400);
  const log = { access_log: { enabled: true, path: absent } };
  const route = { path_prefix: "/logged", fixed_response: { body: "" }, ...log };
  expect((await admin.call("POST", "/v1/routes", { body: route })).status).toBe(400);
  await expectServed();
});
