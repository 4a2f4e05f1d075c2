import { inSlices } from "../../../lib/slices.ts";
import { requireLoopback } from "../../../payments/facilitator/loopback-only.ts";
import { type Facilitators, type Lease } from "../../../payments/facilitator/facilitators.ts";
import type * as ChannelSettings from "../../../payments/channels/settings.ts";
import type * as Templates from "../../../payments/x402/template.ts";
import type * as Blockhashes from "../../../payments/solana-node/blockhashes.ts";
import type * as ChainSettings from "../../../payments/facilitator/chain-settings.ts";
import { isSolana, parseNetwork } from "../../../payments/x402/networks.ts";
import { type AskUpstream } from "../../../payments/settlement/collector.ts";
import { type Store } from "../../../store/store.ts";
import { type RouteConfig } from "../../config/config.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { routeName } from "../../routing/route-name.ts";
import { type Routable } from "../../routing/routable.ts";
import { type RouteTable } from "../../routing/table.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type Ledger } from "../../../store/ledger.ts";
import { type Decision, type PolicyFeature } from "../policy.ts";
import type * as Catalogues from "./catalogue.ts";
import { type Challenge } from "./challenge/challenge.ts";
import type * as Challenges from "./challenge/check-challenges.ts";
import { type RouteLimits } from "../rate-limit/provide-rate-limits.ts";
import { type CreditDesk } from "./credit/credit-desk.ts";
import type * as CreditPolicies from "./create-credit-policy.ts";
import { BLOCKHASH_PATH, CREDIT_PATH } from "../../config/own-paths.ts";
import type * as ChallengeSecrets from "./mpp/challenge-secrets.ts";
import type * as PaymentAuths from "./mpp/payment-auth.ts";
import type * as ChannelDesks from "./channels/desk/channel-desk.ts";
import { hasChannels } from "../../config/has-channels.ts";
import { isContentRoute } from "./content-route.ts";
import { type LedgerUpkeep } from "./maintenance/ledger-upkeep.ts";
import { counted, type MaintenanceSettings, maintenanceSettings } from "./maintenance/payment-maintenance.ts";
import type * as Policies from "./payment.ts";
import type * as PaymentFields from "./route/payment-fields.ts";
import type * as SignedTerms from "./protocol/signed-terms.ts";
import type * as Screenings from "./screening/screening.ts";
import { type ResponseStore } from "./responses/response-store.ts";

/** Loaded with the first paid route (bench start). */
const policies = (): typeof Policies => require("./payment.ts");
const paymentFields = (): typeof PaymentFields => require("./route/payment-fields.ts");
const screenings = (): typeof Screenings => require("./screening/screening.ts");
const templates = (): typeof Templates => require("../../../payments/x402/template.ts");
const catalogues = (): typeof Catalogues => require("./catalogue.ts");
const paymentAuths = (): typeof PaymentAuths => require("./mpp/payment-auth.ts");
const challengeSecrets = (): typeof ChallengeSecrets => require("./mpp/challenge-secrets.ts");
const creditPolicies = (): typeof CreditPolicies => require("./create-credit-policy.ts");

/** Loaded when offers and receipts are signed. */
const signedTerms = (): typeof SignedTerms => require("./protocol/signed-terms.ts");

/** Loaded with the first route that takes payments from channels. */
const channelSettings = (): typeof ChannelSettings => require("../../../payments/channels/settings.ts");
const channelDesks = (): typeof ChannelDesks => require("./channels/desk/channel-desk.ts");

/** Loaded with the first priced route of a gateway that knows a cluster of Solana. */
const blockhashes = (): typeof Blockhashes => require("../../../payments/solana-node/blockhashes.ts");
const chainSettings = (): typeof ChainSettings => require("../../../payments/facilitator/chain-settings.ts");

