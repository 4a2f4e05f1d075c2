import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../store/open/open-store.ts";
import { RESERVATION } from "../../store/testing/reservation.ts";
import { COMMAND } from "../../../test/support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-check-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Runs `check` in a process of its own. Returns the exit code and the output. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, out, err } = await runWith({}, ...args);
  return { code, out, err };
}

/** The lines without line numbers, which would change with every key that a test adds. */
function unplaced(text: string): string {
  return text.replaceAll(/line \d+, column \d+: (?=[\w[])/g, "");
}

async function runWith(environment: Record<string, string>, ...args: string[]) {
  const child = Bun.spawn([...COMMAND, "check", ...args], {
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...environment },
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err: unplaced(err), placed: err };
}

test("a valid file is counted", async () => {
  const upstreams = [{ name: "a", servers: [{ address: "127.0.0.1", port: 1 }] }];
  const routes = [
    { path_prefix: "/", upstream: "a" },
    { path_prefix: "/b", upstream: "a" },
  ];
  const file = write("right.json", JSON.stringify({ upstreams, routes, colour: "red" }));
  expect(await run(file)).toEqual({
    code: 0,
    out: `${file}: ok (2 routes, 1 upstream)\n`,
    err: `${file}: warning: colour: unknown key, ignored\n`,
  });
});

test("a ledger in SQLite that PostgreSQL replaces is reported while something is left in it", async () => {
  const postgres = { url: "postgres://turnpike@127.0.0.1:1/shop" };
  const file = write("moved.json", JSON.stringify({ postgres, routes: [] }));
  const store = openStore(join(folder, "turnpike.db"));
  expect((await run(file)).err).toBe("");
  for (const nonce of ["0x1", "0x2"]) {
    const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce });
    await store.ledger.move(payment, { state: nonce === "0x1" ? "settled" : "unknown", lease: false });
  }
  const warning = `postgres.url: the ledger "${join(folder, "turnpike.db")}" is not used any more, and has 1 payment without an outcome, 1 paid response that is not delivered, 0 prepaid balances and 0 channels`;
  expect(await run("--strict", file)).toMatchObject({ code: 0, err: `${file}: warning: ${warning}\n` });
  await store.close();
  rmSync(join(folder, "turnpike.db"));
});

test("a configuration is read from standard input", async () => {
  const child = Bun.spawn([...COMMAND, "check", "-"], { stdin: new Blob(['{"routes": []}']), stdout: "pipe" });
  expect([await child.stdout.text(), await child.exited]).toEqual(["standard input: ok (0 routes, 0 upstreams)\n", 0]);
});

test.each(["--help", "--version", "check --help", "check FILE"])(
  "turnpike %s fails if its output cannot be written",
  async (args) => {
    const file = write("empty.json", "{}");
    const child = Bun.spawn([...COMMAND, ...args.replace("FILE", file).split(" ")], {
      stdio: ["ignore", Bun.file("/dev/full"), "pipe"],
    });
    const [err, code] = await Promise.all([child.stderr.text(), child.exited]);
    expect(err).toContain("no space left on device");
    expect(code).toBe(1);
  },
);

test("every problem of an invalid file is printed", async () => {
  const routes = [
    { path_prefix: "/", upstream: "api" },
    { path_prefix: "b", upstream: "api" },
  ];
  const file = write("wrong.json", JSON.stringify({ routes }));
  expect(await run(file)).toEqual({
    code: 1,
    out: "",
    err: [
      `${file}: routes[1].path_prefix: expected a path that starts with /, found "b"`,
      `${file}: routes[0].upstream: "api" is not a defined upstream`,
      `${file}: routes[1].upstream: "api" is not a defined upstream`,
      "",
    ].join("\n"),
  });
});

test("a syntax error is printed with its place", async () => {
  const file = write("syntax.json", '{\n  "routes": [,]\n}');
  expect(await run(file)).toEqual({
    code: 1,
    out: "",
    err: `${file}: expected a value, found ","\n`,
  });
});

test("wrong usage is reported", async () => {
  for (const args of [[], ["a", "b"], ["--all"]]) {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^turnpike check: .+ Run "turnpike check --help" for its usage\.\n$/);
  }
});

const TERMS = {
  price: "$0.01",
  asset: "USDC",
  network: "base-sepolia",
  pay_to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
};

const LOOPBACK = { address: "127.0.0.1" };

function priced(x402: object, terms: object = {}, server: object = {}): string {
  const upstreams = [{ name: "a", servers: [{ address: "127.0.0.1", port: 1 }] }];
  const routes = [{ path_prefix: "/", upstream: "a", x402: { ...TERMS, ...terms } }];
  return write("priced.json", JSON.stringify({ server, x402: { enabled: true, ...x402 }, upstreams, routes }));
}

const LONG = "x".repeat(10_000);

