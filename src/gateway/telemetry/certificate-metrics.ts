import { type Counts } from "./metrics/counts.ts";
import { CERTIFICATE_USES } from "./metrics/metrics.ts";

/** Domains of `tls.acme`, by the state of their certificates. */
export interface CertificateCounts {
  readonly valid: number;
  readonly missing: number;
  readonly expired: number;
  /** When the first certificate expires, in Unix seconds; 0 without certificates. */
  readonly nextExpiry: number;
}

/** Counts orders of certificates, and reports the current certificates. */
export class CertificateMetrics {
  readonly #counts: Counts;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  ordered(result: "issued" | "failed"): void {
    this.#counts.add("certificateOrders", 1, result);
  }

  has({ nextExpiry, ...domains }: CertificateCounts): void {
    for (const state of ["valid", "missing", "expired"] as const)
      this.#counts.set("certificates", domains[state], state);
    this.#counts.set("certificateExpiry", nextExpiry, "acme");
  }

  /** Reports the certificates from files. `to` is in Unix milliseconds. */
  expires(certificates: readonly { readonly use: (typeof CERTIFICATE_USES)[number]; readonly to: number }[]): void {
    for (const use of CERTIFICATE_USES) {
      if (use === "acme") continue;
      const ends = certificates.flatMap((one) => (one.use === use ? one.to : []));
      this.#counts.set("certificateExpiry", ends.length === 0 ? 0 : Math.floor(Math.min(...ends) / 1000), use);
    }
  }
}