interface PaymentParts extends FeatureParts {
  readonly facilitators: Facilitators;
  /** Opens the store when it is first needed: a gateway without paid routes has no store. */
  readonly store: () => Store;
  readonly ledger: LedgerUpkeep;
  /** The process stops. */
  readonly draining: () => boolean;
  readonly responses: ResponseStore;
  readonly listeners: readonly { readonly address: string; readonly port: number }[];
  /** The URL of the first listener, for payment challenges if `x402.public_url` is not set. */
  readonly baseUrl: string;
  /** The upstream that is the content service of this program; undefined without one. */
  readonly contentUpstream: string | undefined;
  readonly routeLimits: Pick<RouteLimits, "ofPayers" | "quotaOf">;
  /** Tells which routes have an upstream with servers. */
  readonly targets: {
    isServed(route: RouteConfig): boolean;
    callOf(route: RouteConfig): AskUpstream;
  };
}

/** The order in which the catalogue looks up the routes of a path. */
const LISTED_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const challenges = (): typeof Challenges => require("./challenge/check-challenges.ts");

/** Provides `routes[].x402`. Rejects if a secret, the template of challenges or the terms of a route are not valid. */
export async function providePayments(parts: PaymentParts): Promise<Payments> {
  const { x402, routes } = parts.config;
  const { payment_required_b64: encoded, test_mode: isTest } = x402;
  const isSold = routes.some((route) => route.x402 !== undefined);
  if (isTest) requireLoopback(parts.listeners);
  // A broken template is refused even if no route is paid.
  const template = encoded === "" ? undefined : templates().decodeTemplate(encoded);
  if (isSold) {
    const sold = { routes, x402, baseUrl: parts.baseUrl };
    const [problem] = await inSlices(challenges().challengeProblems(sold, new Set()));
    if (problem !== undefined) throw new Error(problem.message);
  }
  const screening = isSold ? await screenings().openScreening(x402.screening, parts) : undefined;
  const lease = parts.facilitators.lease(x402);
  try {
    return new Payments(parts, lease, template, screening);
  } catch (error) {
    lease.close();
    screening?.close();
    throw error;
  }
}

class Payments implements PolicyFeature {
  readonly isTraced = true;
  readonly #maintenance: MaintenanceSettings;
  readonly #parts: PaymentParts;
  readonly #lease: Lease;
  readonly #channels: ChannelSettings.ChannelSettings | undefined;
  #channelDesk: ChannelDesks.ChannelDesk | undefined;
  readonly #template: Templates.ChallengeTemplate | undefined;
  readonly #screening: Screenings.Screening | undefined;
  readonly #fields: PaymentFields.PaymentFields | undefined;
  readonly #signer: SignedTerms.TermsSigner | undefined;
  /** Undefined without a cluster of Solana, on which browsers pay. */
  readonly blockhashes: Blockhashes.Blockhashes | undefined;
  readonly #policies = new Map<RouteConfig, LazyPolicy>();
  readonly #secrets: ChallengeSecrets.ChallengeSecrets | undefined;
  #ledger: Ledger | undefined;
  #desk: CreditDesk | undefined;

