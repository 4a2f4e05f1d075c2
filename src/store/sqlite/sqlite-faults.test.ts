import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteJobs } from "../open/open-jobs.ts";
import { openStore, openUsageStore } from "../open/open-store.ts";
import { type Store } from "../store.ts";
import { CREDIT } from "../testing/credits-contract.ts";
import { newJob } from "../testing/jobs-contract.ts";
import { REFUND, WISH } from "../testing/refunds-contract.ts";
import { RESERVATION } from "../testing/reservation.ts";
import { patient } from "../../lib/testing/patience.ts";
import { smallDisk } from "../../lib/testing/small-disk.ts";

const LEASE_MS = 15_000;

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-faults-"));

afterAll(() => rmSync(folder, { recursive: true }));

const NOTICE = { id: "notice", url: "https://books.example", body: "{}" };

/** Locks a file for writing, reports it, and unlocks it when its standard input ends. */
const LOCKER = `
  import { Database } from "bun:sqlite";
  const database = new Database(process.argv[1]);
  database.run("BEGIN IMMEDIATE");
  await Bun.write(Bun.stdout, "locked");
  await Bun.stdin.text();
  database.run("COMMIT");
`;

async function lock(path: string): Promise<{ letGo(): Promise<unknown> }> {
  const child = Bun.spawn([process.execPath, "-e", LOCKER, path], { stdin: "pipe", stdout: "pipe" });
  await child.stdout.getReader().read();
  return {
    letGo: async () => {
      await child.stdin.end();
      return child.exited;
    },
  };
}

test("a change waits for another process's write, then fails completely, and works later", async () => {
  const path = join(folder, "busy.db");
  const store = openStore(path, Date.now, 50);
  const { payment } = await store.ledger.reserve(RESERVATION);
  await store.ledger.move(payment, { state: "settling", lease: true });
  const locker = await lock(path);
  const settle = () =>
    store.ledger.move(payment, { state: "settled", lease: false, transaction: "0xtx", notice: NOTICE });
  expect(await settle().catch(codeOf)).toBe("SQLITE_BUSY");
  expect(await store.ledger.reserve({ ...RESERVATION, nonce: "0xnew" }).catch(codeOf)).toBe("SQLITE_BUSY");
  expect(await store.paymentIds.tie({ payer: "p", id: "i" }, "f", 5e12).catch(codeOf)).toBe("SQLITE_BUSY");
  // A read does not wait.
  expect(await store.ledger.find(RESERVATION)).toMatchObject({ state: "settling", transaction: "" });
  expect((await store.view.standing()).open).toBe(1);
  expect(await store.outbox.claim(1)).toEqual([]);
  await locker.letGo();
  expect(await settle()).toBe(true);
  expect(await store.outbox.claim(1)).toMatchObject([{ id: "notice" }]);
  await store.close();
});

test("a file that was moved, deleted or replaced refuses all writes until it is back", async () => {
  const own = join(folder, "moved");
  mkdirSync(own);
  const path = join(own, "ledger.db");
  const store = openStore(path);
  const jobs = openSqliteJobs(join(own, "jobs.db"));
  const { payment } = await store.ledger.reserve(RESERVATION);
  const writes = async (): Promise<(string | undefined)[]> => {
    const results = [
      store.ledger.reserve({ ...RESERVATION, nonce: "0xnew" }),
      store.ledger.move(payment, { state: "settling", lease: true }),
      store.paymentIds.tie({ payer: "p", id: "i" }, "f", 5e12),
      store.credits.rekey(CREDIT.id, "hash"),
      store.refunds.begin(REFUND, WISH),
      jobs.create(newJob(), []),
    ];
    return await Promise.all(results.map((result) => result.then(() => undefined, codeOf)));
  };
  const refused = Array<string>(6).fill("SQLITE_READONLY_DBMOVED");
  renameSync(own, `${own}.old`);
  expect(await writes()).toEqual(refused);
  mkdirSync(own);
  await openStore(path).close();
  await openSqliteJobs(join(own, "jobs.db")).close();
  expect(await writes()).toEqual(refused);
  rmSync(own, { recursive: true });
  renameSync(`${own}.old`, own);
  expect((await store.ledger.reserve({ ...RESERVATION, nonce: "0xback" })).leased).toBe(true);
  expect(await store.ledger.find({ ...RESERVATION, nonce: "0xnew" })).toBeUndefined();
  await store.close();
  await jobs.close();
});