const GIVEAWAYS: readonly (readonly [name: string, x402: object, terms: object, problem: RegExp])[] = [
  [
    "an unknown network",
    {},
    { network: "basis" },
    /routes\[0\]\.x402: Cannot accept payments: network "basis" is unknown/,
  ],
  ["nobody to pay", {}, { pay_to: "" }, /routes\[0\]\.x402\.pay_to: /],
  [
    "the zero address to pay",
    {},
    { pay_to: `0x${"0".repeat(40)}` },
    /routes\[0\]\.x402: Cannot accept payments: pay_to/,
  ],
  ["a price of nothing", {}, { price: "0" }, /routes\[0\]\.x402\.price: /],
  ["no facilitator", { facilitator_url: "" }, {}, /routes\[0\]\.x402: has no facilitator/],
  [
    "no chain to settle on",
    { embedded: { enabled: true } },
    {},
    /x402\.embedded\.enabled: requires an EVM chain in x402\.chains/,
  ],
  [
    "a challenge too long",
    {},
    { extensions: { note: { text: LONG } } },
    /routes\[0\]\.x402: Cannot accept payments: the challenge has \d+ characters/,
  ],
  ["an invalid template", { payment_required_b64: btoa('{"resource":7}') }, {}, /routes\[0\]\.x402: /],
  ["the same way of paying twice", {}, { accepts: [TERMS] }, /accepts\[0\]: is the same payment method/],
];

for (const [name, x402, terms, problem] of GIVEAWAYS) {
  test(`a file with ${name} is refused`, async () => {
    const { code, err } = await run(priced({ facilitator_url: "http://127.0.0.1:1", ...x402 }, terms));
    expect(err).toMatch(problem);
    expect(code).toBe(1);
  });
}

test("test mode is refused for a listener that other machines reach", async () => {
  const file = write("open.json", JSON.stringify({ server: { address: "0.0.0.0" }, x402: { test_mode: true } }));
  expect(await run(file)).toMatchObject({ code: 1, err: expect.stringContaining("expected a loopback address") });
});

test("the key of the admin interface in the environment is checked", async () => {
  const admin = { enabled: true, api_key_env: "CHECK_ADMIN_KEY" };
  const file = write("admin-key.json", JSON.stringify({ server: { address: "127.0.0.1" }, admin }));
  const variable = "admin: Cannot use admin.api_key_env: the environment variable CHECK_ADMIN_KEY";
  expect(await run(file)).toMatchObject({ code: 1, err: `${file}: ${variable} is not set\n` });
  const short = await runWith({ CHECK_ADMIN_KEY: "guessable" }, file);
  expect(short).toMatchObject({ code: 1, err: `${file}: ${variable} must hold 16 to 1024 visible ASCII characters\n` });
  expect(await runWith({ CHECK_ADMIN_KEY: "not-so-guessable" }, file)).toMatchObject({ code: 0 });
});