  constructor(
    parts: PaymentParts,
    lease: Lease,
    template: Templates.ChallengeTemplate | undefined,
    screening: Screenings.Screening | undefined,
  ) {
    this.#maintenance = maintenanceSettings(parts.config, lease, {
      environment: process.env,
      callOf: (route) => parts.targets.callOf(route),
    });
    this.#parts = parts;
    this.#lease = lease;
    this.#template = template;
    this.#screening = screening;
    const { routes, x402 } = parts.config;
    const isSold = routes.some((route) => route.x402 !== undefined);
    if (isSold) this.blockhashes = openBlockhashes(x402);
    if (isSold) this.#fields = new (paymentFields().PaymentFields)(x402.payment_fields, process.env);
    if (x402.mpp !== undefined) {
      const stored = { paymentIds: () => parts.store().paymentIds, clock: parts.clock, log: parts.log };
      this.#secrets = challengeSecrets().openSecrets(x402.mpp.secret_env, process.env, stored);
    }
    if (hasChannels(routes)) this.#channels = channelSettings().readChannelSettings(x402.channels, process.env);
    if (x402.signed_receipts.key_env !== "") {
      const key = signedTerms().readStatementKey(x402.signed_receipts, process.env);
      this.#signer = new (signedTerms().TermsSigner)(key, x402.signed_receipts, parts.clock);
    }
  }

  policy(route: RouteConfig | undefined): Policies.PaymentPolicy | undefined {
    const fields = this.#fields;
    if (route?.x402 === undefined || fields === undefined) return undefined;
    const terms = route.x402;
    const { store, telemetry, ledger, onEvent } = this.#parts;
    const opened = (this.#ledger ??= counted(store().ledger, {
      counts: telemetry.counts,
      onEvent,
      watch: ledger.watch,
    }));
    // The facilitator is asked for its kinds before the first request.
    this.#lease.forRoute(terms.facilitator_url);
    const policy = new LazyPolicy(route.match?.methods ?? [], () => this.#make(route, terms, opened, fields));
    this.#policies.set(route, policy);
    return policy;
  }

  /** Serves the sale of prepaid credit; undefined for every other route. */
  handlerOf({ path_prefix: path }: RouteConfig): { serve(exchange: Exchange): void } | undefined {
    if (path !== CREDIT_PATH || this.#parts.config.x402.credit === undefined) return undefined;
    // The policy has seen the request, so the desk is made.
    return { serve: (exchange) => this.#desk?.serve(exchange) };
  }

  use(): void {
    this.#parts.ledger.use(this.#maintenance);
  }

  #make(
    route: RouteConfig,
    terms: NonNullable<RouteConfig["x402"]>,
    opened: Ledger,
    fields: PaymentFields.PaymentFields,
  ): Policies.PaymentPolicy {
    const { config, store, targets, contentUpstream, ledger, responses, clock, log, routeLimits, bodies, telemetry } =
      this.#parts;
    const { x402, content, upstreams, limits } = config;
    const { description, facilitator_url: url } = terms;
    const credits = x402.credit && store().credits;
    const channelDesk = this.#deskOfChannels();
    const paid = {
      path_prefix: route.path_prefix,
      ...(route.host === undefined ? {} : { host: route.host }),
      ...(route.name === undefined ? {} : { name: route.name }),
      x402: terms,
      test_mode: x402.test_mode,
      public_url: x402.public_url,
      base_url: this.#parts.baseUrl,
      template: this.#template,
      signer: this.#signer,
      channels: this.#channels,
      auth: this.#authOf(route),
      blockhashUrl: (network: string) =>
        this.blockhashes?.has(network) === true ? `${BLOCKHASH_PATH}?network=${network}` : undefined,
    };
    const deps = {
      ...this.#lease.forRoute(url),
      ledger: channelDesk?.watching(opened) ?? opened,
      lateWrites: ledger.lateWrites,
      paymentIds: store().paymentIds,
      responses,
      clock,
      log,
      fields,
      screening: this.#screening,
      funnel: telemetry.funnel.route(routeName(route)),
      limit: routeLimits.ofPayers(route),
      pricing: { memory: bodies, maxBodyBytes: route.max_body_bytes ?? limits.max_body_bytes, clock },
      quota: terms.free_per_day && routeLimits.quotaOf(route, terms.free_per_day),
      chargesFailures: content.charge_timeouts && isContentRoute(route, upstreams, contentUpstream),
      checksForm: terms.check_form
        ? route.body_schema === undefined
          ? ("all" as const)
          : { posted: route.path_prefix }
        : undefined,
      isServed: targets.isServed(route),
      // A call about a charge would come to any upstream of a split.
      mayDefer: route.upstream !== undefined && (route.traffic_split ?? []).length === 0,
      onDeferred: ledger.collect,
      draining: this.#parts.draining,
      credits,
      channels: channelDesk,
      ...(description === "" ? {} : { description }),
    };
    if (x402.credit === undefined || this.handlerOf(route) === undefined) {
      return policies().createPaymentPolicy(paid, deps);
    }
    const { policy, desk } = creditPolicies().createCreditPolicy(paid, deps, x402.credit);
    this.#desk = desk;
    return policy;
  }

  #authOf(route: RouteConfig): PaymentAuths.PaymentAuth | undefined {
    if (this.#secrets === undefined) return undefined;
    const { clock, config, baseUrl } = this.#parts;
    return new (paymentAuths().PaymentAuth)({
      secrets: this.#secrets,
      route: routeName(route),
      publicUrl: config.x402.public_url,
      baseUrl,
      hasHost: route.host !== undefined,
      clock,
    });
  }

  /** One for all routes, because clients use one channel on several. */
  #deskOfChannels(): ChannelDesks.ChannelDesk | undefined {
    const { store, clock } = this.#parts;
    if (this.#channels !== undefined) {
      this.#channelDesk ??= new (channelDesks().ChannelDesk)(this.#channels, store().channels, clock);
    }
    return this.#channelDesk;
  }

  /** The prices of the compiled routes, in the order of the configuration. Undefined if no route is paid. */
  catalogue<R extends Routable>(table: RouteTable<R>, routes: readonly R[]): Catalogues.Catalogue | undefined {
    if (this.#policies.size === 0) return undefined;
    const { config, clock } = this.#parts;
    const ofRoutes = this.#policies;
    let byRoute: ReadonlyMap<R | undefined, LazyPolicy | undefined> | undefined;
    return new (catalogues().Catalogue)([...ofRoutes.values()], {
      testMode: config.x402.test_mode,
      discovery: config.x402.discovery,
      clock,
      // If a path has several routes, the policy of the first method with a price.
      sold(authority, path) {
        byRoute ??= new Map(config.routes.map((route, i) => [routes[i], ofRoutes.get(route)]));
        let free: "free" | undefined;
        for (const method of LISTED_METHODS) {
          const route = table.match(authority, path, { method, query: "", fields: "" });
          if (route === undefined) continue;
          const policy = byRoute.get(route);
          if (policy !== undefined) return policy;
          free = "free";
        }
        return free;
      },
      methodsOf: (policy) => (policy instanceof LazyPolicy ? policy.methods : []),
    });
  }

  close(): void {
    this.#lease.close();
    this.#screening?.close();
  }
}

