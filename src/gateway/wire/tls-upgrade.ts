import { type SocketHandler } from "bun";
import { DEAF, type OnFault } from "./tcp.ts";
import {
  clientCertificates,
  contextFor,
  contextsOf,
  type HandshakeHandler,
  tlsHandlerFor,
  type TlsMaterial,
} from "./tls.ts";
import { nativeOf } from "./tls-context.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/** Begins TLS on a wire that has carried something else before. */
export interface TlsUpgrade {
  /**
   * `firstBytes` is what came of the client's handshake so far. `accept` gets the wire that the protocol inside runs on and
   * says who waits for the handshake; the old wire is over.
   */
  begin(wire: Wire, firstBytes: Buffer, accept: (wire: Wire) => HandshakeHandler): void;
}

/** Makes ready to show `material`. Throws where a certificate cannot be used. */
export function createTlsUpgrade(material: TlsMaterial, protocols: readonly string[], onFault: OnFault): TlsUpgrade {
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
        ...tlsHandlerFor(asks, onFault),
        open(socket) {
          socket.data = accept(socket);
        },
      };
      const before = wire.data;
      // It goes on hearing the bytes that come, which are not for anybody any more.
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
 * Bun's sockets can be upgraded (`upgradeTLS`); that the server's side can be, with bytes that were read already and a
 * certificate by name, is what its node:tls uses and its types do not tell. A test fails where another Bun changes it.
 */
function upgrade(wire: Wire, options: object): void {
  const upgradeTls: unknown = Reflect.get(wire, "upgradeTLS");
  if (typeof upgradeTls !== "function") {
    throw new Error("Cannot begin TLS behind the PROXY protocol: this version of Bun does it in another way");
  }
  Reflect.apply(upgradeTls, wire, [options]);
}
