import { type Config } from "../../config/config.ts";

/** The environment variables of workers: all that a configuration names, but not the embedded keys. */
export function workerVariables({ postgres, rate_limit_store: store, x402, upstreams }: Config): readonly string[] {
  const names = [
    postgres.password_env,
    store.redis_url_env,
    x402.settlement_secret_env,
    x402.payment_fields.secret_env,
    x402.screening.token_env,
    x402.signed_receipts.key_env,
    x402.channels.authorizer_key_env,
    ...upstreams.map(({ token_env: name }) => name),
    ...x402.facilitators.flatMap(({ headers }) => headers.map(({ value_env: name }) => name)),
    ...x402.facilitator_headers.map(({ value_env: name }) => name),
    ...x402.chains.map(({ rpc_url_env: name }) => name),
  ];
  const { key_env, approval_key_env, solana_key_env } = x402.embedded;
  const keys = [key_env, approval_key_env, solana_key_env];
  return names.filter((name) => name !== "" && !keys.includes(name));
}
