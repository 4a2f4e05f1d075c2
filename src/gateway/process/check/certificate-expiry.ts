/** When the certificates in a configuration's files expire. */
import { X509Certificate } from "node:crypto";
import { type Issued } from "../../acme/issued.ts";
import { type Config } from "../../config/config.ts";
import { type Diagnostic } from "../../config/diagnostic.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { CERTIFICATE_USES } from "../../telemetry/metrics/metrics.ts";
import { readCertificates } from "../../wire/read-certificates.ts";

const DAY_MS = 86_400_000;
/** Milliseconds before its end at which a certificate is reported. One of a shorter life is reported in its last third. */
const NEAR_MS = 30 * DAY_MS;
/** Milliseconds between two checks of a running gateway. */
const CHECK_MS = 3_600_000;

/** A certificate that a gateway shows, or a CA that it trusts for clients. */
export interface ServedCertificate {
  /** The configuration key, or `tls.acme` with the domain. */
  readonly path: string;
  readonly use: (typeof CERTIFICATE_USES)[number];
  /** Unix milliseconds. */
  readonly from: number;
  readonly to: number;
}

export type CertificateSections = Pick<Config, "admin" | "quic" | "server" | "tls">;

/** The certificates in a configuration's files, in its order. A file that cannot be used is left out. */
function certificatesOf(config: CertificateSections, upstreams: Config["upstreams"]): ServedCertificate[] {
  const { admin, quic, server, tls } = config;
  return [
    ...sectionCertificates(tls, "tls"),
    ...server.listeners.flatMap(({ tls: own }, i) =>
      own === undefined ? [] : sectionCertificates(own, `server.listeners[${i}].tls`),
    ),
    ...certificateIn(quic.cert_path, "quic.cert_path", "quic"),
    ...certificateIn(admin.enabled ? admin.tls.cert_path : "", "admin.tls.cert_path", "admin"),
    ...upstreams.flatMap((upstream, i) => (upstream.tls ? upstreamCertificate(upstream, `upstreams[${i}]`) : [])),
  ];
}

function upstreamCertificate(
  { tls_cert_path: file }: Pick<Config["upstreams"][number], "tls_cert_path">,
  path: string,
): ServedCertificate[] {
  return certificateIn(file, `${path}.tls_cert_path`, "upstream");
}

type Section = Pick<Config["tls"], never> & Partial<Omit<Config["tls"], "acme">>;

function sectionCertificates(section: Section, path: string): ServedCertificate[] {
  const { cert_path: own, certificates = [], client_ca_path: ca, hosts = [] } = section;
  return [
    ...certificateIn(own, `${path}.cert_path`, "tls"),
    ...certificates.flatMap((one, i) => certificateIn(one.cert_path, `${path}.certificates[${i}].cert_path`, "tls")),
    ...certificateIn(ca, `${path}.client_ca_path`, "client_ca"),
    ...hosts.flatMap((one, i) => certificateIn(one.client_ca_path, `${path}.hosts[${i}].client_ca_path`, "client_ca")),
  ];
}

function certificateIn(file = "", path: string, use: ServedCertificate["use"]): ServedCertificate[] {
  if (file === "") return [];
  let certificates: readonly X509Certificate[];
  try {
    certificates = readCertificates(file, "certificate");
  } catch {
    // The error is reported where the file is used.
    return [];
  }
  // The first certificate of a chain is the gateway's own. Of several CAs, the first to expire counts.
  const read = certificates.map((one) => servedOf(one, path, use));
  const found = use === "client_ca" ? read.toSorted((a, b) => a.to - b.to)[0] : read[0];
  return found === undefined ? [] : [found];
}

function servedOf(certificate: X509Certificate, path: string, use: ServedCertificate["use"]): ServedCertificate {
  return { path, use, from: Date.parse(certificate.validFrom), to: Date.parse(certificate.validTo) };
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The warning about the certificate; undefined if it is valid long enough. */
function warningOf({ from, to }: ServedCertificate, now: number): string | undefined {
  if (now < from) return `the certificate is valid only from ${day(from)} on; until then, other programs refuse it`;
  if (now > to) return `the certificate expired on ${day(to)}; other programs refuse it: renew it, and reload`;
  const days = Math.floor((to - now) / DAY_MS);
  const isNear = to - now < Math.min(NEAR_MS, (to - from) / 3);
  return isNear ? `the certificate expires on ${day(to)}, in ${days} days: renew it, and reload` : undefined;
}

/** A warning for each certificate of these sections that is not valid now or expires soon. `now` is in Unix milliseconds. */
export function expiryWarnings(config: CertificateSections, now: number): Diagnostic[] {
  return warningsOf(certificatesOf(config, []), now);
}

/** Like `expiryWarnings`, for the certificate of an upstream. `path` is the upstream's in the configuration. */
export function upstreamExpiryWarnings(
  upstream: Pick<Config["upstreams"][number], "tls_cert_path">,
  path: string,
  now: number,
): Diagnostic[] {
  return warningsOf(upstreamCertificate(upstream, path), now);
}

function warningsOf(certificates: readonly ServedCertificate[], now: number): Diagnostic[] {
  return certificates.flatMap((one) => {
    const message = warningOf(one, now);
    return message === undefined ? [] : [{ path: one.path, message }];
  });
}

interface WatchDeps {
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
  readonly counts: Counts;
  /** The certificates of `tls.acme`. */
  readonly issued: () => Issued["pairs"];
}

/** Reports the expiry of certificates: as metrics, and in the log when one nears its end. */
export class CertificateWatch {
  readonly #deps: WatchDeps;
  readonly #timer: NodeJS.Timeout;
  #certificates: readonly ServedCertificate[] = [];
  #logged: ReadonlyMap<string, string> = new Map();

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
    this.#timer.unref();
  }

  use(config: Config): void {
    this.#certificates = certificatesOf(config, config.upstreams);
    this.#check();
  }

  /** Every certificate, those of `tls.acme` too. */
  list(): readonly ServedCertificate[] {
    const issued = this.#deps
      .issued()
      .map(({ domain, pair }) => servedOf(new X509Certificate(pair.cert), `tls.acme ${domain}`, "acme"));
    return [...this.#certificates, ...issued];
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    for (const use of CERTIFICATE_USES) {
      if (use === "acme") continue;
      const ends = this.#certificates.flatMap((one) => (one.use === use ? one.to : []));
      this.#deps.counts.set("certificateExpiry", ends.length === 0 ? 0 : Math.floor(Math.min(...ends) / 1000), use);
    }
    const found = warningsOf(this.#certificates, this.#deps.clock());
    const warnings = new Map(found.map(({ path, message }) => [path, message]));
    for (const [path, warning] of warnings) {
      if (this.#logged.get(path) !== warning) this.#deps.log(`${path}: ${warning}`);
    }
    this.#logged = warnings;
  }
}
