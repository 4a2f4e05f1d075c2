import { fieldLine } from "../../../lib/fields.ts";
import { type SecurityHeadersConfig } from "../../config/config.ts";
import { FieldChanges } from "../field-changes.ts";
import { FieldEdit } from "../head-edit.ts";
import { type Policy } from "../policy.ts";

/** What browsers are told where the configuration asks for these fields and says no more. */
const DEFAULTS = {
  /** Seconds: a year. */
  maxAge: 31_536_000,
  /** What browsers do by themselves; it is said for those that do not. */
  referrerPolicy: "strict-origin-when-cross-origin",
  frameOptions: "SAMEORIGIN",
} as const;

/**
 * Sends the fields by which a browser protects a site's users: HSTS over TLS alone (RFC 6797 §7.2), a CSP where there is one. What
 * is configured takes the place of what the upstream sends; a default stands back behind it. Undefined where nothing is asked for.
 */
export function createSecurityHeadersPolicy(config: SecurityHeadersConfig): Policy | undefined {
  if (config.enabled === false) return undefined;
  const secure = changesFor(config, true);
  const plain = changesFor(config, false);
  return {
    name: "security_headers",
    runsOnLocalReply: true,
    request(exchange) {
      // No browser calls gRPC.
      if (exchange.head.isGrpc) return "continue";
      const changes = exchange.head.scheme === "https" ? secure : plain;
      exchange.response = new FieldEdit(exchange.response, changes);
      return "continue";
    },
    close() {},
  };
}

const NONE = "none";

/** A field, what it says (`NONE`: it is not sent), and whether the operator chose that. */
type Choice = readonly [name: string, value: string, isConfigured: boolean];

function changesFor(config: SecurityHeadersConfig, overTls: boolean): FieldChanges {
  const { csp = NONE, referrer_policy: referrer, frame_options: frame, content_type_options: nosniff } = config;
  const choices: Choice[] = [
    ["Content-Security-Policy", csp, true],
    ["Referrer-Policy", referrer ?? DEFAULTS.referrerPolicy, referrer !== undefined],
    ["X-Frame-Options", frame ?? DEFAULTS.frameOptions, frame !== undefined],
    ["X-Content-Type-Options", nosniff === false ? NONE : "nosniff", nosniff !== undefined],
  ];
  if (overTls) choices.push(["Strict-Transport-Security", hstsValue(config.hsts), config.hsts !== undefined]);
  const sent = choices.filter(([, value]) => value !== NONE);
  const configured = sent.filter(([, , isConfigured]) => isConfigured);
  return new FieldChanges({
    removed: configured.map(([name]) => name),
    added: configured.map(([name, value]) => fieldLine(name, value)).join(""),
    defaults: sent
      .filter(([, , isConfigured]) => !isConfigured)
      .map(([name, value]) => ({ name, line: fieldLine(name, value) })),
  });
}

function hstsValue(hsts: SecurityHeadersConfig["hsts"]): string {
  if (hsts === undefined) return `max-age=${DEFAULTS.maxAge}`;
  if (!hsts.enabled) return NONE;
  const subdomains = hsts.include_subdomains ? "; includeSubDomains" : "";
  return `max-age=${hsts.max_age_s}${subdomains}${hsts.preload ? "; preload" : ""}`;
}
