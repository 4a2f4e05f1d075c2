import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Change, type Reservation } from "../../store/ledger.ts";
import { readPayments } from "../../gateway/admin/overview/read-payments.ts";
import { deferralText } from "../../payments/settlement/deferral.ts";
import { openStore } from "../../store/open/open-store.ts";
import { type Store } from "../../store/store.ts";
import { parseLedger } from "./ledger-arguments.ts";
import { RECORD_KEYS } from "../common/ledger-record.ts";
import { csvCell } from "../../lib/text/csv-cell.ts";
import { patient } from "../../lib/testing/patience.ts";
import { COMMAND } from "../../../test/support/program.ts";

// Each command is a process, and they start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const USDC = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";
const ALICE = `0x${"a1".repeat(20)}`;
const BOB = `0x${"b0".repeat(20)}`;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 20, 12);
const ESCAPE = "\u001b";

let folder: string;
let file: string;
let store: Store;
const clock = { now: START };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-cli-ledger-"));
  file = join(folder, "turnpike.db");
  // The store stays open, as in a running gateway.
  store = openStore(file, () => clock.now);
  await book({ nonce: nonce(1), from: ALICE }, { state: "settled", transaction: nonce(0xfee1), delivered: true });
  await book({ nonce: nonce(2), from: BOB, amount: "2500000" }, { state: "settled", transaction: nonce(0xfee2) });
  clock.now += DAY_MS;
  await book({ nonce: nonce(3), from: ALICE, payload: "the signed payment" }, { state: "unknown" });
  await book(
    { nonce: nonce(4), from: ALICE, route: `=cmd,"x"${ESCAPE}[31m` },
    { state: "failed", reason: "permit2_deadline_expired" },
  );
  await book({ nonce: nonce(5), from: BOB, token: `0x${"cc".repeat(20)}` }, { state: "settled" });
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** The number comes first, so that prefixes differ. */
function nonce(number: number): string {
  return `0x${number.toString(16).padStart(4, "0")}${"0".repeat(60)}`;
}

const EXAMPLE: Reservation = {
  network: "eip155:84532",
  asset: USDC,
  from: ALICE,
  nonce: "",
  token: USDC,
  scheme: "exact",
  amount: "10000",
  payTo: `0x${"dd".repeat(20)}`,
  route: "/read",
  consumer: "",
  fingerprint: "print",
  validBefore: 4_000_000_000,
  payload: "",
};

async function book(change: Partial<Reservation>, end: Omit<Change, "lease">): Promise<void> {
  const { payment } = await store.ledger.reserve({ ...EXAMPLE, ...change });
  await store.ledger.move(payment, { lease: false, ...end });
  clock.now += 1000;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], where: readonly string[] = ["--store", file]): Promise<Ran> {
  const child = Bun.spawn([...COMMAND, "ledger", ...args, ...where], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, TURNPIKE_HOME: join(folder, "nobody-home") },
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}