function openBlockhashes({
  chains,
  test_mode: isTest,
}: PaymentParts["config"]["x402"]): Blockhashes.Blockhashes | undefined {
  const own = chains.filter(({ network }) => isSolana(parseNetwork(network) ?? ""));
  if (isTest || own.length === 0) return undefined;
  return new (blockhashes().Blockhashes)(chainSettings().readClusters(own, process.env));
}

/** The policy of a paid route, which is made when it is first needed: most of thousands of routes are seldom asked for. */
class LazyPolicy implements Policies.PaymentPolicy {
  readonly name = "payment";
  readonly guards = true;
  /** The methods of the route; empty: all. */
  readonly methods: readonly string[];
  readonly #make: () => Policies.PaymentPolicy;
  #made: Policies.PaymentPolicy | undefined;

  constructor(methods: readonly string[], make: () => Policies.PaymentPolicy) {
    this.methods = methods;
    this.#make = make;
  }

  get #policy(): Policies.PaymentPolicy {
    return (this.#made ??= this.#make());
  }

  request(exchange: Exchange): Decision | Promise<Decision> {
    return this.#policy.request(exchange);
  }

  challenge(): Challenge | undefined {
    return this.#policy.challenge();
  }

  listing(): ReturnType<Policies.PaymentPolicy["listing"]> {
    return this.#policy.listing();
  }
}
