/** The Python client: its own tests, against running gateways, and its wheel. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { isInstalled } from "../../src/lib/testing/installed.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { type Market, openMarket, PRICE, Stall } from "../payments/market.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";

setDefaultTimeout(patient(300_000));

const PYTHON = "/usr/bin/python3";
const CLIENT = join(import.meta.dir, "../../clients/python");
const modules = ["-c", "import httpx, requests, cryptography"];
const hasModules = Bun.spawnSync([PYTHON, ...modules], { stdio: ["ignore", "ignore", "ignore"] }).exitCode === 0;

const folder = new Folder();
let origin: Bun.Server<undefined>;
let gateway: Gateway;
let market: Market | undefined;
let stall: Stall | undefined;
let count = 0;

/** Runs Python in the folder of the client, and leaves no compiled files there. */
async function python(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([PYTHON, "-B", ...args], {
    cwd: CLIENT,
    env: { ...Bun.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

describe.skipIf(!isInstalled("python3-httpx", hasModules))("with httpx", () => {
  beforeAll(async () => {
    origin = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        count += 1;
        if (request.url.endsWith("/fails")) return new Response("sorry", { status: 500 });
        const overrides = { "settlement-overrides": '{"amount":"50%"}' };
        return new Response(`goods ${count}`, { headers: request.url.endsWith("/upto") ? overrides : {} });
      },
    });
    const { price: _price, scheme: _scheme, ...account } = TERMS;
    const passes = [{ name: "three", price: "$0.02", calls: 3, seconds: 3600 }];
    const port = await freePort();
    const upstream = "origin";
    gateway = await startGateway({
      state_path: folder.path,
      server: { port },
      x402: {
        enabled: true,
        test_mode: true,
        public_url: `http://127.0.0.1:${port}`,
        credit: { ...account, min: "$0.01", max: "$100", passes },
      },
      upstreams: [{ name: upstream, servers: [serverAt(origin.port ?? 0)] }],
      routes: [
        { path_prefix: "/paid", upstream, x402: TERMS },
        { path_prefix: "/qr", upstream, x402: TERMS },
        { path_prefix: "/upto", upstream, x402: { ...TERMS, scheme: "upto" } },
      ],
    });
    if (!hasChain) return;
    market = await openMarket();
    stall = new Stall(market);
    await stall.open();
  }, CHAIN_SETUP_MS);

  afterAll(async () => {
    await stall?.close();
    await market?.chain.close();
    await gateway.stop();
    await origin.stop(true);
    folder.remove();
  });

  test("its own tests pass, also against gateways in test mode and on a chain", async () => {
    const asset = `${market?.chain.network}:${market?.token.address}:${market?.token.name}:${market?.token.version}:6`;
    const gateways = {
      test: `http://127.0.0.1:${gateway.port}`,
      ...(stall === undefined ? {} : { chain: { url: stall.url, asset } }),
    };
    const { code, err } = await python(["-m", "unittest"], { TURNPIKE_TEST_GATEWAYS: JSON.stringify(gateways) });
    if (code !== 0) throw new Error(err);
    expect(err).toMatch(/^OK$/m);
    if (stall !== undefined) expect(await stall.balance()).toBe(3n * PRICE);
  });

  test("the wheel has the same bytes each time, and works without the repository", async () => {
    const built = [];
    for (const name of ["one", "two"]) {
      expect(await python(["build_wheel.py", folder.file(name)])).toMatchObject({ code: 0, err: "" });
      const [wheel = ""] = readdirSync(folder.file(name));
      built.push({ wheel, bytes: await Bun.file(join(folder.file(name), wheel)).bytes() });
    }
    const [one, two] = built;
    expect(one?.bytes).toEqual(two?.bytes ?? new Uint8Array());
    expect(one?.wheel).toBe(`turnpike_client-${manifest.version.replace("-alpha.", "a")}-py3-none-any.whl`);
    // Python imports from a wheel as from a folder.
    const check =
      "import sys; sys.path[0] = sys.argv[1]; import turnpike_client as t; print(t.__file__, t.Turnpike().payer.address)";
    const wheel = join(folder.file("one"), one?.wheel ?? "");
    expect((await python(["-c", check, wheel])).out).toBe(`${wheel}/turnpike_client/__init__.py None\n`);
  });
});
