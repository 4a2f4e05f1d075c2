import { add, COLUMN, ORDER_RESULTS } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

/** Domains of `tls.acme`, by the state of their certificates. */
export interface CertificateCounts {
  readonly valid: number;
  readonly missing: number;
  readonly expired: number;
  /** When the first certificate expires, in Unix seconds; 0 without certificates. */
  readonly nextExpiry: number;
}

/** The uses of certificates, whose next expiry is reported. The last one is that of `tls.acme`. */
export const CERTIFICATE_USES = ["tls", "quic", "client_ca", "upstream", "admin", "acme"] as const;

/** Counts orders of certificates, and reports the current certificates. */
export class CertificateMetrics {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  ordered(result: (typeof ORDER_RESULTS)[number]): void {
    add(this.#row, COLUMN.certificateOrders + ORDER_RESULTS.indexOf(result), 1);
  }

  has({ valid, missing, expired, nextExpiry }: CertificateCounts): void {
    this.#row[COLUMN.certificates] = valid;
    this.#row[COLUMN.certificates + 1] = missing;
    this.#row[COLUMN.certificates + 2] = expired;
    this.#row[COLUMN.certificateExpiry + CERTIFICATE_USES.indexOf("acme")] = nextExpiry;
  }

  /** Reports the certificates from files. `to` is in Unix milliseconds. */
  expires(certificates: readonly { readonly use: (typeof CERTIFICATE_USES)[number]; readonly to: number }[]): void {
    for (const [index, use] of CERTIFICATE_USES.entries()) {
      if (use === "acme") continue;
      const ends = certificates.flatMap((one) => (one.use === use ? one.to : []));
      this.#row[COLUMN.certificateExpiry + index] = ends.length === 0 ? 0 : Math.floor(Math.min(...ends) / 1000);
    }
  }
}

/** Writes the expiry of certificates, and the orders of `tls.acme`. */
export function writeCertificates(page: Page, { totals }: Snapshot): void {
  page.metric("turnpike_acme_orders_total", "counter", "Orders of certificates by tls.acme, by result.");
  for (const [index, result] of ORDER_RESULTS.entries())
    page.sample(at(totals, COLUMN.certificateOrders + index), { result });
  page.metric("turnpike_acme_certificates", "gauge", "Domains of tls.acme, by the state of their certificate.");
  for (const [index, state] of ["valid", "missing", "expired"].entries())
    page.sample(at(totals, COLUMN.certificates + index), { state });
  page.metric(
    "turnpike_certificate_expiry_timestamp_seconds",
    "gauge",
    "When the first certificate of this use expires, in Unix seconds; absent without certificates.",
  );
  for (const [index, use] of CERTIFICATE_USES.entries()) {
    const expiry = at(totals, COLUMN.certificateExpiry + index);
    if (expiry !== 0) page.sample(expiry, { use });
  }
}
