/**
 * The matrix of x402's end-to-end tests, on a chain of this machine: facilitators, servers and clients in all combinations, with the
 * project's own and the stock ones. Each payment is counted on the chain. The stock packages are not in this repository: install
 * them in a folder, and pass it:
 *
 *     npm install --prefix FOLDER @x402/core@2.27.0 @x402/evm@2.27.0 @x402/fetch@2.27.0 @x402/axios@2.11.0 @x402/hono@2.27.0 \
 *       @x402/express@2.27.0 hono @hono/node-server express axios viem@2.57.1
 *     node scripts/bun.mjs test/x402-e2e/main.ts FOLDER
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placePermit2 } from "../../src/payments/evm/permit2/testing/permit2-shop.ts";
import { PAYEE, PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { PERMIT2 } from "../../src/payments/x402/transfer.ts";
import { addressOf, freshKey, openMarket } from "../payments/market.ts";
import { serverAt, startGateway } from "../support/gateway.ts";
import { COMMAND } from "../support/program.ts";

const [packages] = process.argv.slice(2);
if (packages === undefined) throw new Error("usage: main.ts FOLDER_WITH_THE_STOCK_PACKAGES");
const ROOT = join(import.meta.dir, "../..");
const STOCK = join(packages, "stock");
cpSync(join(import.meta.dir, "stock"), STOCK, { recursive: true });

const KINDS = ["exact", "permit2", "upto"] as const;
const PRICE = "10000";
const { chain, token } = await openMarket();
await placePermit2(chain);
await token.approve(PAYER, PERMIT2, 10n ** 12n);
const folder = mkdtempSync(join(tmpdir(), "turnpike-x402-e2e-"));
const children: Bun.Subprocess[] = [];

/** Starts a server, and resolves with the URL that it prints after `listening`. */
async function serve(command: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = Bun.spawn([...command], {
    env: { ...Bun.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  children.push(child);
  let said = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    said += decoder.decode(chunk, { stream: true });
    const url = /listening\s+(\S+)\n/.exec(said)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`Cannot start ${command.join(" ")}: ${said}`);
}

const keys = { stock: freshKey(), own: freshKey() };
await chain.fund(addressOf(keys.stock));
await chain.fund(addressOf(keys.own));
const ownFacilitator = [
  ...COMMAND,
  "facilitator",
  "--chain",
  `${chain.network}=RPC_URL`,
  "--key-env",
  "KEY",
  "--any-asset",
];
const facilitators: readonly (readonly [name: string, url: string])[] = [
  ["stock", await serve(["node", join(STOCK, "facilitator.mjs")], { RPC_URL: chain.rpcUrl, KEY: keys.stock })],
  [
    "turnpike",
    await serve([...ownFacilitator, "--listen", "127.0.0.1:0"], {
      RPC_URL: chain.rpcUrl,
      KEY: keys.own,
      TURNPIKE_HOME: folder,
      TURNPIKE_FACILITATOR_TOKEN: "",
    }),
  ],
];

const origin = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => Response.json({ message: "Protected endpoint accessed successfully" }),
});

async function ownServer(facilitatorUrl: string) {
  const state = mkdtempSync(join(folder, "state-"));
  const terms = { price: PRICE, asset: token.address, network: chain.network, pay_to: PAYEE, max_timeout_seconds: 300 };
  const x402 = { ...terms, extra_name: token.name, extra_version: token.version };
  const gateway = await startGateway({
    state_path: state,
    access_log: { enabled: false },
    x402: { enabled: true, facilitator_url: facilitatorUrl },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      { path_prefix: "/exact", upstream: "origin", x402 },
      { path_prefix: "/permit2", upstream: "origin", x402: { ...x402, asset_transfer_method: "permit2" } },
      { path_prefix: "/upto", upstream: "origin", x402: { ...x402, scheme: "upto" } },
    ],
  });
  return { url: `http://127.0.0.1:${gateway.port}`, stop: () => gateway.stop() };
}

async function stockServer(framework: string, facilitatorUrl: string) {
  const asset = { ASSET: token.address, NAME: token.name, VERSION: token.version };
  const env = { FRAMEWORK: framework, FACILITATOR_URL: facilitatorUrl, PAY_TO: PAYEE, ...asset };
  return { url: await serve(["node", join(STOCK, "server.mjs")], env), stop: async () => undefined };
}

const servers = [
  ["turnpike", ownServer],
  ["hono", (url: string) => stockServer("hono", url)],
  ["express", (url: string) => stockServer("express", url)],
] as const;

const python = ["/usr/bin/python3", "-B", join(ROOT, "clients/python/tests/e2e_client.py")];
const clients: readonly (readonly [name: string, command: readonly string[], library: string])[] = [
  ["@x402/fetch", ["node", join(STOCK, "client.mjs")], "fetch"],
  ["@x402/axios", ["node", join(STOCK, "client.mjs")], "axios"],
  ["turnpike", [process.execPath, join(import.meta.dir, "own-client.ts")], ""],
  ["python httpx", python, "httpx"],
  ["python requests", python, "requests"],
];

async function pay(command: readonly string[], library: string, url: string, path: string): Promise<string> {
  const before = await token.balanceOf(PAYEE);
  const child = Bun.spawn([...command], {
    env: {
      ...Bun.env,
      LIBRARY: library,
      EVM_PRIVATE_KEY: PRIVATE_KEY,
      RESOURCE_SERVER_URL: url,
      ENDPOINT_PATH: path,
      ALLOWED_ASSET: `${chain.network}:${token.address}:${token.name}:${token.version}:6`,
      TURNPIKE_RPC_84532: chain.rpcUrl,
      PYTHONPATH: join(ROOT, "clients/python"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  // The last line is the result, by the protocol.
  const line = out.trim().split("\n").at(-1) ?? "";
  if (!line.startsWith('{"success":true') && !line.startsWith('{"success": true'))
    return `failed: ${line}${err}`.slice(0, 300);
  const moved = (await token.balanceOf(PAYEE)) - before;
  return moved === BigInt(PRICE) ? "paid" : `moved ${moved}`;
}

let failures = 0;
try {
  console.log("| facilitator | server | client | exact | permit2 | upto |\n| --- | --- | --- | --- | --- | --- |");
  for (const [facilitator, facilitatorUrl] of facilitators) {
    for (const [server, open] of servers) {
      const { url, stop } = await open(facilitatorUrl);
      for (const [client, command, library] of clients) {
        const results: string[] = [];
        for (const kind of KINDS) results.push(await pay(command, library, url, `/${kind}`));
        failures += results.filter((result) => result !== "paid").length;
        console.log(`| ${[facilitator, server, client, ...results].join(" | ")} |`);
      }
      await stop();
    }
  }
} finally {
  for (const child of children) child.kill("SIGTERM");
  await origin.stop(true);
  await chain.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? "every payment was made once" : `${failures} payments failed`);
process.exit(failures === 0 ? 0 : 1);
