import { isIP } from "node:net";
import { array, strictObject, string } from "./recorded-schema.ts";
import { connectPort, headerValue, hostAddress, ours, secret, seconds, text } from "./kinds.ts";

/**
 * Nameservers of a resolver; the configuration is refused with more. @operator The resolver can query this number one after
 * the other within its timeout.
 */
const MAX_NAMESERVERS = 8;

/** `127.0.0.1`, `127.0.0.1:8600`, `::1` or `[::1]:8600`. */
const nameserver = string().refine((value) => {
  if (isIP(value) !== 0) return true;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(value) ?? [];
  return (isIP(bracketed ?? "") === 6 || isIP(plain ?? "") === 4) && connectPort.safeParse(Number(port)).success;
}, "expected an IP address, with or without a port");

export const dnsDiscovery = strictObject({
  hostname: hostAddress.describe("DNS name. Its A and AAAA records are the servers."),
  port: connectPort.default(80).describe("Port of all resolved addresses."),
  interval_s: seconds(30).describe("Seconds between lookups, or a shorter TTL."),
  nameservers: array(nameserver)
    .max(MAX_NAMESERVERS)
    .default([])
    .meta(ours("Name servers, as IP addresses with or without a port. Empty: those of the system.")),
}).describe("Servers from DNS.");

export const catalogDiscovery = strictObject({
  service: text.describe("Service name in the catalog."),
  address: hostAddress.default("127.0.0.1").describe("Address of the catalog."),
  port: connectPort.default(8500).describe("Port of the catalog."),
  interval_s: seconds(15).describe("Seconds that a query waits for a change."),
  token: headerValue.default("").meta(secret()).describe("ACL token, a secret."),
}).describe("Servers from a service catalog.");
