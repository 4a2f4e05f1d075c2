import { array, boolean, strictObject } from "./recorded-schema.ts";
import { filePath, flag, names, ours, section, text } from "./kinds.ts";
import { acme } from "./tls-acme.ts";

/** Entries of `tls.hosts`; the configuration is refused with more. @operator */
const MAX_HOST_RULES = 256;

const hostnames = array(
  text.toLowerCase().regex(/^(?:\*\.)?[^\s*.][^\s*]*$/, 'expected a host name, as in "example.com" or "*.example.com"'),
).min(1, "expected at least one host name");

const certificate = strictObject({
  hostnames: hostnames.describe("Host names (SNI) of this certificate. `*.example.com` stands for one label."),
  cert_path: text.meta(names("file")).describe("PEM certificate chain."),
  key_path: text.meta(names("file")).describe("PEM private key."),
}).describe("A further certificate, selected by SNI.");

const hostRule = strictObject({
  hostnames: hostnames.meta(ours("Host names (SNI). `*.example.com` stands for one label.")),
  client_ca_path: filePath
    .default("")
    .meta(ours("PEM bundle of the CAs that sign client certificates for these hosts. Empty: none is requested.")),
  client_cert_required: flag(true).meta(ours("Require a client certificate.")),
}).meta(
  ours("Client certificates of some hosts, in place of `client_ca_path` and `client_cert_required` of the section."),
);

const hostRules = array(hostRule).max(MAX_HOST_RULES, `expected at most ${MAX_HOST_RULES} entries`);

/** `server.listeners[].tls`: each key that is set replaces the same key of `tls`. */
export const listenerTls = strictObject({
  cert_path: text
    .meta(names("file"))
    .exactOptional()
    .meta(ours("PEM certificate chain of this listener. Requires `key_path`.")),
  key_path: text.meta(names("file")).exactOptional().meta(ours("PEM private key of `cert_path`.")),
  certificates: array(certificate)
    .exactOptional()
    .meta(ours("Further certificates of this listener, selected by SNI.")),
  client_ca_path: filePath
    .exactOptional()
    .meta(ours("PEM bundle of the CAs that sign client certificates. Empty: no check on this listener.")),
  client_cert_required: boolean().exactOptional().meta(ours("Require a client certificate on this listener.")),
  hosts: hostRules.exactOptional().meta(ours("Client certificates by host on this listener.")),
})
  .exactOptional()
  .meta(ours("TLS of this listener. Its keys override those of the section `tls`. Default: none."));

export const tls = section({
  cert_path: filePath.default("").describe("PEM certificate chain. Empty: no TLS on the single listener."),
  key_path: filePath.default("").describe("PEM private key of `cert_path`. Set both or neither."),
  certificates: array(certificate).default([]).describe("Further certificates, selected by SNI."),
  client_ca_path: filePath
    .default("")
    .describe("PEM bundle of the CAs that sign client certificates (mTLS). Empty: no check."),
  client_cert_required: flag(true).describe("Require a client certificate. An invalid certificate is always refused."),
  hosts: hostRules
    .default([])
    .meta(
      ours("Client certificates by host name. A request for a host with other rules than its connection's gets 421."),
    ),
  acme,
}).describe("TLS on the TCP listeners: versions 1.2 and 1.3.");
