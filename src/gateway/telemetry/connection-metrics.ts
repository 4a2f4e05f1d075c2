import { add, COLUMN, PROTOCOLS, TLS_VERSIONS, TRANSPORTS } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

/** An item of `TRANSPORTS`. */
export type Transport = (typeof TRANSPORTS)[number];

/** Counts connections and TLS handshakes into a worker's row. */
export class ConnectionMetrics {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  /** A connection was accepted. */
  accepted(transport: Transport): void {
    add(this.#row, COLUMN.connections + TRANSPORTS.indexOf(transport), 1);
  }

  /** A connection is open, or has entered a new stage. In the second case `left` follows for the stage before. */
  entered(transport: Transport): void {
    add(this.#row, COLUMN.connectionsOpen + TRANSPORTS.indexOf(transport), 1);
  }

  left(transport: Transport): void {
    add(this.#row, COLUMN.connectionsOpen + TRANSPORTS.indexOf(transport), -1);
  }

  /** An idle connection was closed to make room for another one. */
  yielded(transport: Transport): void {
    add(this.#row, COLUMN.connectionsYielded + TRANSPORTS.indexOf(transport), 1);
  }

  /** A connection exceeded `server.max_connections` or the share of its address, or came while the server drained. */
  refused(transport: Transport): void {
    add(this.#row, COLUMN.connectionsRefused + TRANSPORTS.indexOf(transport), 1);
  }

  /** The protocol of a connection is known. */
  speaks(protocol: (typeof PROTOCOLS)[number]): void {
    add(this.#row, COLUMN.connectionProtocols + PROTOCOLS.indexOf(protocol), 1);
  }

  /** `version` is OpenSSL's name of it. */
  handshake(version: string, resumed: boolean): void {
    const index = version === "TLSv1.2" ? 0 : 1;
    add(this.#row, COLUMN.tlsHandshakes + index * 2 + (resumed ? 1 : 0), 1);
  }

  handshakeFailed(): void {
    add(this.#row, COLUMN.tlsFailures, 1);
  }
}

/** Writes connections by transport, and TLS handshakes. */
export function writeConnections(page: Page, { totals }: Snapshot): void {
  const perTransport = (column: number): void => {
    for (const [t, transport] of TRANSPORTS.entries()) page.sample(at(totals, column + t), { transport });
  };
  page.metric("turnpike_connections_open", "gauge", "Open client connections.");
  perTransport(COLUMN.connectionsOpen);
  page.metric("turnpike_connections_total", "counter", "Accepted client connections.");
  perTransport(COLUMN.connections);
  page.metric(
    "turnpike_connections_refused_total",
    "counter",
    "Client connections over server.max_connections or max_connections_per_address.",
  );
  perTransport(COLUMN.connectionsRefused);
  page.metric(
    "turnpike_connections_yielded_total",
    "counter",
    "Idle client connections closed to make room for others.",
  );
  perTransport(COLUMN.connectionsYielded);
  page.metric("turnpike_http_connections_total", "counter", "Client connections by protocol.");
  for (const [p, protocol] of PROTOCOLS.entries())
    page.sample(at(totals, COLUMN.connectionProtocols + p), { protocol });
  page.metric("turnpike_tls_handshakes_total", "counter", "Completed TLS handshakes of clients.");
  for (const [v, version] of TLS_VERSIONS.entries()) {
    for (const [r, resumed] of ["false", "true"].entries()) {
      page.sample(at(totals, COLUMN.tlsHandshakes + v * 2 + r), { version, resumed });
    }
  }
  page.metric("turnpike_tls_handshake_failures_total", "counter", "Failed TLS handshakes of clients.");
  page.sample(at(totals, COLUMN.tlsFailures));
}
