import { type KeyPair } from "../wire/tls.ts";
import { type Challenge } from "./order.ts";

/** A challenge that is under way. `pair` is the certificate and key for TLS-ALPN-01. */
export interface OpenChallenge extends Challenge {
  readonly pair: KeyPair | undefined;
}

/** The response to an HTTP-01 challenge (RFC 8555 §8.3); undefined if there is no such challenge. */
export function httpResponse(challenges: readonly OpenChallenge[], token: string): string | undefined {
  return challenges.find((challenge) => challenge.type === "http-01" && challenge.token === token)?.keyAuthorization;
}

/** The certificate for a TLS-ALPN-01 challenge of a host name; undefined if there is no such challenge. */
export function handshakeReply(challenges: readonly OpenChallenge[], hostname: string): KeyPair | undefined {
  return challenges.find((challenge) => challenge.type === "tls-alpn-01" && challenge.domain === hostname)?.pair;
}
