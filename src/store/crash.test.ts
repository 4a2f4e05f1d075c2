import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fractionsOf } from "../lib/testing/mulberry32.ts";
import { RESERVATION as PAYMENT } from "./testing/reservation.ts";
import { type PaymentState } from "./ledger.ts";
import { openStore } from "./open/open-store.ts";
import { patient } from "../lib/testing/patience.ts";

const LEASE_MS = 15_000;

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-crash-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** Takes a payment to the given state, reports it, and waits to be killed. */
const CHILD = `
  import { openStore } from ${JSON.stringify(join(import.meta.dir, "open/open-store.ts"))};
  const [path, payment, states] = process.argv.slice(1);
  const { ledger } = openStore(path);
  const claim = await ledger.reserve(JSON.parse(payment));
  for (const state of JSON.parse(states)) await ledger.move(claim.payment, { state, lease: true });
  console.log("ready");
  setInterval(() => {}, 1000);
`;

const STEPS: readonly (readonly [states: readonly PaymentState[], after: PaymentState])[] = [
  [[], "reserved"],
  [["verified"], "reserved"],
  [["verified", "settling"], "unknown"],
  [["verified", "settling", "settled"], "settled"],
];

for (const [states, after] of STEPS) {
  test(`killed when ${states.at(-1) ?? "reserved"}, the payment is ${after} to the client's retry`, async () => {
    const path = join(folder, `${states.at(-1) ?? "reserved"}.db`);
    const child = Bun.spawn([process.execPath, "-e", CHILD, path, JSON.stringify(PAYMENT), JSON.stringify(states)], {
      stdout: "pipe",
    });
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("ready\n");
    child.kill("SIGKILL");
    await child.exited;

    const early = openStore(path);
    expect(await early.ledger.find(PAYMENT)).toMatchObject({ state: states.at(-1) ?? "reserved" });
    expect((await early.ledger.reserve(PAYMENT)).leased).toBe(false);
    await early.close();

    const later = openStore(path, () => Date.now() + LEASE_MS + 1);
    expect(await later.ledger.reserve(PAYMENT)).toMatchObject({ leased: true, payment: { state: after, attempt: 2 } });
    await later.close();
  });
}

/** Settles payments one after the other, half of them with a charge, and reports each as soon as it is written. */
const WRITER = `
  import { openStore } from ${JSON.stringify(join(import.meta.dir, "open/open-store.ts"))};
  const [path, payment, writer] = process.argv.slice(1);
  const { ledger } = openStore(path);
  for (let i = 0; ; i++) {
    const nonce = writer + "-" + i;
    const { payment: held } = await ledger.reserve({ ...JSON.parse(payment), nonce, payload: "signed" });
    await ledger.move(held, { state: "verified", lease: true });
    await ledger.move(held, { state: "settling", lease: true, amount: String(i) });
    const notice = { id: nonce, url: "https://books.example", body: nonce };
    await ledger.move(held, { state: "settled", lease: true, transaction: "tx-" + nonce, notice });
    await Bun.write(Bun.stdout, nonce + "\\n");
    await ledger.move(held, { state: "settled", lease: false, delivered: true });
  }
`;

/** Each crash has two writers at once. They start in about 0.2 s. */
const CRASHES = 25;
/** Maximum number of payments that a writer settles before it is killed. */
const MOST_SETTLED = 40;
/** About the time that a writer needs for one payment. */
const LONGEST_DELAY_MS = 1;

interface Books {
  readonly settled: ReadonlySet<string>;
  readonly noticed: ReadonlySet<string>;
  /** Rows that no sequence of complete changes can leave. */
  readonly halves: number;
  readonly integrity: string | undefined;
}

function readBooks(path: string): Books {
  const database = new Database(path, { readonly: true });
  const names = (sql: string): Set<string> =>
    new Set(
      database
        .query<{ name: string }, []>(sql)
        .all()
        .map(({ name }) => name),
    );
  const books: Books = {
    settled: names("SELECT nonce AS name FROM payments WHERE state = 'settled'"),
    noticed: names("SELECT id AS name FROM outbox WHERE body = id"),
    halves: names(`SELECT nonce AS name FROM payments WHERE
      (state = 'settled') <> (tx = 'tx-' || nonce) OR (state = 'settled') <> (payload = '') OR (delivered = 1 AND state <> 'settled')
      OR (state IN ('settling', 'settled') AND amount <> substr(nonce, instr(nonce, '-') + 1))`).size,
    integrity: database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").get()?.integrity_check,
  };
  database.close();
  return books;
}

/**
 * `chance` is from 0 to 1. It decides after how many payments, and after which delay, the writer is killed, so that
 * each step is hit.
 */
async function writeUntilKilled(path: string, writer: string, chance: number): Promise<string[]> {
  const child = Bun.spawn([process.execPath, "-e", WRITER, path, JSON.stringify(PAYMENT), writer], { stdout: "pipe" });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split("\n").length <= 1 + chance * MOST_SETTLED) continue;
    const end = performance.now() + ((chance * 1000) % 1) * LONGEST_DELAY_MS;
    while (performance.now() < end);
    child.kill("SIGKILL");
  }
  await child.exited;
  // The last line may be cut off.
  return text.split("\n").slice(0, -1);
}

test("writers that are killed at any moment lose no payment that they reported as settled, and leave no partial change", async () => {
  const seed = Date.now() >>> 0;
  const random = fractionsOf(seed);
  const path = join(folder, "writers.db");
  const said: string[] = [];
  let before = 0;
  for (let crash = 0; crash < CRASHES; crash++) {
    const writers = ["a", "b"].map((name) => writeUntilKilled(path, `${name}${crash}`, random()));
    said.push(...(await Promise.all(writers)).flat());
    const { settled, noticed, halves, integrity } = readBooks(path);
    const note = `seed ${seed}, crash ${crash}`;
    expect({ note, integrity, halves }).toEqual({ note, integrity: "ok", halves: 0 });
    expect({ note, lost: said.filter((nonce) => !settled.has(nonce)) }).toEqual({ note, lost: [] });
    expect({ note, odd: [...settled.symmetricDifference(noticed)] }).toEqual({ note, odd: [] });
    expect(settled.size).toBeGreaterThan(before);
    before = settled.size;
  }
});
