import { messageOf } from "../../../lib/caught.ts";
import { readEmbedded } from "../../../payments/facilitator/chain-settings.ts";
import type * as Own from "../../../payments/facilitator/create-own.ts";
import { parseEvmNetwork } from "../../../payments/x402/networks.ts";
import type * as Keys from "../../../payments/evm/signers/key.ts";
import type * as ChannelSettings from "../../../payments/channels/settings.ts";
import { type Environment, readSecret, readSecretHeaders } from "../../../payments/facilitator/secrets.ts";
import { parseSecrets } from "../../../payments/settlement/webhooks/webhook-secret.ts";
import { readExternalAccount } from "../../acme/external-account.ts";
import { readKeys } from "../../admin/http/keys.ts";
import { type Config } from "../../config/config.ts";
import { type Diagnostic } from "../../config/diagnostic.ts";
import { hasChannels } from "../../config/has-channels.ts";
import { PaymentFields } from "../../policy/payment/route/payment-fields.ts";
import type * as SignedTerms from "../../policy/payment/protocol/signed-terms.ts";
import { readRedisUrl } from "../../policy/rate-limit/provide-rate-limits.ts";
import { credentialOf } from "../../upstream/upstreams.ts";

/** Loaded when a configuration has an embedded facilitator (bench start). */
const ownFacilitator = (): typeof Own => require("../../../payments/facilitator/create-own.ts");

/** Loaded when a configuration has keys for refunds (bench start). */
const keys = (): typeof Keys => require("../../../payments/evm/signers/key.ts");

/** Loaded when a configuration takes payments from channels (bench start). */
const channelSettings = (): typeof ChannelSettings => require("../../../payments/channels/settings.ts");

/** Loaded when a configuration signs receipts (bench start). */
const signedTerms = (): typeof SignedTerms => require("../../policy/payment/protocol/signed-terms.ts");

/** Diagnostics for the secrets that the configuration needs from the environment. They never contain a secret. */
export function secretDiagnostics(config: Config, environment: Environment): Diagnostic[] {
  return [
    ...errorOf("admin", () => config.admin.enabled && readKeys(config, environment)),
    ...errorOf("tls.acme.external_account", () => readExternalAccount(config.tls.acme, environment)),
    ...storeDiagnostics(config, environment),
    ...upstreamDiagnostics(config, environment),
    ...paymentDiagnostics(config, environment),
  ];
}

function storeDiagnostics({ rate_limit_store: store, routes }: Config, environment: Environment): Diagnostic[] {
  const name = store.redis_url_env;
  if (name === "" || routes.every((route) => route.rate_limit === undefined)) return [];
  return errorOf("rate_limit_store.redis_url_env", () => readRedisUrl(name, environment));
}

function upstreamDiagnostics({ upstreams }: Config, environment: Environment): Diagnostic[] {
  return upstreams.flatMap((upstream, i) =>
    errorOf(`upstreams[${i}].token_env`, () => credentialOf(upstream, environment)),
  );
}

function paymentDiagnostics({ x402, routes }: Config, environment: Environment): Diagnostic[] {
  if (!x402.enabled) return [];
  const isPriced = routes.some((route) => route.x402 !== undefined);
  const diagnostics = [
    ...settlementDiagnostics({ x402, routes }, environment),
    ...errorOf("x402.payment_fields.secret_env", () => isPriced && new PaymentFields(x402.payment_fields, environment)),
    ...screeningDiagnostics({ x402, routes }, environment),
    ...errorOf("x402.signed_receipts.key_env", () => {
      if (isPriced && x402.signed_receipts.key_env !== "")
        signedTerms().readStatementKey(x402.signed_receipts, environment);
    }),
    ...errorOf("x402.channels.authorizer_key_env", () => {
      if (hasChannels(routes)) channelSettings().readChannelSettings(x402.channels, environment);
    }),
    ...x402.refunds.key_envs.flatMap((name, i) => {
      const path = `x402.refunds.key_envs[${i}]`;
      return errorOf(path, () => isPriced && keys().parseKey(readSecret(environment, name, path)));
    }),
  ];
  // The embedded facilitator starts even if no route is paid yet.
  if (x402.test_mode || !(isPriced || x402.embedded.enabled)) return diagnostics;
  const headers = [
    ["facilitator_headers", x402.facilitator_headers] as const,
    ...x402.facilitators.map(({ headers: own }, i) => [`facilitators[${i}].headers`, own] as const),
  ];
  const variables = [
    ...headers.flatMap(([key, list]) =>
      list.map(({ value_env: name }, i) => [`${key}[${i}].value_env`, name] as const),
    ),
    ...x402.chains.map(({ rpc_url_env: name }, i) => [`chains[${i}].rpc_url_env`, name] as const),
    ...(x402.embedded.enabled ? embeddedVariables(x402) : []),
  ];
  for (const [key, name] of variables) {
    if (environment[name]) continue;
    diagnostics.push({ path: `x402.${key}`, message: `the environment variable ${name} is not set` });
  }
  if (diagnostics.length > 0) return diagnostics;
  return [
    ...headers.flatMap(([key, list]) =>
      errorOf(`x402.${key}`, () => readSecretHeaders(environment, list, `x402.${key}`)),
    ),
    ...errorOf("x402.embedded", () => {
      const options = readEmbedded(x402, environment);
      if (options !== undefined) ownFacilitator().createOwn(options);
    }),
  ];
}

function embeddedVariables({ embedded, chains }: Payments["x402"]): (readonly [key: string, name: string])[] {
  const isOnEvm = chains.some(({ network }) => parseEvmNetwork(network) !== undefined);
  const further = (["approval_key_env", "solana_key_env"] as const).filter((key) => embedded[key] !== "");
  return [
    ...(isOnEvm && embedded.signers.length === 0 ? [["embedded.key_env", embedded.key_env] as const] : []),
    ...further.map((key) => [`embedded.${key}`, embedded[key]] as const),
  ];
}

function screeningDiagnostics({ x402, routes }: Payments, environment: Environment): Diagnostic[] {
  const { denied_payers: lists, service_url: url, token_env: name } = x402.screening;
  const isOpened = lists.length > 0 || url !== "";
  if (name === "" || !isOpened || routes.every((route) => route.x402 === undefined)) return [];
  const path = "x402.screening.token_env";
  return errorOf(path, () => readSecret(environment, name, path));
}

function settlementDiagnostics({ x402, routes }: Payments, environment: Environment): Diagnostic[] {
  const i = reportingRoute(routes);
  if (i < 0) return [];
  const name = x402.settlement_secret_env;
  return errorOf(`routes[${i}].x402.settlement_url`, () => parseSecrets(name, environment[name]));
}

/** A warning for each secret that is not set and that the gateway can do without. */
export function secretWarnings({ x402, routes }: Payments, environment: Environment): Diagnostic[] {
  const i = reportingRoute(routes);
  const name = x402.settlement_secret_env;
  if (!x402.enabled || i < 0 || environment[name]?.trim()) return [];
  const message = `records are posted without a signature, so that their receiver cannot tell who sent them: set $${name} to sign them`;
  return [{ path: `routes[${i}].x402.settlement_url`, message }];
}

type Payments = Pick<Config, "x402" | "routes">;

/** The index of the first route that reports its settlements; -1 if none does. */
function reportingRoute(routes: Config["routes"]): number {
  return routes.findIndex((route) => route.x402 !== undefined && route.x402.settlement_url !== "");
}

function errorOf(path: string, attempt: () => unknown): Diagnostic[] {
  try {
    attempt();
    return [];
  } catch (error) {
    return [{ path, message: messageOf(error) }];
  }
}
