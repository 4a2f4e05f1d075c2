import { array, literal, oneOf, strictObject, string } from "./recorded-schema.ts";
import { environmentName, filePath, httpUrl, ours, secret, text, flag } from "./kinds.ts";

/** Characters of a domain, which is part of a file's name; a longer one is refused. */
const MAX_DOMAIN = 200;
/**
 * Domains of `tls.acme`; the configuration is refused with more. @operator Each has its own certificate, and certificate
 * authorities limit their number.
 */
const MAX_DOMAINS = 100;
/** Contact addresses of an account; the configuration is refused with more. */
const MAX_CONTACTS = 10;

/** Characters of the id and of the key of an external account; a configuration with a longer one is refused. */
const MAX_EXTERNAL = 1024;

/** A domain name of at least two labels (RFC 1035 §2.3.1), which may begin with digits (RFC 1123 §2.1). */
const DOMAIN = /^(?=.*[a-z])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const domain = text
  .toLowerCase()
  .max(MAX_DOMAIN, `expected at most ${MAX_DOMAIN} characters`)
  .regex(DOMAIN, 'expected a domain, as in "shop.example.com"; wildcards and IP addresses are not supported');

const externalAccount = strictObject({
  key_id: text
    .max(MAX_EXTERNAL, `expected at most ${MAX_EXTERNAL} characters`)
    .regex(/^[\x21-\x7e]+$/, "expected visible ASCII characters without spaces")
    .describe("Id of the key."),
  hmac_key: string()
    .max(MAX_EXTERNAL, `expected at most ${MAX_EXTERNAL} characters`)
    .regex(/^(?:[\w-]+=*)?$/, "expected a key in base64url, as the certificate authority shows it")
    .default("")
    .describe("HMAC key of that id, in base64url.")
    .meta(secret()),
  hmac_key_env: environmentName
    .or(literal(""))
    .default("")
    .describe("Environment variable with the HMAC key, in place of `hmac_key`. Read at start and reload."),
})
  .exactOptional()
  .describe("Your account at the authority (RFC 8555 §7.3.4). Default: none.");

/** `tls.acme`: certificates that the gateway obtains itself. */
export const acme = strictObject({
  domains: array(domain)
    .min(1, "expected at least one domain")
    .max(MAX_DOMAINS, `expected at most ${MAX_DOMAINS} domains`)
    .describe("Domains, one certificate each."),
  contact: array(text.regex(/^[^\s@,?]+@[^\s@,?]+$/, 'expected an e-mail address, as in "ops@example.com"'))
    .max(MAX_CONTACTS)
    .default([])
    .describe("E-mail addresses for the account."),
  directory_url: httpUrl
    .refine((url) => /^https:/i.test(url), "expected an https:// URL")
    .default("https://acme-v02.api.letsencrypt.org/directory")
    .describe("Directory of the certificate authority (RFC 8555)."),
  terms_agreed: flag().describe("Must be true: you agree to the authority's terms of service."),
  external_account: externalAccount,
  key_type: oneOf(["ecdsa-p256", "ecdsa-p384", "rsa-2048", "rsa-4096"])
    .default("ecdsa-p256")
    .describe("Private keys of the certificates."),
  challenges: array(oneOf(["http-01", "tls-alpn-01"]))
    .min(1, "expected at least one challenge type")
    .default(["http-01"])
    .describe("Methods to prove control of a domain, in order."),
  ca_path: filePath
    .default("")
    .describe("PEM bundle of the CAs that sign the directory's own certificate. Empty: those of the system."),
})
  .exactOptional()
  .meta(ours("Certificates that the gateway gets and renews (ACME). Default: none."));