test.each<[string, (path: string) => void]>([
  ["log was deleted", (path) => rmSync(`${path}-wal`)],
  ["log was replaced", (path) => (rmSync(`${path}-wal`), writeFileSync(`${path}-wal`, ""))],
  ["content was deleted", (path) => truncateSync(path)],
])("a file whose %s refuses all writes, because they would be lost with this process", async (what, spoil) => {
  const path = join(folder, `${what}.db`);
  const store = openStore(path);
  const { payment } = await store.ledger.reserve(RESERVATION);
  spoil(path);
  expect(await store.ledger.reserve({ ...RESERVATION, nonce: "0xnew" }).catch(codeOf)).toBe("SQLITE_READONLY_DBMOVED");
  expect(await store.ledger.move(payment, { state: "settling", lease: true }).catch(codeOf)).toBe(
    "SQLITE_READONLY_DBMOVED",
  );
  await store.close();
});

test("writes wait without blocking the event loop, and keep their order", async () => {
  const path = join(folder, "short.db");
  const store = openStore(path);
  const locker = await lock(path);
  const done: string[] = [];
  const writes = ["0x1", "0x2", "0x3"].map(async (nonce) => {
    const { leased } = await store.ledger.reserve({ ...RESERVATION, nonce });
    done.push(`${nonce} ${leased}`);
  });
  // The lock is released only after this process has done other work.
  for (let turn = 0; turn < 10; turn++) {
    // oxlint-disable-next-line no-await-in-loop -- turns of the event loop
    await Bun.sleep(1);
    expect(await store.ledger.find(RESERVATION)).toBeUndefined();
  }
  expect(done).toEqual([]);
  await locker.letGo();
  await Promise.all(writes);
  expect(done).toEqual(["0x1 true", "0x2 true", "0x3 true"]);
  await store.close();
});

test("waiting writes fail when the store is closed", async () => {
  const path = join(folder, "closed.db");
  const [store, usage] = [openStore(path), openUsageStore(path)];
  const locker = await lock(path);
  const writes = [store.ledger.reserve(RESERVATION), usage.reset("r", "g")].map((write) => write.catch(codeOf));
  await Promise.all([store.close(), usage.close()]);
  expect(await Promise.all(writes)).toEqual(["SQLITE_BUSY", "SQLITE_BUSY"]);
  await locker.letGo();
});

test("a settlement that waits for another process's write is still made when the store closes", async () => {
  const path = join(folder, "last.db");
  const store = openStore(path);
  const { payment } = await store.ledger.reserve(RESERVATION);
  const locker = await lock(path);
  const settled = store.ledger.move(payment, { state: "settled", lease: false, transaction: "0xtx" });
  const closed = store.close();
  await locker.letGo();
  expect(await settled).toBe(true);
  await closed;
  const after = openStore(path);
  expect(await after.ledger.find(payment)).toMatchObject({ state: "settled", transaction: "0xtx" });
  await after.close();
});

test("a fault of the file is not taken for a balance that is too small or too large", async () => {
  const path = join(folder, "fault.db");
  const store = openStore(path);
  const grant = { id: "g", kind: "issued", amount: "1", payment: "" } as const;
  await store.credits.open(CREDIT, grant);
  const file = new Database(path);
  for (const [table, event] of [
    ["payments", "INSERT"],
    ["credits", "UPDATE"],
  ])
    file.run(`CREATE TRIGGER fault_${table} BEFORE ${event} ON ${table} BEGIN INSERT INTO missing VALUES (1); END`);
  file.close();
  const faults: readonly Promise<unknown>[] = [
    store.ledger.reserve(RESERVATION),
    store.credits.add(CREDIT.id, { ...grant, id: "more" }, 0),
    store.credits.take(CREDIT.id, { ...grant, id: "less", kind: "refunded" }),
  ];
  const said = await Promise.all(faults.map((fault) => fault.catch(String)));
  for (const fault of said) expect(fault).toContain("no such table: main.missing");
  await store.close();
});