test("list in a pipe prints full values separated by tabs, newest first, without control characters", async () => {
  const { code, out, err } = await run(["list"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const rows = out
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(rows[0]).toEqual(["TIME", "STATE", "ROUTE", "AMOUNT", "PAYER", "NONCE", "TRANSACTION"]);
  expect(rows.slice(1).map((row) => row[1])).toEqual([
    "settled, owed",
    "failed",
    "unknown",
    "settled, owed",
    "settled",
  ]);
  expect(rows[2]?.[2]).toBe('=cmd,"x"\\u{1b}[31m');
  expect(rows[5]).toEqual([
    "2026-11-20T12:00:00.000Z",
    "settled",
    "/read",
    "0.01 USDC",
    ALICE,
    nonce(1),
    nonce(0xfee1),
  ]);
  expect(rows[1]?.[3]).toBe("10000 units");
});

const FILTERS: readonly (readonly [args: readonly string[], numbers: readonly number[]])[] = [
  [["--state", "open"], [3]],
  [
    ["--state", "owed"],
    [5, 2],
  ],
  [["--state", "settled", "--payer", ALICE.toUpperCase().replace("0X", "0x")], [1]],
  [
    ["--route", "/read", "--limit", "2"],
    [5, 3],
  ],
  [
    ["--since", "2026-11-21"],
    [5, 4, 3],
  ],
  [["--until", "2026-11-20T12:00:01Z"], [1]],
];

test("a time can be an age, as in turnpike events", () => {
  const now = Date.parse("2026-11-21T09:00:00Z");
  const { query } = parseLedger(["totals", "--by", "route", "--since", "2h", "--until", "90m"], now);
  const filter = { since: Date.parse("2026-11-21T07:00:00Z"), until: Date.parse("2026-11-21T07:30:00Z") };
  expect(query).toMatchObject({ filter });
});

test("list without a limit says that there are more payments than it prints", async () => {
  const many = join(folder, "many.db");
  const full = openStore(many, () => clock.now);
  for (let i = 0; i < 51; i++) await full.ledger.reserve({ ...EXAMPLE, nonce: nonce(1000 + i) });
  await full.close();
  const [cut, chosen] = await Promise.all([
    run(["list"], ["--store", many]),
    run(["list", "--limit", "50"], ["--store", many]),
  ]);
  expect([cut.out, cut.err]).toEqual([chosen.out, "turnpike ledger: these are the newest 50; --limit N prints more\n"]);
  expect([chosen.out.trimEnd().split("\n").length, chosen.err]).toEqual([51, ""]);
});

test("all filters apply, and --json prints everything except signed data", async () => {
  const responses = await Promise.all(FILTERS.map(([args]) => run(["list", "--json", ...args])));
  for (const [i, { out }] of responses.entries()) {
    const records: unknown = JSON.parse(out);
    expect(records).toMatchObject((FILTERS[i]?.[1] ?? []).map((number) => ({ nonce: nonce(number) })));
    expect(out).not.toContain("signed payment");
  }
  const [first] = JSON.parse(responses[0]?.out ?? "[]") as Record<string, unknown>[]; // The command printed these objects.
  expect(Object.keys(first ?? {})).toEqual([...RECORD_KEYS]);
  expect(first).toMatchObject({
    state: "unknown",
    amount: "10000",
    amount_in_units: "0.01",
    symbol: "USDC",
    owed: false,
  });
});

test("show finds one payment by a prefix of its nonce or transaction, and explains its state", async () => {
  const [byNonce, byTransaction, several, none] = await Promise.all([
    run(["show", "0x0003"]),
    run(["show", "FEE2"]),
    run(["show", "0000"], ["--store", await ambiguous()]),
    run(["show", "0xdead"]),
  ]);
  expect(byNonce.out).toContain("money may have moved");
  expect(byNonce.out).toContain("0.01 USDC (10000 atomic units)");
  expect(byTransaction.out).toContain(nonce(2));
  expect(byTransaction.out).toContain("settled, owed");
  expect(several.code).toBe(1);
  expect(several.err).toContain('"0x0000" is the beginning of 2 payments');
  expect(none).toEqual({
    code: 1,
    out: "",
    err: 'turnpike ledger: Cannot show "0xdead": no nonce or transaction of a payment starts with it (a released payment is deleted when it has expired)\n',
  });
});

function refused(text: string, why: string): Ran {
  return { code: 1, out: "", err: `turnpike ledger: Cannot use --payer "${text}": ${why}\n` };
}

test("--payer takes the beginning of an address that only one payer has", async () => {
  const path = join(folder, "payers.db");
  const other = openStore(path);
  const payers = [`0x12ab0${"c".repeat(35)}`, `0x12ab1${"c".repeat(35)}`] as const;
  for (const [i, from] of payers.entries()) await other.ledger.reserve({ ...EXAMPLE, nonce: nonce(i), from });
  await other.close();
  const by = (payer: string) => run(["list", "--json", "--payer", payer], ["--store", path]);
  const [whole, ...others] = await Promise.all([payers[0], "0x12AB0…", "0x12ab", "0x12ad", "0x12a"].map(by));
  expect(JSON.parse(whole?.out ?? "")).toMatchObject([{ nonce: nonce(0) }]);
  expect(others).toEqual([
    { code: 0, out: whole?.out ?? "", err: "" },
    refused("0x12ab", `several addresses start with it, such as ${payers.join(" and ")}`),
    refused("0x12ad", "no address of a payer starts with it"),
    refused("0x12a", "it is not an address, nor the start of one with at least 4 digits"),
  ]);
});

async function ambiguous(): Promise<string> {
  const path = join(folder, "ambiguous.db");
  const other = openStore(path);
  for (const end of ["1", "2"]) await other.ledger.reserve({ ...EXAMPLE, nonce: `0x0000${end}` });
  await other.close();
  return path;
}

test("export writes all payments as CSV by RFC 4180, and no spreadsheet computes a cell", async () => {
  const { out } = await run(["export", "--csv"]);
  const lines = out.split("\r\n");
  expect(lines[0]).toBe(RECORD_KEYS.join(","));
  expect(lines).toHaveLength(7);
  expect(lines[2]).toContain(`,"'=cmd,""x""\\u{1b}[31m",eip155:84532,`);
  expect(out).not.toContain(ESCAPE);
});

test("cells with formulas, commas, quotes or line breaks are escaped", () => {
  const cells = [
    "=1+1",
    "+1",
    "-1",
    "-1+1",
    "@x",
    "\t=1",
    "a,b",
    'say "x"',
    "a\r\nb",
    "\u202ea",
    "plain",
    "",
    -5,
    true,
  ];
  expect(cells.map(csvCell)).toEqual([
    "'=1+1",
    "'+1",
    "-1",
    "'-1+1",
    "'@x",
    "\\u{9}=1",
    '"a,b"',
    '"say ""x"""',
    "a\\u{d}\\u{a}b",
    "\\u{202e}a",
    "plain",
    "",
    "-5",
    "true",
  ]);
});

test("export adds the value of settled payments in a currency, with the VAT in it, and the parts are the whole", async () => {
  const rates = join(folder, "rates.csv");
  const day = new Date(clock.now - 3 * 86_400_000).toISOString().slice(0, 10);
  writeFileSync(rates, `# from the bank\n${day},USDC,EUR,0.925\n`);
  const { code, out } = await run(["export", "--jsonl", "--rates", rates, "--vat", "19"]);
  expect(code).toBe(0);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>);
  const sold = lines.filter(({ state, symbol }) => state === "settled" && symbol === "USDC");
  expect(sold.length).toBeGreaterThan(0);
  for (const { amount, currency, rate, gross, net, vat } of sold) {
    expect([currency, rate]).toEqual(["EUR", "0.925"]);
    expect(Number(gross)).toBeCloseTo((Number(amount) / 1e6) * 0.925, 6);
    expect(Number(net)).toBeCloseTo(Number(gross) / 1.19, 6);
    const micros = [gross, net, vat].map((text = "") => Number(text.replace(".", "")));
    expect(micros[0]).toBe((micros[1] ?? 0) + (micros[2] ?? 0));
  }
  const others = lines.filter(({ state, symbol }) => state !== "settled" || symbol === "");
  for (const line of others) expect(line).toMatchObject({ currency: "", gross: "", net: "", vat: "" });
  const csv = await run(["export", "--csv", "--rates", rates]);
  expect(csv.out.split("\r\n")[0]).toEndWith(",currency,rate,gross,net,vat");
});

for (const [text, said] of [
  ["2026-01-01,USDC,EUR,0.9\n", "the rates have no line for USDC on"],
  ["2026-01-01,USDC,EUR\n", "Cannot read line 1 of"],
  ["2026-01-01,USDC,EUR,0.9\n2026-01-02,USDC,USD,1\n", "all rates must be in EUR"],
  ["2026-01-01,USDC,EUR,0.9\n2026-01-01,USDC,EUR,0.8\n", "line 2 of"],
  ["2026-01-01,USDC,EUR,0.9\n2026-01-01,USDC,EUR,0.9\n", "another line has the rate of USDC on 2026-01-01"],
] as const) {
  test(`rates are refused: ${JSON.stringify(text)}`, async () => {
    const rates = join(folder, "bad-rates.csv");
    writeFileSync(rates, text);
    const { code, err } = await run(["export", "--csv", "--rates", rates]);
    expect(code).toBe(1);
    expect(err).toContain(said);
  });
}

test("export streams many payments as JSON lines, each once, while a gateway writes", async () => {
  const path = join(folder, "many.db");
  const many = openStore(path);
  for (let i = 0; i < 2100; i++) await many.ledger.reserve({ ...EXAMPLE, nonce: nonce(i) });
  const end = new AbortController();
  const writing = (async () => {
    for (let i = 0; !end.signal.aborted; i++) {
      await many.ledger.reserve({ ...EXAMPLE, nonce: nonce(10_000 + i) });
      await Bun.sleep(1);
    }
  })();
  const { code, out } = await run(["export", "--jsonl"], ["--store", path]);
  end.abort();
  await writing;
  await many.close();
  const nonces = out
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { nonce: string }).nonce); // The command printed these objects.
  expect(code).toBe(0);
  expect(new Set(nonces).size).toBe(nonces.length);
  expect(nonces.filter((text) => Number.parseInt(text.slice(2, 6), 16) < 2100)).toHaveLength(2100);
});

