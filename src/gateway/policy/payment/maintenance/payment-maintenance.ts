import { type Facilitator } from "../../../../payments/x402/facilitator.ts";
import type * as Posters from "../../../../payments/settlement/webhooks/webhook-poster.ts";
import type * as Claimers from "../../../../payments/channels/claimer.ts";
import type * as FacilitatorsFor from "../../../../payments/channels/facilitator-for.ts";
import type * as ChannelSettings from "../../../../payments/channels/settings.ts";
import type * as Collectors from "../../../../payments/settlement/collector.ts";
import type * as Reconcilers from "../../../../payments/settlement/reconciler.ts";
import { type Environment } from "../../../../payments/facilitator/secrets.ts";
import type * as Records from "../../../../payments/settlement/settlement-record.ts";
import { parseSecrets } from "../../../../payments/settlement/webhooks/webhook-secret.ts";
import { findAsset } from "../../../../payments/x402/assets.ts";
import { formatAmount } from "../../../../payments/x402/price.ts";
import { type Risk } from "../../../../store/channels.ts";
import { CREDIT_SCHEME } from "../../../../store/credits.ts";
import { type Change, type Ledger, type Payment } from "../../../../store/ledger.ts";
import { type NewNotice } from "../../../../store/outbox.ts";
import { type Store } from "../../../../store/store.ts";
import { type Config, type RouteConfig } from "../../../config/config.ts";
import { hasChannels } from "../../../config/has-channels.ts";
import { routeName } from "../../../routing/route-name.ts";
import { type OnEvent } from "../../../telemetry/event.ts";
import { type Counts } from "../../../telemetry/metrics/counts.ts";
import { type LedgerWatch } from "./ledger-watch.ts";
import { channelEvent, deferredEvent, paymentEvent } from "./payment-events.ts";
import { Retention } from "./retention.ts";

/** Loaded when a ledger is opened (bench start). */
const posters = (): typeof Posters => require("../../../../payments/settlement/webhooks/webhook-poster.ts");
const records = (): typeof Records => require("../../../../payments/settlement/settlement-record.ts");
const reconcilers = (): typeof Reconcilers => require("../../../../payments/settlement/reconciler.ts");
const collectors = (): typeof Collectors => require("../../../../payments/settlement/collector.ts");
const claimers = (): typeof Claimers => require("../../../../payments/channels/claimer.ts");
const facilitatorsFor = (): typeof FacilitatorsFor => require("../../../../payments/channels/facilitator-for.ts");

/** Loaded with the first route that takes payments from channels. */
const channelSettings = (): typeof ChannelSettings => require("../../../../payments/channels/settings.ts");

/** Milliseconds between two counts of the open payments. */
const COUNT_MS = 2000;

/** The facts of a paid route that the maintenance of its payments needs. */
export interface Seller {
  /** The route's name in the ledger. */
  readonly route: string;
  readonly facilitator: Facilitator;
  readonly target: Records.SettlementTarget;
  readonly upstream: Collectors.AskUpstream;
}

export interface MaintenanceSettings {
  readonly sellers: readonly Seller[];
  readonly testMode: boolean;
  readonly keepDays: number;
  /** Each secret signs the records; empty if no secret is set. */
  readonly secrets: readonly Uint8Array[];
  /** Undefined if no route takes payments from channels. */
  readonly channels?: ChannelSettings.ChannelSettings | undefined;
  /** False if no route reports and no secret is set: records of an earlier configuration wait. */
  readonly posts: boolean;
}

export interface MaintenanceDeps extends Pick<Reconcilers.ReconcilerOptions, "clock" | "random" | "log"> {
  readonly store: Store;
  readonly counts: Counts;
  readonly onEvent: OnEvent;
  readonly watch: LedgerWatch;
}

interface MaintenanceParts {
  readonly environment: Environment;
  readonly callOf: (route: RouteConfig) => Collectors.AskUpstream;
}

/** The maintenance settings of a configuration. Throws if the configured secret is not valid. */
export function maintenanceSettings(
  { routes, x402 }: Config,
  lease: { forRoute(routeUrl: string): { readonly facilitator: Facilitator } },
  { environment, callOf }: MaintenanceParts,
): MaintenanceSettings {
  const { test_mode: testMode, ledger_keep_days: keepDays, settlement_secret_env: name } = x402;
  const sellers = routes.flatMap((route) => {
    const { x402: terms } = route;
    if (terms === undefined) return [];
    const { settlement_url, gateway_id } = terms;
    const { facilitator } = lease.forRoute(terms.facilitator_url);
    const target = { settlement_url, gateway_id, testMode };
    return [{ route: routeName(route), facilitator, target, upstream: callOf(route) }];
  });
  const reports = sellers.some(({ target }) => target.settlement_url !== "");
  const secrets = parseSecrets(name, environment[name]);
  const channels = hasChannels(routes) ? channelSettings().readChannelSettings(x402.channels, environment) : undefined;
  return { sellers, testMode, keepDays, secrets, channels, posts: reports || secrets.length > 0 };
}

