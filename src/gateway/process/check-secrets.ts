import { messageOf } from "../../lib/caught.ts";
import { readEmbedded } from "../../payments/facilitator/chain-settings.ts";
import { createEmbeddedFacilitator } from "../../payments/evm/embedded-facilitator.ts";
import { type Environment, readSecretHeaders } from "../../payments/facilitator/secrets.ts";
import { parseSecrets } from "../../payments/settlement/webhook-secret.ts";
import { type Config } from "../config/config.ts";
import { type Finding } from "../config/finding.ts";
import { readRedisUrl } from "./route-limits.ts";

/** What is wrong with the secrets that are needed from the environment; the secrets themselves are never told. */
export function secretFindings(config: Config, environment: Environment): Finding[] {
  return [...storeFindings(config, environment), ...paymentFindings(config, environment)];
}

function storeFindings({ rate_limit_store: store, routes }: Config, environment: Environment): Finding[] {
  const name = store.redis_url_env;
  if (name === "" || routes.every((route) => route.rate_limit === undefined)) return [];
  return faultOf("rate_limit_store.redis_url_env", () => readRedisUrl(name, environment));
}

function paymentFindings({ x402, routes }: Config, environment: Environment): Finding[] {
  const priced = routes.some((route) => route.x402 !== undefined);
  if (!x402.enabled || !priced) return [];
  const findings = settlementFindings({ x402, routes }, environment);
  if (x402.test_mode) return findings;
  const variables = [
    ...x402.facilitator_headers.map(({ value_env: name }, i) => [`facilitator_headers[${i}].value_env`, name] as const),
    ...x402.chains.map(({ rpc_url_env: name }, i) => [`chains[${i}].rpc_url_env`, name] as const),
    ...(x402.embedded.enabled ? [["embedded.key_env", x402.embedded.key_env] as const] : []),
  ];
  for (const [key, name] of variables) {
    if (environment[name]) continue;
    findings.push({ path: `x402.${key}`, message: `the environment variable ${name} is not set` });
  }
  if (findings.length > 0) return findings;
  return [
    ...faultOf("x402.facilitator_headers", () => readSecretHeaders(environment, x402.facilitator_headers)),
    ...faultOf("x402.embedded", () => {
      const options = readEmbedded(x402, environment);
      if (options !== undefined) createEmbeddedFacilitator(options);
    }),
  ];
}

/** Without a secret nobody could tell our records from anybody's. */
function settlementFindings({ x402, routes }: Pick<Config, "x402" | "routes">, environment: Environment): Finding[] {
  const i = routes.findIndex((route) => route.x402 !== undefined && route.x402.settlement_url !== "");
  if (i < 0) return [];
  const name = x402.settlement_secret_env;
  return faultOf(`routes[${i}].x402.settlement_url`, () => parseSecrets(name, environment[name]));
}

function faultOf(path: string, attempt: () => unknown): Finding[] {
  try {
    attempt();
    return [];
  } catch (error) {
    return [{ path, message: messageOf(error) }];
  }
}