test("the books count a deferred charge when it is settled, and its amount is then what was delivered", async () => {
  const path = join(folder, "deferred.db");
  const other = openStore(path);
  const work = { quote: "10000", path: "/charges/KEY", until: 4_000_000_000, failures: 0 };
  const deferral = deferralText({ ...work, due: "4000" });
  for (const number of [1, 2, 3]) {
    const { payment } = await other.ledger.reserve({ ...EXAMPLE, scheme: "upto", nonce: nonce(number) });
    await other.ledger.move(payment, { state: "deferred", lease: true, deferral, dueInMs: 0 });
    const amount = { amount: "4000", lease: true, dueInMs: "never" } as const;
    if (number === 2) await other.ledger.move(payment, { ...amount, state: "settled", transaction: nonce(0xfee) });
    if (number === 3) await other.ledger.move(payment, { ...amount, state: "failed", reason: "payment_refused" });
  }
  const rates = join(folder, "deferred-rates.csv");
  writeFileSync(rates, `${new Date().toISOString().slice(0, 10)},USDC,EUR,1\n`);
  const [exported, totals, shown] = await Promise.all([
    run(["export", "--jsonl", "--rates", rates], ["--store", path]),
    run(["totals", "--json", "--by", "route"], ["--store", path]),
    run(["show", "0x0001"], ["--store", path]),
  ]);
  const rows = exported.out.trim().split("\n");
  expect(rows.map((line) => JSON.parse(line) as object)).toMatchObject([
    { state: "failed", amount: "4000", due: "", gross: "", transaction: "" },
    { state: "settled", amount: "4000", due: "", gross: "0.004000", transaction: nonce(0xfee) },
    { state: "deferred", amount: "10000", due: "4000", gross: "", transaction: "" },
  ]);
  expect(JSON.parse(totals.out)).toMatchObject([{ payments: 1, amount: "4000" }]);
  expect(shown.out).toContain("0.004 USDC");
  expect(exported.out + shown.out).not.toContain("KEY");
  const summary = await readPayments(other.view, Date.now());
  expect(summary).toMatchObject({ open: 0, deferred: 1, days: [{ payments: 1, amount: "4000" }] });
  expect((await other.usage.read("any")).paid).toMatchObject([{ payments: 1, amount: "4000" }]);
  const recent = summary.available ? summary.recent : [];
  expect(recent.map(({ state, due }) => [state, due])).toEqual([
    ["failed", undefined],
    ["settled", undefined],
    ["deferred", "4000"],
  ]);
  await other.close();
});