test("a write resolves only after it is made: no one does while another process has the file", async () => {
  const [path, jobsPath] = [join(folder, "late.db"), join(folder, "late-jobs.db")];
  const [store, jobs] = [openStore(path, Date.now, 50), openSqliteJobs(jobsPath)];
  const { payment } = await store.ledger.reserve(RESERVATION);
  const made = newJob();
  await jobs.create(made, []);
  const job = await jobs.find(made.id);
  if (job === undefined) throw new Error("the job is not there");
  const lockers = [await lock(path), await lock(jobsPath)];
  const { ledger, outbox, paymentIds, credits, channels, refunds } = store;
  const grant = { id: "g", kind: "issued", amount: "1", payment: "" } as const;
  const chain = { balance: "1", claimed: "0", withdrawAt: 0, refundNonce: "0" };
  const transfer = { ...RESERVATION, digest: "d", to: "t", transaction: "0xtx" };
  const use = { id: "s", turn: 1, state: new Uint8Array() };
  const hook = { jobId: made.id, job: 1, turn: 1, sent: 0, tries: 0, failure: "", failingSince: 0, isOver: false };
  const asked: Readonly<Record<string, Promise<unknown>>> = {
    reserve: ledger.reserve({ ...RESERVATION, nonce: "0xother" }),
    move: ledger.move(payment, { state: "settled", lease: true }),
    deliver: ledger.deliver(payment),
    repeat: ledger.repeat(payment, 1),
    forget: store.forget(1, 1),
    noticeDone: outbox.done("n"),
    postpone: outbox.postpone("n", 1),
    trim: outbox.trim(1),
    tie: paymentIds.tie({ payer: "p", id: "i" }, "f", 5e12),
    untie: paymentIds.untie({ payer: "p", id: "i" }, "f"),
    book: store.simulatedTransfers.book(transfer),
    add: store.usage.add({ gateway: "g", sequence: 1, routes: [], upstreams: [], funnel: [] }),
    reset: store.usage.reset("r", "g"),
    addCredit: credits.add("c", grant, 0),
    rekey: credits.rekey("c", "h"),
    revoke: credits.revoke("c"),
    takeCredit: credits.take("c", grant),
    sync: channels.sync("c", chain, 0),
    refundChannel: channels.refund("c"),
    closeChannel: channels.close("c"),
    demand: channels.demand("c"),
    channelDone: channels.done("c", chain, 0),
    giveUp: channels.done("c", undefined, 0),
    refuse: channels.refuse("c"),
    writeOff: channels.writeOff("c"),
    forgetEmpty: channels.forgetEmpty(0, 1),
    beginRefund: refunds.begin(payment, WISH),
    sending: refunds.sending(REFUND),
    postponeRefund: refunds.postpone(REFUND, 1, ""),
    endRefund: refunds.end(REFUND, { state: "settled", transaction: "0xtx", reason: "" }),
    create: jobs.create(newJob(), []),
    take: jobs.take(job, { hosts: 1, addresses: 1, delayMs: 0 }),
    renew: jobs.renew(job, []),
    finish: jobs.finish(job, { finished: [], found: [] }),
    end: jobs.end(made.id, "cancelled", ""),
    begin: jobs.begin(made.id),
    paid: jobs.paid(made.id, { pages: 1, amount: "1", transaction: "", isClosed: false }),
    rename: jobs.rename(made.id, { secretHash: "h", sale: "" }),
    sweep: jobs.sweep(),
    addHook: jobs.hooks.add(made.id),
    record: jobs.hooks.record(hook, { sent: 0, tries: 0, failure: "", nextMs: 1 }),
    createSession: jobs.sessions.create({ id: "s", secretHash: "h", ttlMs: 1, idleMs: 1 }),
    takeSession: jobs.sessions.take("s"),
    renewSession: jobs.sessions.renew(use),
    leave: jobs.sessions.leave(use),
    removeSession: jobs.sessions.remove("s"),
  };
  const settled = Promise.allSettled(Object.values(asked));
  await Promise.all([store.close(), jobs.close()]);
  const outcomes = await settled;
  expect(Object.keys(asked).filter((_, i) => outcomes[i]?.status === "fulfilled")).toEqual([]);
  for (const locker of lockers) await locker.letGo();
});

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** Settles payments until a write fails. Returns the nonce of that payment, and the error code. */
async function fill(store: Store): Promise<{ nonce: string; code: string }> {
  for (let i = 0; ; i++) {
    const nonce = `0x${i}`;
    try {
      const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce, payload: "signed".repeat(500) });
      await store.ledger.move(payment, { state: "settling", lease: true });
      await store.ledger.move(payment, {
        state: "settled",
        lease: false,
        transaction: "0xtx",
        notice: { ...NOTICE, id: nonce },
      });
    } catch (error) {
      return { nonce, code: codeOf(error) };
    }
  }
}

