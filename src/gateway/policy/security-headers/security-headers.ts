import { fieldLine } from "../../../lib/http/fields.ts";
import { type SecurityHeadersConfig } from "../../config/config.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { sendSecurityFields } from "../../exchange/security-fields.ts";
import { FieldChanges } from "../field-changes.ts";
import { changeFinalHead } from "../head-edit.ts";
import { type Policy, type PolicyFeature } from "../policy.ts";

/** Values for browsers, if the configuration enables these fields without values of its own. */
const DEFAULTS = {
  /** Seconds: a year. */
  maxAge: 31_536_000,
  /** The default of current browsers, sent for browsers that have another one. */
  referrerPolicy: "strict-origin-when-cross-origin",
  frameOptions: "SAMEORIGIN",
} as const;

/** Provides `security_headers`, with the values of a route in place of those of the whole gateway. */
export function provideSecurityHeaders({ config: { security_headers: common, server } }: FeatureParts): PolicyFeature {
  return {
    policy(route) {
      const own = route?.security_headers;
      if (server.disable_middleware || (common === undefined && own === undefined)) return undefined;
      return createSecurityHeadersPolicy({ ...common, ...own });
    },
    use: () => sendSecurityFields(!server.disable_middleware),
  };
}

/**
 * Sends the fields by which browsers protect a site's users. HSTS is sent only over TLS (RFC 6797 §7.2), and a CSP only
 * if it is configured. A configured value replaces the upstream's; a default is sent only if the upstream sends none.
 * Undefined if the fields are disabled.
 */
function createSecurityHeadersPolicy(config: SecurityHeadersConfig): Policy | undefined {
  if (config.enabled === false) return undefined;
  const secure = changesFor(config, true);
  const plain = changesFor(config, false);
  return {
    name: "security_headers",
    runsOnLocalReply: true,
    request(exchange) {
      // Browsers do not send gRPC calls.
      if (exchange.head.isGrpc) return "continue";
      changeFinalHead(exchange, exchange.head.scheme === "https" ? secure : plain);
      return "continue";
    },
  };
}

const NONE = "none";

/** A field, its value (`NONE`: it is not sent), and whether the operator has configured it. */
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
