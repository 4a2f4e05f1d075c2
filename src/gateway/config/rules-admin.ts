import { isPublicAddress } from "../../lib/net/public-address.ts";
import { isLoopback } from "../../payments/facilitator/loopback-only.ts";
import { boundAddresses, overlap } from "./bound-addresses.ts";
import { certificatePair } from "./certificate-pair.ts";
import { type Config } from "./config.ts";
import { MIN_KEY_LENGTH } from "./schema/admin.ts";
import { type Draft, type Report } from "./draft.ts";

type AdminConfig = Config["admin"];

/** Addresses that accept connections from all networks. */
const EVERYWHERE: readonly string[] = ["0.0.0.0", "::"];

/** Checks the admin interface: it needs a key. Warns if its traffic can be read on the network. */
export function checkAdmin({ admin, server }: Draft, report: Report): void {
  if (admin === undefined) return;
  certificatePair(admin.tls, "admin.tls", report);
  keys(admin, report);
  if (!admin.enabled) return;
  const { address, port } = admin;
  const taken =
    server === undefined
      ? undefined
      : boundAddresses(server).find((bound) => bound.port === port && overlap(bound.address, address));
  if (port !== 0 && taken !== undefined) report.problem("admin.port", `${port} is taken by ${taken.path}.port`);
  if (admin.tls.cert_path === "" && reachesStrangers(address)) {
    report.warning(
      "admin.address",
      `${JSON.stringify(address)} can be reached from other machines, and keys go there in clear text; set admin.tls, or listen on 127.0.0.1`,
    );
  }
}

function keys(admin: AdminConfig, report: Report): void {
  const { api_key: key, api_key_env: variable, read_api_key: readKey, read_api_key_env: readVariable } = admin;
  if (admin.enabled && key === "" && variable === "") {
    report.problem("admin.api_key", "required with admin.enabled, unless admin.api_key_env names a variable");
  }
  if (key !== "" && variable !== "") report.warning("admin.api_key", "has no effect, because admin.api_key_env is set");
  if (readKey !== "" && readVariable !== "") {
    report.warning("admin.read_api_key", "has no effect, because admin.read_api_key_env is set");
  }
  const isShared = (key !== "" && key === readKey) || (variable !== "" && variable === readVariable);
  if (isShared) report.problem("admin.read_api_key", "expected another secret than that of admin.api_key");
  for (const [name, secret] of [
    ["api_key", key],
    ["read_api_key", readKey],
  ] as const) {
    if (!admin.enabled || secret === "" || secret.length >= MIN_KEY_LENGTH) continue;
    const what = `a key of fewer than ${MIN_KEY_LENGTH} characters can be guessed`;
    if (admin.allow_short_keys) report.warning(`admin.${name}`, what);
    else report.problem(`admin.${name}`, `${what}; use a longer one, or set admin.allow_short_keys`);
  }
}

/** True for an address that other machines can reach. A host name may have any address. */
function reachesStrangers(address: string): boolean {
  if (EVERYWHERE.includes(address) || isPublicAddress(address)) return true;
  const isName = !address.includes(":") && !/^[\d.]+$/.test(address);
  return isName && !isLoopback(address);
}
