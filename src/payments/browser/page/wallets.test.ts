/** The wallets that the page finds, in a real browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type BrowserContext } from "puppeteer-core";
import { patient } from "../../../lib/testing/patience.ts";
import { startBrowser, type TestBrowser } from "../../../../test/support/browser.ts";
import { Seller } from "./testing/seller.ts";

setDefaultTimeout(patient(20_000));

const seller = new Seller();
let browser: TestBrowser;
let context: BrowserContext;

beforeAll(async () => {
  browser = await startBrowser();
  context = await browser.browser.createBrowserContext();
});

afterAll(async () => {
  await browser.close();
  await seller.close();
});

/** Scripts of wallets: they use it to announce themselves. */
const HELP = `
const provider = { request: async () => null };
const announce = (detail) => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
const named = (info) => announce({ info, provider: { ...provider } });
const standard = (change) => ({
  name: "Sol",
  chains: ["solana:mainnet"],
  features: { "standard:connect": { connect() {} }, "solana:signTransaction": { signTransaction() {} } },
  ...change,
});
const registering = (...wallets) => {
  const register = (api) => api.register(...wallets);
  addEventListener("wallet-standard:app-ready", ({ detail }) => register(detail));
  dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
};
`;

interface Found {
  readonly name: string;
  readonly icon?: string;
  /** Of an EVM chain, Solana's and its development cluster. */
  readonly pays: readonly boolean[];
}

/** The lists of wallets that the page is given one after the other. `before` and `after` it looks for them, scripts run. */
async function lists(before: string, after = ""): Promise<readonly (readonly Found[])[]> {
  const page = await context.newPage();
  await page.goto(seller.url);
  const found = await page.evaluate(`(async () => {
    const { findWallets } = await import("/modules/wallets.js");
    ${HELP}
    const lists = [];
    ${before};
    findWallets((wallets) => lists.push(wallets));
    ${after};
    const networks = ["eip155:1", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"];
    return lists.map((wallets) =>
      wallets.map(({ name, icon, pays, sign }) => ({ name, ...(icon && { icon }), pays: networks.map(pays) })));
  })()`);
  await page.close();
  return found as readonly (readonly Found[])[]; // As the script above returns it.
}

const last = async (before: string, after = ""): Promise<readonly Found[]> => (await lists(before, after)).at(-1) ?? [];
const EVM = [true, false, false];
const MAINNET = [false, true, false];

/** A script that announces the wallet whenever a page asks. */
const onRequest = (script: string): string => `addEventListener("eip6963:requestProvider", () => { ${script} })`;

test("a browser without wallets has an empty list", async () => {
  expect(await lists("")).toEqual([[]]);
});

test("wallets that announce themselves before, during and after the search are found, each once", async () => {
  const found = await lists(
    `const early = { info: { name: "Early" }, provider }; announce(early); ${onRequest("announce(early)")}`,
    `announce(early); named({ name: "Late" }); registering(standard()); registering(standard({ name: "Second" }))`,
  );
  const names = found.map((list) => list.map(({ name }) => name));
  expect(names).toEqual([
    ["Early"],
    ["Early"],
    ["Early", "Late"],
    ["Early", "Late", "Sol"],
    ["Early", "Late", "Sol", "Second"],
  ]);
  expect(found.at(-1)?.map(({ pays }) => pays)).toEqual([EVM, EVM, MAINNET, MAINNET]);
});

test("announcements without a provider are ignored", async () => {
  const script = `announce(null); announce({ info: { name: "A" } }); announce({ provider: { request: 1 } });
    dispatchEvent(new Event("eip6963:announceProvider")); announce({ provider })`;
  expect(await last(onRequest(script))).toEqual([{ name: "a wallet", pays: EVM }]);
});

test.each<[what: string, info: string, shown: Partial<Found>]>([
  ["a name of 40 characters", `{ name: "n".repeat(40) }`, { name: "n".repeat(40) }],
  ["a longer name", `{ name: "n".repeat(41) }`, { name: "n".repeat(40) }],
  ["a name with unseen characters", String.raw`{ name: " \u202ea\u0000b " }`, { name: "ab" }],
  ["a name of unseen characters", String.raw`{ name: "\u202e " }`, { name: "a wallet" }],
  ["a name that is not a text", `{ name: 7 }`, { name: "a wallet" }],
  ["an icon", `{ icon: "data:image/PNG;base64,AA" }`, { icon: "data:image/PNG;base64,AA" }],
  ["an icon without an encoding", `{ icon: "data:image/svg+xml,<svg/>" }`, { icon: "data:image/svg+xml,<svg/>" }],
  ["an icon of another type", `{ icon: "data:image/tiff;base64,AA" }`, {}],
  ["an icon from a server", `{ icon: "https://a.example/data:image/png;a" }`, {}],
  [
    "a large icon",
    `{ icon: "data:image/png;".padEnd(100_000, "A") }`,
    { icon: "data:image/png;".padEnd(100_000, "A") },
  ],
  ["a larger icon", `{ icon: "data:image/png;".padEnd(100_001, "A") }`, {}],
  ["an icon that is not a text", `{ icon: 7 }`, {}],
])("of a wallet with %s the page shows what it can", async (_what, info, shown) => {
  expect(await last(onRequest(`named(${info})`))).toEqual([{ name: "a wallet", pays: EVM, ...shown }]);
});

test("at most twelve wallets are shown", async () => {
  const found = await last(onRequest(`for (let i = 0; i < 20; i += 1) named({ name: String(i) })`));
  expect(found.map(({ name }) => name)).toEqual(Array.from({ length: 12 }, (_, at) => String(at)));
});

test("the global of old wallets is used if none announces itself", async () => {
  const old = { name: "the browser's wallet", pays: EVM };
  expect(await lists("globalThis.ethereum = provider")).toEqual([[old], [old]]);
  expect(await lists("globalThis.ethereum = {}")).toEqual([[]]);
  const both = `globalThis.ethereum = { ...provider }; ${onRequest(`named({ name: "New" })`)}`;
  expect((await last(both)).map(({ name }) => name)).toEqual(["New"]);
});

test("a wallet on Solana is found however it comes, and others on the same list with a fault are left out", async () => {
  const trap = `new Proxy([], { get() { throw new Error("evil") } })`;
  const script = `registering({}, standard({ chains: ["sui:mainnet"] }), standard({ chains: ${trap} }), standard())`;
  for (const [before, after] of [
    [script, ""],
    ["", script],
  ] as const)
    expect(await last(before, after)).toEqual([{ name: "Sol", pays: MAINNET }]);
  const both = `["solana:devnet", "solana:mainnet"]`;
  expect(await last(`registering(standard({ chains: ${both} }))`)).toEqual([
    { name: "Sol", pays: [false, true, true] },
  ]);
});

test("registrations that are odd or fail leave the page as it is, and a wallet can take itself back", async () => {
  const odd = `
    dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: 7 }));
    dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: () => { throw new Error("evil") } }));
    dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: (api) => api.register(standard())() }));`;
  const errors = `const errors = []; addEventListener("error", ({ message }) => errors.push(message))`;
  const found = await lists(errors, `${odd} if (errors.length > 0) throw new Error(errors.join())`);
  expect(found.map((list) => list.map(({ name }) => name))).toEqual([[], ["Sol"]]);
});
