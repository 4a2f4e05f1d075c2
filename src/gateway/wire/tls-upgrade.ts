import { type SocketHandler } from "bun";
import { DEAF, type OnError } from "./tcp.ts";
import {
  clientCertificates,
  contextFor,
  contextsOf,
  type HandshakeHandler,
  tlsHandlerFor,
  type TlsMaterial,
} from "./tls.ts";
import { nativeOf } from "./tls-connect.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/** Begins TLS on a wire that has carried other data before. */
export interface TlsUpgrade {
  /**
   * `firstBytes` are the bytes of the client's handshake that have arrived. `accept` gets the wire with the decrypted
   * bytes, and returns the handler for the handshake. The old wire must not be used any more.
   */
  begin(wire: Wire, firstBytes: Buffer, accept: (wire: Wire) => HandshakeHandler): void;
}

/** Prepares TLS with `material`. Throws if a certificate cannot be used. */
export function createTlsUpgrade(material: TlsMaterial, protocols: readonly string[], onError: OnError): TlsUpgrade {
  const contexts = contextsOf(material);
  const asks = clientCertificates(material);
  const tls = {
    secureContext: nativeOf(contexts.fallback),
    ALPNProtocols: protocols.map((name) => String.fromCharCode(name.length) + name).join(""),
    requestCert: asks.clientCert,
    rejectUnauthorized: asks.required,
  };
  const pickContext = (name: string): object => nativeOf(contextFor(contexts, name.toLowerCase()));
  return {
    begin(wire, firstBytes, accept) {
      const handlers: SocketHandler<WireHandler> = {
        ...tlsHandlerFor(asks, onError),
        open(socket) {
          socket.data = accept(socket);
        },
      };
      const before = wire.data;
      // The old wire still gets the encrypted bytes, which no handler needs.
      wire.data = DEAF;
      try {
        upgrade(wire, {
          data: DEAF,
          tls,
          isServer: true,
          initialData: firstBytes,
          socket: { ...handlers, serverName: (_: unknown, name: string) => pickContext(name) },
        });
      } catch (error) {
        wire.data = before;
        throw error;
      }
    },
  };
}

/**
 * Upgrades a socket of Bun (`upgradeTLS`) on the server's side, with bytes that were already read and a certificate for
 * each name. Bun's node:tls uses this, but Bun's types do not have it. A test fails if another version of Bun changes
 * it.
 */
function upgrade(wire: Wire, options: object): void {
  const upgradeTls: unknown = Reflect.get(wire, "upgradeTLS");
  if (typeof upgradeTls !== "function") {
    throw new Error("Cannot begin TLS behind the PROXY protocol: this version of Bun does it in another way");
  }
  Reflect.apply(upgradeTls, wire, [options]);
}
