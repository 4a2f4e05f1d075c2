import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { request } from "node:http";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, KEY, READ_KEY } from "../support/admin.ts";
import { Folder, Program } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

let admin: Admin;

beforeAll(async () => {
  admin = await Admin.start();
});
afterAll(() => admin.stop());

interface Logged {
  readonly cookie: string;
  readonly csrf: string;
  readonly setCookie: string;
}

async function logIn(at: Admin, key = KEY): Promise<Logged> {
  const { headers, body } = await at.call("POST", "/v1/session", { key: "", body: { key } });
  const setCookie = headers.get("set-cookie") ?? "";
  return { setCookie, cookie: setCookie.split(";", 1)[0] ?? "", csrf: body.csrf_token };
}

test("a session authenticates by its cookie, and changes also need its token", async () => {
  const { cookie, csrf, setCookie } = await logIn(admin);
  expect(setCookie).toMatch(/^turnpike_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
  const by = { key: "", headers: { cookie } };
  expect((await admin.call("GET", "/v1/status", by)).status).toBe(200);
  // The browser sends the cookie to every port of the host, so upstreams see it. It does not get them the token.
  expect((await admin.call("GET", "/v1/session", by)).body).toEqual({ access: "full", csrf_token: "" });
  expect((await admin.call("POST", "/v1/reload", by)).body.code).toBe("missing_csrf_token");
  expect((await admin.call("GET", "/v1/usage?reset", by)).body.code).toBe("missing_csrf_token");
  const wrong = { key: "", headers: { cookie, "x-csrf-token": csrf.toUpperCase() } };
  expect((await admin.call("POST", "/v1/reload", wrong)).status).toBe(403);
  const both = { key: "", headers: { cookie, "x-csrf-token": csrf } };
  expect((await admin.call("POST", "/v1/reload", both)).status).toBe(200);
  expect((await admin.call("GET", "/v1/session", both)).body).toEqual({ access: "full", csrf_token: csrf });
  // The token of another session is as wrong as any other token.
  const other = await logIn(admin);
  const mixed = { key: "", headers: { cookie, "x-csrf-token": other.csrf } };
  expect((await admin.call("POST", "/v1/reload", mixed)).status).toBe(403);
  expect((await admin.call("DELETE", "/v1/session", both)).headers.get("set-cookie")).toContain("Max-Age=0");
  expect((await admin.call("GET", "/v1/status", by)).status).toBe(401);
});

test("a session with the read-only key can read", async () => {
  const { cookie, csrf } = await logIn(admin, READ_KEY);
  const by = { key: "", headers: { cookie, "x-csrf-token": csrf } };
  expect((await admin.call("GET", "/v1/routes", by)).status).toBe(200);
  expect((await admin.call("POST", "/v1/config/check", { ...by, body: {} })).status).toBe(200);
  expect((await admin.call("POST", "/v1/reload", by)).body.code).toBe("forbidden");
});

test("over TLS the cookie is Secure; new keys end the sessions", async () => {
  const secure = await Admin.start({ tls: true });
  try {
    const { cookie, setCookie } = await logIn(secure);
    expect(setCookie).toContain("; Secure");
    const config = (await secure.call("GET", "/v1/config")).body;
    const same = await secure.call("PUT", "/v1/config", { body: { ...config, compression: { enabled: true } } });
    expect(same.status).toBe(200);
    const by = { key: "", headers: { cookie } };
    expect((await secure.call("GET", "/v1/status", by)).status).toBe(200);
    const rekeyed = { ...config, admin: { ...config.admin, api_key: "another-key-entirely" } };
    // The response arrives on the connection that used the old key.
    expect((await secure.call("PUT", "/v1/config", { body: rekeyed })).status).toBe(200);
    expect((await secure.call("GET", "/v1/status", by)).status).toBe(401);
    expect((await secure.call("GET", "/v1/status")).status).toBe(401);
    expect((await secure.call("GET", "/v1/status", { key: "another-key-entirely" })).status).toBe(200);
  } finally {
    await secure.stop();
  }
});

test("keys come from environment variables, which must exist", async () => {
  const env = { ADMIN_TEST_KEY: "a-key-of-the-environment\n", ADMIN_TEST_READ_KEY: "a-key-to-read-by-only" };
  const section = {
    api_key: "",
    api_key_env: "ADMIN_TEST_KEY",
    read_api_key: "",
    read_api_key_env: "ADMIN_TEST_READ_KEY",
  };
  const named = await Admin.start({ workers: 2, admin: section, env });
  try {
    expect((await named.call("POST", "/v1/reload", { key: "a-key-of-the-environment" })).status).toBe(200);
    expect((await named.call("GET", "/v1/status", { key: "a-key-to-read-by-only" })).status).toBe(200);
    expect((await named.call("GET", "/v1/status", { key: "ADMIN_TEST_KEY" })).status).toBe(401);
    // The key may not have the gateway read other variables.
    const config = (await named.call("GET", "/v1/config", { key: "a-key-of-the-environment" })).body;
    const other = { ...config, admin: { ...config.admin, api_key_env: "HOME" } };
    const refused = await named.call("PUT", "/v1/config", { key: "a-key-of-the-environment", body: other });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [
        {
          path: "admin.api_key_env",
          pointer: "/admin/api_key_env",
          message: expect.stringContaining("names an environment variable"),
        },
      ],
    ]);
    expect((await named.call("GET", "/v1/status", { key: "a-key-of-the-environment" })).status).toBe(200);
  } finally {
    await named.stop();
  }
  const folder = new Folder();
  for (const [value, why] of [
    [undefined, "is not set"],
    ["sécret-of-the-environment", "must hold 16 to 1024 visible ASCII characters"],
    ["a-guessable-key", "must hold 16 to 1024 visible ASCII characters"],
  ] as const) {
    const config = {
      server: { address: "127.0.0.1", port: 0, workers: 1 },
      admin: { enabled: true, port: 0, api_key_env: "ADMIN_TEST_KEY" },
    };
    const program = new Program(["--config", folder.write("t.json", config)], {
      env: value === undefined ? {} : { ADMIN_TEST_KEY: value },
    });
    expect(await program.exit()).toBe(1);
    expect(program.output).toContain(`Cannot use admin.api_key_env: the environment variable ADMIN_TEST_KEY ${why}`);
    if (value !== undefined) expect(program.output).not.toContain(value);
  }
  folder.remove();
});

