import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";

const HOSTS_FILE = "/etc/hosts";
/** Largest hosts file that is read, in bytes. */
const MAX_HOSTS_BYTES = 4 * 1024 * 1024;
/** Maximum number of addresses of one name that are used. */
const MAX_HOSTS_ADDRESSES = 64;

/** The addresses of a name in this system's hosts file (hosts(5)), read each time; empty without it. */
export function hostsFileAddresses(name: string, path = HOSTS_FILE): readonly string[] {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  const found = new Set<string>();
  for (const line of readHosts(path).split("\n")) {
    const [address = "", ...names] = (line.split("#", 1)[0] ?? "").trim().split(/\s+/);
    if (isIP(address) !== 0 && names.some((other) => other.toLowerCase() === wanted)) found.add(address);
  }
  return [...found].slice(0, MAX_HOSTS_ADDRESSES);
}

function readHosts(path: string): string {
  try {
    return statSync(path).size > MAX_HOSTS_BYTES ? "" : readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
