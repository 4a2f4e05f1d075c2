/** Every result waits for the response of the database. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { type ChannelIdentity } from "../channels.ts";
import { type NewCredit } from "../credits.ts";
import { PAGE } from "../jobs/job-store.ts";
import { newJob } from "../testing/jobs-contract.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { REFUND, WISH } from "../testing/refunds-contract.ts";
import { startRelay } from "../testing/relay.ts";
import { RESERVATION as PAYMENT } from "../testing/reservation.ts";
import {
  openPostgresCertificates,
  openPostgresJobs,
  openPostgresStore,
  openPostgresTemplates,
} from "./open-postgres-store.ts";

const CREDIT: NewCredit = {
  id: "c",
  hash: "h",
  owner: "p",
  unit: "money",
  name: "",
  network: "n",
  token: "t",
  routes: [],
  expiresAt: 0,
};
const GRANT = { id: "g", kind: "issued", amount: "1", payment: "" } as const;
const CHANNEL: ChannelIdentity = {
  id: "c",
  network: "n",
  payer: "p",
  payerAuthorizer: "a",
  receiver: "r",
  receiverAuthorizer: "s",
  token: "t",
  withdrawDelay: 900,
  salt: "",
};
const CHAIN = { balance: "1", claimed: "0", withdrawAt: 0, refundNonce: "0" };

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  test("a result comes only after the database has confirmed it", async () => {
    const user = await server.newUser();
    using relay = await startRelay(server.port);
    const settings = server.settings({ user, statementMs: patient(100), size: 20 });
    const store = openPostgresStore({ ...settings, target: { ...settings.target, port: relay.port } });
    await store.ready();
    const { payment } = await store.ledger.reserve(PAYMENT);
    relay.loses = true;
    const id = { payer: "p", id: "i" };
    const page = { limit: 1 };
    const asked: Readonly<Record<string, Promise<unknown>>> = {
      reserve: store.ledger.reserve({ ...PAYMENT, nonce: "another" }),
      move: store.ledger.move(payment, { state: "settled", lease: true }),
      release: store.ledger.move(payment, { state: "released", lease: false }),
      report: store.ledger.move(payment, { state: "settled", lease: true, notice: { id: "n", url: "u", body: "b" } }),
      find: store.ledger.find(PAYMENT),
      claimOpen: store.ledger.claimOpen(1),
      forget: store.forget(0, 1),
      list: store.view.list({}, page),
      totals: store.view.totals("route", {}),
      standing: store.view.standing(),
      claim: store.outbox.claim(1),
      done: store.outbox.done("n"),
      postpone: store.outbox.postpone("n", 1),
      trim: store.outbox.trim(1),
      size: store.outbox.size(),
      tie: store.paymentIds.tie(id, "f", 5e12),
      untie: store.paymentIds.untie(id, "f"),
      book: store.simulatedTransfers.book({ ...PAYMENT, digest: "d", to: "t", amount: "1", transaction: "0xtx" }),
      recorded: store.simulatedTransfers.find(PAYMENT),
      add: store.usage.add({ gateway: "g", sequence: 1, routes: [], upstreams: [], funnel: [] }),
      read: store.usage.read("g"),
      reset: store.usage.reset("r", "g"),
      deliver: store.ledger.deliver(PAYMENT),
      repeat: store.ledger.repeat(PAYMENT, 1),
      openCredit: store.credits.open(CREDIT, GRANT),
      addCredit: store.credits.add("c", GRANT, 0),
      rekey: store.credits.rekey("c", "h"),
      revoke: store.credits.revoke("c"),
      takeCredit: store.credits.take("c", GRANT),
      findCredit: store.credits.find("c"),
      listCredits: store.credits.list({}, 1),
      grants: store.credits.grants("c", 1),
      isGranted: store.credits.isGranted("g"),
      charges: store.credits.charges("c", 1),
      findChannel: store.channels.find("c"),
      openChannel: store.channels.open(CHANNEL, CHAIN, 0),
      sync: store.channels.sync("c", CHAIN, 0),
      work: store.channels.work({ charges: 1, owed: "1", deniable: "1", owedBefore: 0, syncedBefore: 0 }, 1),
      refundChannel: store.channels.refund("c"),
      closeChannel: store.channels.close("c"),
      demand: store.channels.demand("c"),
      channelDone: store.channels.done("c", CHAIN, 0),
      giveUp: store.channels.done("c", undefined, 0),
      refuse: store.channels.refuse("c"),
      writeOff: store.channels.writeOff("c"),
      isBarred: store.channels.isBarred("p"),
      listChannels: store.channels.list(undefined, 1),
      risks: store.channels.risks(),
      forgetEmpty: store.channels.forgetEmpty(0, 1),
      beginRefund: store.refunds.begin(PAYMENT, WISH),
      beginCredit: store.refunds.beginCredit({ ...WISH, credit: "c", obstacle: () => undefined }),
      claimRefunds: store.refunds.claim(1),
      sending: store.refunds.sending(REFUND),
      postponeRefund: store.refunds.postpone(REFUND, 1, ""),
      endRefund: store.refunds.end(REFUND, { state: "settled", transaction: "0xtx", reason: "" }),
      owed: store.refunds.owed(["p"], 1, 1),
      pending: store.refunds.pending(),
    };
    const outcomes = await Promise.allSettled(Object.values(asked));
    const done = Object.keys(asked).filter((_, i) => outcomes[i]?.status === "fulfilled");
    expect(done).toEqual([]);
    relay.loses = false;
    await store.close();
  });

  test("a result about jobs, pages and certificates comes only after the database has confirmed it", async () => {
    const user = await server.newUser();
    using relay = await startRelay(server.port);
    const settings = server.settings({ user, statementMs: patient(100), size: 30 });
    const lossy = { ...settings, target: { ...settings.target, port: relay.port } };
    const store = openPostgresJobs(lossy);
    const certificates = openPostgresCertificates(lossy);
    const templates = openPostgresTemplates(lossy);
    await Promise.all([store.ready(), certificates.read(), templates.exchange([])]);
    const made = newJob();
    await store.create(made, []);
    const job = await store.find(made.id);
    if (job === undefined) throw new Error("the job is not there");
    const taken = { key: "1", host: "1", url: "u", task: PAGE, depth: 0, tries: 1, startMs: 0 };
    const hook = { jobId: made.id, job: 1, turn: 1, sent: 0, tries: 0, failure: "", failingSince: 0, isOver: false };
    const use = { id: "s", turn: 1, state: new Uint8Array() };
    const { hooks, sessions } = store;
    relay.loses = true;
    const asked: Readonly<Record<string, Promise<unknown>>> = {
      create: store.create(newJob(), []),
      find: store.find(made.id),
      running: store.running(),
      newest: store.newest(1),
      take: store.take(job, { hosts: 1, addresses: 1, delayMs: 0 }),
      renew: store.renew(job, [taken]),
      finish: store.finish(job, { finished: [{ taken, kind: "page-failed" }], found: [] }),
      end: store.end(made.id, "cancelled", ""),
      paid: store.paid(made.id, { pages: 1, amount: "1", transaction: "", isClosed: false }),
      rename: store.rename(made.id, { secretHash: "h", sale: "" }),
      results: store.results(job, 0, 1),
      sweep: store.sweep(),
      addHook: hooks.add(made.id),
      takeHooks: hooks.take(1, false),
      record: hooks.record(hook, { sent: 0, tries: 0, failure: "", nextMs: 1 }),
      hookOf: hooks.of(1),
      createSession: sessions.create({ id: "s", secretHash: "h", ttlMs: 1, idleMs: 1 }),
      findSession: sessions.find("s"),
      stateOf: sessions.stateOf("s"),
      withSecret: sessions.withSecret("h"),
      takeSession: sessions.take("s"),
      renewSession: sessions.renew(use),
      leave: sessions.leave(use),
      keep: sessions.leave(use, new Uint8Array([1])),
      removeSession: sessions.remove("s"),
      readCertificates: certificates.read(),
      write: certificates.write("a", "1"),
      removeCertificate: certificates.write("a", undefined),
      lease: certificates.lease(1),
      letGo: certificates.lease(0),
      exchange: templates.exchange([]),
    };
    const outcomes = await Promise.allSettled(Object.values(asked));
    const done = Object.keys(asked).filter((_, i) => outcomes[i]?.status === "fulfilled");
    expect(done).toEqual([]);
    relay.loses = false;
    await Promise.all([store.close(), certificates.close(), templates.close()]);
  });
});