function expectWhole(path: string): void {
  const database = new Database(path);
  const one = (sql: string): unknown => Object.values(database.query<Record<string, unknown>, []>(sql).get() ?? {})[0];
  expect(one("PRAGMA integrity_check")).toBe("ok");
  expect(one("SELECT count(*) FROM payments WHERE state = 'settled'")).toBe(one("SELECT count(*) FROM outbox"));
  expect(one("SELECT count(*) FROM payments WHERE (state = 'settled') <> (tx = '0xtx')")).toBe(0);
  database.close();
}

test("on a full disk a change fails completely, and works later", async () => {
  using disk = smallDisk("1m");
  // Then only the next test covers this.
  if (!disk.isMounted) return;
  const path = join(disk.path, "full.db");
  const ballast = join(disk.path, "ballast");
  writeFileSync(ballast, Buffer.alloc(400_000));
  const store = openStore(path);
  const { nonce, code } = await fill(store);
  expect(code).toMatch(/^SQLITE_(FULL|IOERR)/);
  expect(await store.ledger.find({ ...RESERVATION, nonce: "0x0" })).toMatchObject({ state: "settled" });
  rmSync(ballast);
  const key = { ...RESERVATION, nonce: `${nonce}-again` };
  expect((await store.ledger.reserve(key)).leased).toBe(true);
  await store.close();
  expectWhole(path);
});

const FILLER = `
  import { openStore } from ${JSON.stringify(join(import.meta.dir, "../open/open-store.ts"))};
  const [path, reservation, notice] = process.argv.slice(1);
  const { ledger } = openStore(path);
  const first = { ...JSON.parse(reservation), nonce: "0x0" };
  let code = "";
  for (let i = 0; code === ""; i++) {
    const nonce = "0x" + i;
    try {
      const { payment } = await ledger.reserve({ ...first, nonce, payload: "signed".repeat(500) });
      await ledger.move(payment, { state: "settling", lease: true });
      await ledger.move(payment, {
        state: "settled", lease: false, transaction: "0xtx", notice: { ...JSON.parse(notice), id: nonce },
      });
    } catch (error) {
      code = error.code;
    }
  }
  await Bun.write(Bun.stdout, code + " " + (await ledger.find(first)).state);
  process.exit();
`;

test("if the file cannot grow, a change fails completely, and earlier changes can be read", async () => {
  const path = join(folder, "limited.db");
  const limited = `trap '' XFSZ; ulimit -f 1000; exec "$0" -e "$@"`;
  const args = [FILLER, path, JSON.stringify(RESERVATION), JSON.stringify(NOTICE)];
  const child = Bun.spawn(["sh", "-c", limited, process.execPath, ...args]);
  expect(await new Response(child.stdout).text()).toMatch(/^SQLITE_(FULL|IOERR\w*) settled$/);
  expectWhole(path);
});

test("a lease from before the clock was set back ends at once for all other processes", async () => {
  const clock = { now: Date.now() };
  const store = openStore(":memory:", () => clock.now);
  await store.ledger.reserve(RESERVATION);
  clock.now -= LEASE_MS;
  expect((await store.ledger.reserve(RESERVATION)).leased).toBe(false);
  clock.now -= 1;
  expect(await store.ledger.reserve(RESERVATION)).toMatchObject({ leased: true, payment: { attempt: 2 } });
  await store.close();
});

test("renewals prolong leases by the machine's clock, and do not acquire released ones", async () => {
  const steady = { now: 1_000_000 };
  using timers = spyOn(globalThis, "setInterval");
  const store = openStore(":memory:", Date.now, undefined, () => steady.now);
  const [tend] = timers.mock.calls.find(([, ms]) => ms === LEASE_MS / 3) ?? [];
  if (typeof tend !== "function") throw new Error("Nothing gives signs of life");
  const { ledger } = store;
  const given = { ...RESERVATION, nonce: "given back" };
  const { payment: back } = await ledger.reserve(given);
  await ledger.move(back, { state: "settled", lease: false, delivered: false });
  const { payment } = await ledger.reserve(RESERVATION);
  await ledger.move(payment, { state: "verified", lease: true });
  const isFree = async (): Promise<boolean> => (await ledger.reserve(RESERVATION)).leased;
  expect(await isFree()).toBe(false);
  steady.now += LEASE_MS;
  tend();
  expect((await ledger.reserve(given)).leased).toBe(true);
  steady.now += LEASE_MS;
  expect(await isFree()).toBe(false);
  steady.now += 1;
  expect(await isFree()).toBe(true);
  await store.close();
});
