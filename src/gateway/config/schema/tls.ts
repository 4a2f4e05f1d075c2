import * as z from "zod";
import { text } from "./kinds.ts";
import { acme } from "./tls-acme.ts";

const certificate = z
  .strictObject({
    hostnames: z
      .array(
        text
          .toLowerCase()
          .regex(/^(?:\*\.)?[^\s*.][^\s*]*$/, 'expected a host name, as in "example.com" or "*.example.com"'),
      )
      .min(1, "expected at least one host name")
      .describe("Host names (SNI) of this certificate. `*.example.com` stands for one label."),
    cert_path: text.describe("PEM certificate chain."),
    key_path: text.describe("PEM private key."),
  })
  .describe("A further certificate, selected by the host name that the client sends (SNI).");

/** `tls`: certificates of the TCP listeners. */
export const tls = z
  .strictObject({
    cert_path: z.string().default("").describe("PEM certificate chain. Empty: no TLS on the single listener."),
    key_path: z.string().default("").describe("PEM private key; set or empty together with `cert_path`."),
    certificates: z.array(certificate).default([]).describe("Further certificates, selected by SNI."),
    client_ca_path: z
      .string()
      .default("")
      .describe("PEM bundle of the CAs that sign client certificates (mTLS). Empty: no check."),
    client_cert_required: z
      .boolean()
      .default(true)
      .describe(
        "Require a client certificate. If false, the certificate is optional. An invalid certificate is always refused.",
      ),
    acme,
  })
  .prefault({})
  .describe("TLS on the TCP listeners: versions 1.2 and 1.3.");
