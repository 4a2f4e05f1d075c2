import * as z from "zod";
import { connectPort, hostAddress, seconds, text } from "./kinds.ts";

export const dnsDiscovery = z
  .strictObject({
    hostname: text.describe("Name whose A records fill the pool."),
    port: connectPort.default(80).describe("Port of every resolved address."),
    interval_s: seconds(30).describe("Seconds between look-ups."),
  })
  .describe("Servers from DNS.");

export const catalogDiscovery = z
  .strictObject({
    service: text.describe("Service name in the catalog."),
    address: hostAddress.default("127.0.0.1").describe("Address of the catalog."),
    port: connectPort.default(8500).describe("Port of the catalog."),
    interval_s: seconds(15).describe("Seconds between polls."),
    token: z.string().default("").describe("ACL token; a secret."),
  })
  .describe("Servers from a service catalog.");