/** A GET from an address of the loopback network, by default with a wrong key. */
function from(at: Admin, address: string, key: string): Promise<{ status: number; retryAfter: string | undefined }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; retryAfter: string | undefined }>();
  const asked = request(
    `${at.url}/v1/status`,
    { localAddress: address, agent: false, headers: { "x-api-key": key } },
    (response) => {
      response.resume();
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] }),
      );
    },
  );
  asked.once("error", reject);
  asked.end();
  return promise;
}

test("an address with too many wrong keys must wait, even with the right key, and other addresses need not", async () => {
  const guarded = await Admin.start();
  try {
    for (let i = 0; i < 10; i += 1) expect((await from(guarded, "127.0.0.2", `wrong-${i}`)).status).toBe(401);
    const blocked = await from(guarded, "127.0.0.2", "wrong");
    expect([blocked.status, Number(blocked.retryAfter) > 30]).toEqual([429, true]);
    expect((await from(guarded, "127.0.0.2", KEY)).status).toBe(429);
    expect((await from(guarded, "127.0.0.3", KEY)).status).toBe(200);
    // An address that has used a right key has more tries. Then sessions continue, and new connections wait.
    const { cookie } = await logIn(guarded);
    for (let i = 0; i < 60; i += 1) expect((await from(guarded, "127.0.0.3", `wrong-${i}`)).status).toBe(401);
    for (const key of ["wrong", KEY]) expect((await from(guarded, "127.0.0.3", key)).status).toBe(429);
    expect((await guarded.call("GET", "/v1/status", { key: "", headers: { cookie } })).status).toBe(200);
    const { events } = (await guarded.call("GET", "/v1/events?format=json")).body;
    const told = events.filter(
      ({ kind, outcome }: { kind: string; outcome: string }) => kind === "session" && outcome === "refused",
    );
    expect(told.map(({ address }: { address: string }) => address)).toEqual(["127.0.0.2", "127.0.0.3"]);
    expect(guarded.program.output + JSON.stringify(events)).not.toContain("wrong-");
  } finally {
    await guarded.stop();
  }
});

test("1,000 wrong keys a second from 50 addresses block no operator and no client", async () => {
  const origin = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("origin") });
  const servers = [{ address: "127.0.0.1", port: origin.port }];
  const flooded = await Admin.start({
    config: { upstreams: [{ name: "o", servers }], routes: [{ path_prefix: "/", upstream: "o" }] },
  });
  const over = new AbortController();
  let tries = 0;
  const attack = async (n: number): Promise<void> => {
    while (!over.signal.aborted) {
      const begun = performance.now();
      await from(flooded, `127.0.1.${n + 1}`, `wrong-${tries}`).catch(() => {});
      tries += 1;
      await Bun.sleep(Math.max(0, 50 - (performance.now() - begun)));
    }
  };
  const attackers = Array.from({ length: 50 }, (_, n) => attack(n));
  try {
    for (let i = 0; i < 30; i += 1) {
      expect((await flooded.call("GET", "/v1/status")).status).toBe(200);
      expect(await (await fetch(`http://127.0.0.1:${flooded.port}/`)).text()).toBe("origin");
      await Bun.sleep(50);
    }
    expect(tries).toBeGreaterThan(500);
  } finally {
    over.abort();
    await Promise.all(attackers);
    await flooded.stop();
    await origin.stop(true);
  }
});
