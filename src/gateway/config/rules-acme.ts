import { type Config } from "./config.ts";
import { type Draft, type Report } from "./draft.ts";

type ExternalAccountConfig = NonNullable<Config["tls"]["acme"]>["external_account"];

/** Checks `tls.acme`. */
export function checkAcme({ server, tls, quic }: Draft, report: Report): void {
  const acme = tls?.acme;
  if (tls === undefined || acme === undefined) return;
  if (!acme.terms_agreed) {
    report.problem(
      "tls.acme.terms_agreed",
      `expected true: read the terms of service of ${new URL(acme.directory_url).host}, and agree to them`,
    );
  }
  checkExternalAccount(acme.external_account, report);
  const files = new Set(tls.certificates.flatMap(({ hostnames }) => hostnames));
  const seen = new Set<string>();
  for (const [i, domain] of acme.domains.entries()) {
    const path = `tls.acme.domains[${i}]`;
    if (seen.has(domain)) report.problem(path, `${domain} is listed twice`);
    else if (files.has(domain)) report.problem(path, `${domain} has a certificate in tls.certificates`);
    seen.add(domain);
  }
  if (server === undefined) return;
  const { listeners } = server;
  const hasPlain = listeners.some((listener) => !listener.use_tls && !listener.h2c_only);
  const hasTls = listeners.length === 0 || listeners.some((listener) => listener.use_tls);
  for (const [i, type] of acme.challenges.entries()) {
    const path = `tls.acme.challenges[${i}]`;
    if (type === "http-01" && !hasPlain) {
      report.problem(path, '"http-01" requires a listener without TLS in server.listeners, for port 80');
    }
    if (type === "tls-alpn-01" && !hasTls) {
      report.problem(path, '"tls-alpn-01" requires a listener with use_tls in server.listeners, for port 443');
    }
  }
  if (!hasTls && quic?.enabled !== true) {
    report.warning("tls.acme", "has no effect, because no listener has use_tls");
  }
}

function checkExternalAccount(account: ExternalAccountConfig | undefined, report: Report): void {
  if (account === undefined) return;
  const { hmac_key: key, hmac_key_env: variable } = account;
  if (key === "" && variable === "") {
    report.problem("tls.acme.external_account.hmac_key", "required, unless hmac_key_env names a variable");
  }
  if (key !== "" && variable !== "") {
    report.warning("tls.acme.external_account.hmac_key", "has no effect, because hmac_key_env is set");
  }
}