test("export has what was given back of prepaid balances", async () => {
  const path = join(folder, "credits.db");
  const other = openStore(path);
  const { network, asset: token, from: owner } = EXAMPLE;
  const own = {
    id: "one",
    hash: "h",
    owner,
    unit: "money",
    name: "",
    network,
    token,
    routes: [],
    expiresAt: 0,
  } as const;
  await other.credits.open(own, { id: "g", kind: "issued", amount: "50000", payment: "" });
  await other.credits.take("one", { id: "r", kind: "refunded", amount: "20000", payment: "0xback" });
  await other.close();
  const { code, out } = await run(["export", "--jsonl"], ["--store", path]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    kind: "recorded refund",
    amount: "-20000",
    amount_in_units: "-0.02",
    network,
    asset: token,
    payer: owner,
    route: "/.turnpike/credit",
    transaction: "0xback",
    nonce: "credit:one",
  });
});

test("a slow reader gets every line once", async () => {
  const path = join(folder, "slow.db");
  const many = openStore(path);
  for (let i = 0; i < 2000; i++) await many.ledger.reserve({ ...EXAMPLE, nonce: nonce(i) });
  await many.close();
  const args = [...COMMAND, "ledger", "export", "--csv", "--store", path];
  const child = Bun.spawn(["sh", "-c", '"$0" "$@" | dd bs=64 status=none', ...args], { stdin: "ignore" });
  const lines = (await new Response(child.stdout).text()).split("\r\n");
  expect(lines).toHaveLength(2002);
  expect(new Set(lines).size).toBe(2002);
});

