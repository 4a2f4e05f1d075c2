import { requireLoopback } from "../../../payments/facilitator/loopback-only.ts";
import { type Facilitators, type Lease } from "../../../payments/facilitator/facilitators.ts";
import type * as Templates from "../../../payments/x402/template.ts";
import { type LateWrites } from "../../../store/late-writes.ts";
import { type Store } from "../../../store/store.ts";
import { type RouteConfig } from "../../config/config.ts";
import { type FeatureParts } from "../../feature-parts.ts";
import { type Routable } from "../../routing/routable.ts";
import { type RouteTable } from "../../routing/table.ts";
import { type PolicyFeature } from "../policy.ts";
import type * as Catalogues from "./challenge/catalogue.ts";
import { isContentRoute } from "./content-route.ts";
import { type LedgerWatch } from "./maintenance/ledger-watch.ts";
import { counted, type MaintenanceSettings, maintenanceSettings } from "./maintenance/payment-maintenance.ts";
import type * as Policies from "./payment.ts";
import { type ResponseStore } from "./responses/response-store.ts";

/** Loaded with the first paid route (bench start). */
const policies = (): typeof Policies => require("./payment.ts");

/** Loaded as `policies` is. */
const templates = (): typeof Templates => require("../../../payments/x402/template.ts");

/** Loaded as `policies` is. */
const catalogues = (): typeof Catalogues => require("./challenge/catalogue.ts");

interface PaymentParts extends FeatureParts {
  readonly facilitators: Facilitators;
  /** Opens the store when it is first needed: a gateway without paid routes has no store. */
  readonly store: () => Store;
  readonly ledgerWatch: LedgerWatch;
  readonly lateWrites: LateWrites;
  readonly responses: ResponseStore;
  readonly listeners: readonly { readonly address: string; readonly port: number }[];
  /** The URL of the first listener, for payment challenges if `x402.public_url` is not set. */
  readonly baseUrl: string;
  /** The upstream that is the content service of this program; undefined without one. */
  readonly contentUpstream: string | undefined;
  /** Tells which routes have an upstream with servers. */
  readonly targets: { isServed(route: RouteConfig): boolean };
}

/** The order in which the catalogue looks up the routes of a path. */
const LISTED_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Provides `routes[].x402`. Throws if a secret or the template of challenges is not valid. */
export function providePayments(parts: PaymentParts): Payments {
  const { x402, routes } = parts.config;
  const { payment_required_b64: encoded, test_mode: isTest } = x402;
  if (isTest && routes.some((route) => route.x402 !== undefined)) requireLoopback(parts.listeners);
  // A broken template is refused even if no route is paid.
  const template = encoded === "" ? undefined : templates().decodeTemplate(encoded);
  const lease = parts.facilitators.lease(x402);
  try {
    return new Payments(parts, lease, template);
  } catch (error) {
    lease.close();
    throw error;
  }
}

class Payments implements PolicyFeature {
  readonly isTraced = true;
  /** For the ledger, if there is one. */
  readonly maintenance: MaintenanceSettings;
  readonly #parts: PaymentParts;
  readonly #lease: Lease;
  #template: Templates.ChallengeTemplate | undefined;
  readonly #policies = new Map<RouteConfig, Policies.PaymentPolicy>();

  constructor(parts: PaymentParts, lease: Lease, template: Templates.ChallengeTemplate | undefined) {
    this.maintenance = maintenanceSettings(parts.config, lease, process.env);
    this.#parts = parts;
    this.#lease = lease;
    this.#template = template;
  }

  policy(route: RouteConfig | undefined): Policies.PaymentPolicy | undefined {
    if (route?.x402 === undefined) return undefined;
    const { config, store, telemetry, ledgerWatch: watch, onEvent, targets, contentUpstream } = this.#parts;
    const { x402, content, upstreams } = config;
    const { lateWrites, responses, clock, log } = this.#parts;
    const { description, facilitator_url: url } = route.x402;
    const { ledger, paymentIds } = store();
    this.#template ??= templates().decodeTemplate(x402.payment_required_b64);
    const policy = policies().createPaymentPolicy(
      {
        path_prefix: route.path_prefix,
        ...(route.host === undefined ? {} : { host: route.host }),
        ...(route.name === undefined ? {} : { name: route.name }),
        x402: route.x402,
        test_mode: x402.test_mode,
        public_url: x402.public_url,
        base_url: this.#parts.baseUrl,
        template: this.#template,
      },
      {
        ...this.#lease.forRoute(url),
        ledger: counted(ledger, { metrics: telemetry.payments, onEvent, watch }),
        lateWrites,
        paymentIds,
        responses,
        clock,
        log,
        chargesFailures: content.charge_timeouts && isContentRoute(route, upstreams, contentUpstream),
        isServed: targets.isServed(route),
        ...(description === "" ? {} : { description }),
      },
    );
    this.#policies.set(route, policy);
    return policy;
  }

  /** The prices of the compiled routes, in the order of the configuration. Undefined if no route is paid. */
  catalogue<R extends Routable>(table: RouteTable<R>, routes: readonly R[]): Catalogues.Catalogue | undefined {
    if (this.#policies.size === 0) return undefined;
    const { config } = this.#parts;
    const byRoute = new Map<R, Policies.PaymentPolicy>();
    const methods = new Map<Policies.PaymentPolicy, readonly string[]>();
    for (const [i, route] of config.routes.entries()) {
      const policy = this.#policies.get(route);
      const compiled = routes[i];
      if (policy === undefined || compiled === undefined) continue;
      byRoute.set(compiled, policy);
      methods.set(policy, compiled.conditions?.methods ?? []);
    }
    return new (catalogues().Catalogue)([...byRoute.values()], {
      testMode: config.x402.test_mode,
      // If a path has several routes, the policy of the first method with a price.
      sold(authority, path) {
        for (const method of LISTED_METHODS) {
          const route = table.match(authority, path, { method, query: "", fields: "" });
          const policy = route && byRoute.get(route);
          if (policy !== undefined) return policy;
        }
        return undefined;
      },
      methodsOf: (policy) => methods.get(policy) ?? [],
    });
  }

  close(): void {
    this.#lease.close();
  }
}
