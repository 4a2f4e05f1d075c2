import { connect as connectTcp, isIP, type Socket } from "node:net";
import { checkServerIdentity, connect as connectTls } from "node:tls";
import { systemTrust } from "../../lib/net/system-trust.ts";
import { Messages } from "./messages.ts";
import { PostgresError } from "./postgres-error.ts";
import { type Target } from "./target.ts";

/** A connection attempt, so that it can be aborted. */
export interface Attempt {
  /** The current socket, to be destroyed after the timeout. */
  socket: Socket | undefined;
}

const YES = 0x53;
const NO = 0x4e;

/** Milliseconds between keep-alive probes of a silent connection, which a firewall may have dropped. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Opens a socket that is ready for the start-up message: encrypted and verified according to `sslMode`. `authorities`
 * are PEM certificates that `verify-full` trusts instead of the system's; empty: the system's.
 */
export async function dial(target: Target, authorities: string, attempt: Attempt): Promise<Socket> {
  const { host, port, sslMode } = target;
  const socket = connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  attempt.socket = socket;
  await event(socket, "connect", (code) => `the server is not reached (${code})`);
  if (sslMode === "disable") return socket;
  await askForTls(socket);
  const verify = sslMode === "verify-full";
  const secured = connectTls({
    socket,
    ca: verify ? (authorities === "" ? [...systemTrust()] : authorities) : undefined,
    rejectUnauthorized: verify,
    // RFC 6066 §3 does not allow an IP address as server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // The identity is checked below with the configured host, because an IP address has no server name here.
    checkServerIdentity: () => undefined,
    minVersion: "TLSv1.2",
  });
  attempt.socket = secured;
  await event(secured, "secureConnect", (code) => `TLS failed (${code})`);
  if (!verify) return secured;
  const error = checkServerIdentity(host, secured.getPeerCertificate());
  if (secured.authorized && error === undefined) return secured;
  secured.destroy();
  const what = error === undefined ? "the server's certificate is not trusted" : "the certificate is for another host";
  throw new PostgresError("refused", `TLS failed (${what})`);
}

/** SSLRequest, chapter 55.2.10. More than one byte means that an attacker added unencrypted data (CVE-2021-23222). */
async function askForTls(socket: Socket): Promise<void> {
  socket.write(new Messages().sslRequest().take());
  const response = await new Promise<Buffer>((resolve, reject) => {
    socket.once("data", resolve);
    socket.once("close", () => reject(new PostgresError("connection", "the server closed when it was asked for TLS")));
  });
  if (response.length === 1 && response[0] === YES) return;
  socket.destroy();
  if (response.length === 1 && response[0] === NO)
    throw new PostgresError("refused", "the server does not offer TLS; sslmode=disable in its URL connects without");
  throw new PostgresError("protocol", "the peer does not speak PostgreSQL's protocol");
}

function event(socket: Socket, name: string, failure: (code: string) => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (code: string) => {
      socket.destroy();
      reject(new PostgresError("connection", failure(code)));
    };
    socket.once("error", (error: NodeJS.ErrnoException) => failed(error.code ?? "unknown"));
    socket.once("close", () => failed("closed"));
    socket.once(name, () => {
      socket.removeAllListeners("error").removeAllListeners("close");
      // The socket has no other listener for errors until the caller adds one.
      socket.on("error", () => {});
      resolve();
    });
  });
}
