import { count, filePath, flag, listenPort, section } from "./kinds.ts";

/** `quic`: HTTP/3. */
export const quic = section({
  enabled: flag().describe("Serve HTTP/3; requires `cert_path` and `key_path`."),
  port: listenPort.default(443).describe("UDP port."),
  cert_path: filePath.default("").describe("PEM certificate chain; required when enabled."),
  key_path: filePath.default("").describe("PEM private key; required when enabled."),
  max_idle_timeout_ms: count(30_000, 0, 2_147_483_647).describe("Idle timeout; not 0 when enabled."),
  max_streams_bidi: count(100, 0, 2_147_483_647).describe(
    "Maximum concurrent bidirectional streams of one connection.",
  ),
  max_streams_uni: count(100, 0, 2_147_483_647).describe(
    "Maximum concurrent unidirectional streams of one connection.",
  ),
}).describe("HTTP/3 over QUIC. Other transport parameters are fixed.");
