/** The gateway paths over HTTP/3, and the metrics of HTTP/3. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { Http3Client } from "../support/http3-client.ts";
import { Folder, Program, until } from "../support/program.ts";
import { valueOf } from "../support/prometheus.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

test("liveness, readiness and metrics respond over HTTP/3, and count its traffic", async () => {
  const folder = new Folder();
  const [cert_path, key_path] = [folder.write("cert.pem", LOCALHOST.cert), folder.write("key.pem", LOCALHOST.key)];
  const config = {
    server: { workers: 1, listeners: [{ address: "127.0.0.1", port: 0, use_tls: true, quic_enabled: true }] },
    access_log: { enabled: false },
    tls: { cert_path, key_path },
    // The client disappears: its connection ends after this time without packets.
    quic: { max_idle_timeout_ms: 1000 },
  };
  const program = new Program(["--config", folder.write("turnpike.json", config)]);
  try {
    const [, tcpPort] = await program.sees(/listening on https:\/\/\S*?:(\d+)/);
    const told = await fetch(`https://127.0.0.1:${tcpPort}/.ready`, { tls: { rejectUnauthorized: false } });
    expect(told.status).toBe(200);
    const port = Number(/h3=":(\d+)"/.exec(told.headers.get("alt-svc") ?? "")?.[1]);
    await program.sees(new RegExp(`listening on https://127\\.0\\.0\\.1:${port} by HTTP/3`));
    const client = await Http3Client.connect(port);
    for (const path of ["/.healthz", "/.ready"]) {
      const { headers, body } = await client.request("GET", path);
      expect([headers[":status"], body.length]).toEqual(["200", 0]);
    }
    const { headers, body } = await client.request("GET", "/metrics");
    expect(headers[":status"]).toBe("200");
    const page = body.toString();
    expect(valueOf(page, "turnpike_http_requests_total", { protocol: "http3", method: "GET" })).toBe(3);
    expect(valueOf(page, "turnpike_http_responses_total", { protocol: "http3", code: "200" })).toBe(2);
    expect(valueOf(page, "turnpike_connections_total", { transport: "quic" })).toBe(1);
    expect(valueOf(page, "turnpike_connections_open", { transport: "quic" })).toBe(1);
    expect(valueOf(page, "turnpike_http_connections_total", { protocol: "http3" })).toBe(1);
    expect(valueOf(page, "turnpike_quic_streams_total")).toBe(3);
    expect(valueOf(page, "turnpike_quic_received_bytes_total")).toBeGreaterThan(1000);
    client.close();
    await until("the end of the connection", async () => {
      const response = await fetch(`https://127.0.0.1:${tcpPort}/metrics`, { tls: { rejectUnauthorized: false } });
      const text = await response.text();
      const isOver = valueOf(text, "turnpike_connections_open", { transport: "quic" }) === 0;
      return isOver && valueOf(text, "turnpike_quic_streams_total") === 3 ? true : undefined;
    });
  } finally {
    await program.stop();
    folder.remove();
  }
});