test("totals are by route, payer and day, in units of the token if it is known", async () => {
  const [byPayer, byDay, byRoute] = await Promise.all([
    run(["totals", "--by", "payer", "--json"]),
    run(["totals", "--by", "day", "--until", "2026-11-21"]),
    run(["totals", "--by", "route"]),
  ]);
  // The largest amount of each token first.
  expect(JSON.parse(byPayer.out)).toMatchObject([
    { payer: BOB, payments: 1, amount: "2500000", amount_in_units: "2.50" },
    { payer: ALICE, payments: 1, amount: "10000", amount_in_units: "0.01", symbol: "USDC" },
    { payer: BOB, payments: 1, amount: "10000", amount_in_units: "", symbol: "" },
  ]);
  expect(byDay.out).toBe(
    `DAY\tPAYMENTS\tAMOUNT\tATOMIC\tREFUNDED\tASSET\tNETWORK\n2026-11-20\t2\t2.51 USDC\t2510000\t0\t${USDC}\teip155:84532\n`,
  );
  expect(byRoute.out.trimEnd().split("\n")).toHaveLength(3);
});

test("the configuration or the state folder names the ledger, and a missing ledger is reported with its path", async () => {
  const config = join(folder, "turnpike.json");
  writeFileSync(config, "{}");
  const empty = join(folder, "empty");
  mkdirSync(empty);
  const [byConfig, byFolder, missing, byDefault, noLedger] = await Promise.all([
    run(["list", "--limit", "1"], ["--config", config]),
    run(["list", "--limit", "1"], ["--state-dir", folder]),
    run(["list"], ["--state-dir", empty]),
    run(["list"], []),
    run(["list"], ["--store", config]),
  ]);
  expect(byConfig.out).toBe(byFolder.out);
  expect(byConfig.out.trimEnd().split("\n")).toHaveLength(2);
  expect(missing.code).toBe(1);
  expect(missing.err).toContain(`Cannot read the ledger "${join(empty, "turnpike.db")}": there is no such file`);
  expect(byDefault.err).toContain(join(folder, "nobody-home", "turnpike.db"));
  expect(noLedger.err).toContain("it is not a ledger");
});

const WRONG: readonly (readonly [args: readonly string[], code: number, said: string])[] = [
  [[], 2, "turnpike ledger: Name a subcommand: list, show, export, totals, backup."],
  [["list", "more"], 2, 'turnpike ledger: Unexpected argument "more".'],
  [["list", "--by", "route"], 2, "turnpike ledger: list does not take --by"],
  [["totals"], 2, "turnpike ledger: Name the key of the totals: --by route|payer|day"],
  [["totals", "--by", "nonce"], 2, "turnpike ledger: Name the key of the totals"],
  [["export"], 2, "turnpike ledger: Choose the format of the export: --csv or --jsonl"],
  [["export", "--csv", "--vat", "19"], 2, "turnpike ledger: --vat needs --rates"],
  [["export", "--csv", "--gas", `0x${"1".repeat(40)}`], 2, "turnpike ledger: --gas needs --config"],
  [["export", "--csv", "--rates", "/absent"], 1, 'turnpike ledger: Cannot read the rates "/absent": ENOENT'],
  [["export", "--csv", "--jsonl"], 2, "turnpike ledger: Choose the format of the export"],
  [["list", "--store", "x", "--config", "x"], 2, "--store names the ledger"],
  [["list", "--colour"], 2, `Unknown option '--colour'. Run "turnpike ledger --help"`],
  [["show"], 2, "Name a payment"],
  [["list", "--state", "paid"], 1, 'Cannot use --state "paid"'],
  [["list", "--payer", "0x1"], 1, 'Cannot use --payer "0x1"'],
  [["list", "--since", "yesterday"], 1, 'Cannot use --since "yesterday"'],
  [["list", "--since", "2026-13-01"], 1, 'Cannot use --since "2026-13-01"'],
  [["list", "--limit", "0"], 1, 'Cannot use --limit "0"'],
  [["show", "0x%"], 1, 'Cannot look for "0x%"'],
];

test("backup writes the ledger of a running gateway to a new file, which the other commands read", async () => {
  const copy = join(folder, "backup.db");
  expect(await run(["backup", copy])).toEqual({ code: 0, out: "", err: `wrote ${copy}\n` });
  expect((await run(["list"], ["--store", copy])).out).toBe((await run(["list"])).out);
  const again = await run(["backup", copy]);
  expect([again.code, again.err]).toEqual([1, `turnpike ledger: Cannot write the backup "${copy}": the file exists\n`]);
});

test("invalid arguments are reported, and nothing is shown", async () => {
  for (let i = 0; i < WRONG.length; i += 4) {
    const some = WRONG.slice(i, i + 4);
    const responses = await Promise.all(some.map(([args]) => run(args)));
    for (const [j, { code, out, err }] of responses.entries()) {
      expect(out).toBe("");
      expect(code).toBe(some[j]?.[1] ?? -1);
      expect(err).toContain(some[j]?.[2] ?? "?");
    }
  }
});