test("each missing variable is reported, and no value of a variable is printed", async () => {
  const x402 = {
    embedded: { enabled: true, key_env: "CHECK_KEY" },
    chains: [{ network: "base-sepolia", rpc_url_env: "CHECK_RPC" }],
    facilitator_headers: [{ name: "Authorization", value_env: "CHECK_TOKEN" }],
    settlement_secret_env: "CHECK_SECRET",
  };
  const file = priced(x402, { settlement_url: "https://a.example" });
  const { code, err } = await run(file);
  expect(err.split("\n")).toEqual([
    `${file}: x402.facilitator_headers[0].value_env: the environment variable CHECK_TOKEN is not set`,
    `${file}: x402.chains[0].rpc_url_env: the environment variable CHECK_RPC is not set`,
    `${file}: x402.embedded.key_env: the environment variable CHECK_KEY is not set`,
    `${file}: warning: routes[0].x402.settlement_url: records are posted without a signature, so that their receiver cannot tell who sent them: set $CHECK_SECRET to sign them`,
    "",
  ]);
  expect(code).toBe(1);
  const wrong = { CHECK_TOKEN: "hunter2", CHECK_RPC: "hunter2", CHECK_KEY: "hunter2", CHECK_SECRET: "x".repeat(32) };
  const second = await runWith(wrong, file);
  expect(second.err).toMatch(/x402\.embedded: Cannot use the (?:facilitator's key|chain)/);
  expect([second.code, second.err.includes("hunter2")]).toEqual([1, false]);
});

/** Starts a facilitator and returns its URL. */
function facilitator(kinds: readonly object[], status = 200, more: object = {}): string {
  const fetch = () => Response.json({ kinds, ...more }, { status });
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  afterAll(() => server.stop(true));
  return server.url.origin;
}

test("a required facilitator must respond and accept every payment requirement", async () => {
  const exact = { x402Version: 2, scheme: "exact", network: "eip155:84532" };
  const url = facilitator([exact, { ...exact, scheme: "upto" }]);
  const required = { facilitator_url: url, require_facilitator: true };
  expect(await run(priced(required))).toMatchObject({ code: 0, err: "" });
  const accepts = [{ ...TERMS, network: "base" }];
  const file = priced(required, { accepts });
  expect(await run(file)).toMatchObject({
    code: 1,
    err: `${file}: routes[0].x402.accepts[0]: the facilitator does not support "exact" on eip155:8453\n`,
  });
  const lax = priced({ facilitator_url: url }, { accepts });
  expect(await run(lax)).toMatchObject({
    code: 0,
    err: `${lax}: warning: routes[0].x402.accepts[0]: the facilitator does not support "exact" on eip155:8453\n`,
  });
  // A facilitator that does not name its settlement address cannot settle `upto`, whether it is required or not.
  const upto = priced({ facilitator_url: url }, { scheme: "upto" });
  expect(await run(upto)).toMatchObject({ code: 1, err: expect.stringContaining("facilitatorAddress") });
});

test("a facilitator that settles nothing is a warning, or a problem if one is required", async () => {
  const kinds = [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }];
  const facilitator_url = facilitator(kinds, 200, { turnpikeSimulated: true });
  const said = "routes[0].x402: the facilitator is in test mode and settles nothing: ";
  const lax = priced({ facilitator_url });
  expect(await run(lax)).toMatchObject({ code: 0, err: expect.stringContaining(`${lax}: warning: ${said}`) });
  const strict = priced({ facilitator_url, require_facilitator: true });
  expect(await run(strict)).toMatchObject({ code: 1, err: expect.stringContaining(`${strict}: ${said}`) });
});

test("a payment that test mode does not simulate, such as from a channel, is a warning", async () => {
  const accepts = [
    { ...TERMS, scheme: "upto" },
    { ...TERMS, scheme: "batch-settlement" },
  ];
  const file = priced({ test_mode: true, channels: { authorizer_key_env: "CHECK_KEY" } }, { accepts }, LOOPBACK);
  expect(await runWith({ CHECK_KEY: `0x${"1".repeat(64)}` }, file)).toMatchObject({
    code: 0,
    err: `${file}: warning: routes[0].x402.accepts[1]: test mode does not support "batch-settlement" on eip155:84532\n`,
  });
});

test("a facilitator that does not respond is a warning, or a problem if it is required", async () => {
  const url = `${facilitator([], 500)}/secret`;
  const said = "routes[0].x402: Cannot query what the facilitator supports: it responded with 500\n";
  const lax = priced({ facilitator_url: url });
  expect(await run(lax)).toMatchObject({ code: 0, err: `${lax}: warning: ${said}` });
  const strict = priced({ facilitator_url: url, require_facilitator: true });
  expect(await run(strict)).toMatchObject({ code: 1, out: "", err: `${strict}: ${said}` });
});

test("every diagnostic has its position, also those of environment and facilitator", async () => {
  const x402 = { facilitator_url: "", embedded: { enabled: true, key_env: "CHECK_ABSENT" }, chains: [] };
  const routes = [{ path_prefix: "/", upstream: "no", x402: TERMS }];
  const syntax = write("place.json", '{\n  "routes": [,]\n}');
  expect((await runWith({}, syntax)).placed).toBe(`${syntax}: line 2, column 14: expected a value, found ","\n`);
  const meaning = write("meaning.json", JSON.stringify({ routes }, undefined, 2));
  expect((await runWith({}, meaning)).placed).toContain(
    `${meaning}: line 5, column 7: routes[0].upstream: "no" is not a defined upstream\n`,
  );
  const unset = write(
    "unset.json",
    JSON.stringify(
      { x402: { enabled: true, ...x402, chains: [{ network: "base", rpc_url_env: "CHECK_NONE" }] } },
      undefined,
      2,
    ),
  );
  expect(await runWith({}, unset)).toMatchObject({
    code: 1,
    placed: [
      `${unset}: line 12, column 9: x402.chains[0].rpc_url_env: the environment variable CHECK_NONE is not set`,
      `${unset}: line 7, column 7: x402.embedded.key_env: the environment variable CHECK_ABSENT is not set`,
      "",
    ].join("\n"),
  });
});

test("--strict fails on a warning and prints that it did", async () => {
  const file = write("slip.json", '{"server": {"prot": 80}}');
  const warning = `${file}: warning: server.prot: unknown key, ignored; did you mean "port"?\n`;
  expect(await run(file)).toMatchObject({ code: 0, err: warning });
  expect(await run("--strict", file)).toEqual({
    code: 1,
    out: "",
    err: `${warning}${file}: 1 warning, which --strict does not accept\n`,
  });
  expect(await run("--strict", write("plain.json", "{}"))).toMatchObject({ code: 0, err: "" });
});