/** Maintains a process's ledger: it resolves open payments, reports settlements and removes old ones. */
export class PaymentMaintenance {
  readonly #deps: MaintenanceDeps;
  #settings: MaintenanceSettings;
  readonly #reconciler: Reconcilers.Reconciler;
  readonly #collector: Collectors.Collector;
  readonly #poster: Posters.OutboxPoster;
  readonly #claimer: Claimers.Claimer;
  readonly #retention: Retention;
  readonly #counting: NodeJS.Timeout;

  constructor(deps: MaintenanceDeps, settings: MaintenanceSettings) {
    this.#deps = deps;
    this.#settings = settings;
    const { store, counts, clock, random, log } = deps;
    this.#reconciler = new (reconcilers().Reconciler)({
      ledger: counted(store.ledger, deps),
      channels: store.channels,
      facilitators: (payment) => facilitatorsOf(this.#settings.sellers, payment),
      testMode: () => this.#settings.testMode,
      notice: (payment, settled) => noticeOf(this.#settings.sellers, payment, settled),
      clock,
      random,
      log,
    });
    this.#collector = new (collectors().Collector)({
      ledger: counted(store.ledger, deps),
      upstream: ({ route }) => this.#settings.sellers.find((seller) => seller.route === route)?.upstream,
      facilitator: (payment) => facilitatorsOf(this.#settings.sellers, payment)[0],
      outcomeOf: (payment) => this.#reconciler.outcomeOf(payment),
      testMode: () => this.#settings.testMode,
      notice: (payment, settled) => noticeOf(this.#settings.sellers, payment, settled),
      onTrouble: (payment, trouble, failures) => {
        counts.add("deferredTrouble", 1, trouble);
        const event = deferredEvent(payment, trouble, failures);
        if (event !== undefined) deps.onEvent(event);
      },
      clock,
      log,
    });
    this.#poster = new (posters().OutboxPoster)({
      outbox: store.outbox,
      secrets: () => this.#settings.secrets,
      clock,
      random,
      log,
      watcher: {
        ended: (result, number) => counts.add("records", number, result),
        waiting: (number) => counts.set("recordsWaiting", number),
      },
    });
    this.#claimer = claimerOf(deps, () => this.#settings);
    this.#retention = new Retention({ store, clock, log, keepDays: () => this.#settings.keepDays });
    this.#counting = setInterval(() => void this.#count(), COUNT_MS);
  }

  start(): void {
    this.#reconciler.start();
    this.#collector.start();
    this.#retention.start();
    if (this.#settings.channels !== undefined) this.#claimer.start();
    void this.#count();
    if (this.#settings.posts) this.#poster.start();
  }

  /** Charges of channels are claimed until the process ends, also if the configuration takes no more payments from channels. */
  use({ channels = this.#settings.channels, ...settings }: MaintenanceSettings): void {
    this.#settings = { ...settings, channels };
    if (settings.posts) this.#poster.start();
    if (channels !== undefined) this.#claimer.start();
  }

  /** A charge was deferred. */
  collect(): void {
    this.#collector.wake();
  }

  /** Resolves when the store may be closed: `graceMs` is the time for claims. */
  async close(graceMs?: number): Promise<void> {
    clearInterval(this.#counting);
    await Promise.all([
      this.#reconciler.close(),
      this.#collector.close(),
      this.#poster.close(),
      this.#retention.close(),
      this.#claimer.close(graceMs),
    ]);
  }

  async #count(): Promise<void> {
    const { store, counts, clock, watch } = this.#deps;
    try {
      const { open, deferred } = await store.view.standing();
      counts.set("paymentsOpen", open);
      counts.set("paymentsDeferred", deferred);
      watch.read(true);
    } catch {
      // The store is busy or unreachable: the figure stays as it was.
      watch.read(false);
      return;
    }
    await watch.tryAgain(store, clock());
  }
}

/** The claimer of a process. Any facilitator of the payments may work on a channel. */
function claimerOf(deps: MaintenanceDeps, settings: () => MaintenanceSettings): Claimers.Claimer {
  const { store, counts, onEvent, clock, log } = deps;
  return new (claimers().Claimer)({
    channels: store.channels,
    settings: () => settings().channels,
    facilitator: ({ network }) =>
      facilitatorsFor().facilitatorFor(
        network,
        settings().sellers.map(({ facilitator }) => facilitator),
      ),
    onTrouble: (channel, trouble) => {
      counts.add("channelClaims", 1, trouble);
      onEvent(channelEvent(channel, trouble));
    },
    onRisks: (risks) => countRisks(risks, counts),
    onClaimed: () => counts.add("channelClaims", 1, "claimed"),
    clock,
    log,
  });
}

function countRisks(risks: readonly Risk[], counts: Counts): void {
  const sum = (valueOf: (risk: Risk) => number): number => risks.reduce((total, risk) => total + valueOf(risk), 0);
  const dollars = (part: "owed" | "lost"): number => sum((risk) => dollarsOf(risk, risk[part]));
  counts.set(
    "channelsOwing",
    sum(({ channels }) => channels),
  );
  counts.set(
    "channelsWithdrawing",
    sum(({ withdrawing }) => withdrawing),
  );
  counts.set("channelRisk", dollars("owed"));
  counts.set("channelLost", dollars("lost"));
}

function dollarsOf({ network, token }: Risk, amount: string): number {
  const asset = findAsset(network, token);
  return asset === undefined ? 0 : Number(formatAmount(amount, asset.decimals));
}

/** The same ledger, which also counts the outcomes of payments and failed writes, and reports trouble as events. */
export function counted(
  ledger: Ledger,
  { counts, onEvent, watch }: Pick<MaintenanceDeps, "counts" | "onEvent" | "watch">,
): Ledger {
  const tell = (before: Payment, change: Change): void => {
    count(before, change, counts);
    const event = paymentEvent(before, change);
    if (event !== undefined) onEvent(event);
  };
  const move = (payment: Payment, change: Change): Promise<boolean> =>
    watch.writing(ledger.move(payment, change), (moved) => moved);
  return {
    reserve: (reservation, maxPartials) =>
      watch.writing(ledger.reserve(reservation, maxPartials), ({ leased }) => leased),
    find: (key) => ledger.find(key),
    repeat: (payment, most) => watch.writing(ledger.repeat(payment, most), (repeated) => repeated),
    claimOpen: (limit) => watch.writing(ledger.claimOpen(limit), (claimed) => claimed.length > 0),
    claimDue: (limit) => watch.writing(ledger.claimDue(limit), (claimed) => claimed.length > 0),
    close: () => ledger.close(),
    async deliver(payment) {
      const delivered = await watch.writing(ledger.deliver(payment), (changed) => changed);
      if (delivered) counts.add("payments", 1, "delivered");
      return delivered;
    },
    async move(payment, change) {
      const isEnd = change.state === "settled" && !change.lease;
      // Another request may have received the response meanwhile: then it is counted already, and not undelivered.
      if (isEnd && (await move(payment, { ...change, ifUndelivered: true }))) tell(payment, change);
      else if (!(await move(payment, change))) return false;
      else tell(isEnd ? { ...payment, delivered: true } : payment, change);
      return true;
    },
  };
}

function count(before: Payment, { state, transaction, delivered }: Change, counts: Counts): void {
  const isCharge = before.scheme === CREDIT_SCHEME;
  if (isCharge && (state === "released" || state === "failed")) counts.add("charges", 1, "returned");
  if (isCharge && state === "settled" && transaction !== undefined) counts.add("charges", 1, "charged");
  if (delivered === true && !before.delivered) counts.add("payments", 1, "delivered");
  // A settlement is written with its transaction. A later change of the same payment is not another settlement.
  if (state === "settled" && transaction !== undefined && before.transaction === "")
    counts.add("payments", 1, "settled");
  if (state === "released" || state === "failed") counts.add("payments", 1, state);
  if (state === "unknown" && before.state !== "unknown") counts.add("payments", 1, state);
}

/** Those with the facilitator that was asked to settle, then those of the payment's route. Others may query its chain. */
function facilitatorsOf(sellers: readonly Seller[], { route, facilitator: name }: Payment): readonly Facilitator[] {
  const named = sellers.filter(({ facilitator }) => facilitator.has?.(name) === true);
  const own = sellers.filter((seller) => seller.route === route);
  return [...new Set([...named, ...own, ...sellers].map(({ facilitator }) => facilitator))];
}

function noticeOf(sellers: readonly Seller[], payment: Payment, settled: Records.Settled): NewNotice | undefined {
  const seller = sellers.find(({ route, target }) => route === payment.route && target.settlement_url !== "");
  return seller === undefined ? undefined : records().settlementNotice(seller.target, payment, settled);
}
