import { createSecureContext, type SecureContext } from "node:tls";
import { type HostCheck } from "../../lib/http/allowed-hosts.ts";
import { messageOf } from "../../lib/caught.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Config } from "../config/config.ts";
import { type OnEvent } from "../telemetry/event.ts";
import { consoleFiles } from "./console/console-files.ts";
import { createApp } from "./app.ts";
import { respondBy, type Incoming } from "./http/exchange.ts";
import { Guard } from "./http/guard.ts";
import { type AdminKeys, readKeys } from "./http/keys.ts";
import { Listener } from "./http/listener.ts";
import { withDescription } from "./openapi.ts";
import { ownHosts } from "./http/own-host.ts";
import { malformedResponse, problemResponse } from "./http/problem.ts";
import { OPERATIONS } from "./operations/operations.ts";
import { type AdminParts } from "./operations/parts.ts";
import { hostAndPort } from "../../lib/http/url-host.ts";

/** Certificate and key in PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** The parts of the process for the admin interface. `environment` has the keys. */
export interface AdminServerDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads and checks a certificate and its key. Throws with the file's name. */
  readonly readCertificate: (paths: Config["admin"]["tls"]) => CertificatePair;
  readonly onEvent: OnEvent;
  readonly onError: (error: unknown) => void;
}

/** The parts of the interface for a new configuration, ready for use. */
interface Prepared {
  readonly keys: AdminKeys;
  readonly secure: SecureContext | undefined;
  /** The current listener, if its address and port stay the same. */
  readonly listener: Listener;
}

/**
 * The admin interface of a gateway, through all its configurations.
 *
 *   prepare ─┬─ commit ───▶ it listens on the new endpoint, with the new keys and certificate
 *            └─ rollback ─▶ nothing changes
 */
export class AdminServer {
  readonly #deps: AdminServerDeps;
  #handle: ((incoming: Incoming) => Promise<Response>) | undefined;
  readonly #guard: Guard;
  #address = "";
  #isOwnHost: HostCheck = () => false;
  #listener: Listener | undefined;
  #next: Prepared | undefined;
  /** Listeners that still send their last responses. */
  readonly #closing = new Set<Promise<void>>();

  constructor(deps: AdminServerDeps) {
    this.#deps = deps;
    this.#guard = new Guard(deps.onEvent);
  }

  /** The interface's URL on this machine; undefined if the interface is off. */
  get url(): string | undefined {
    if (this.#listener === undefined) return undefined;
    const anywhere = this.#address === "0.0.0.0" || this.#address === "::";
    const host = anywhere ? "127.0.0.1" : this.#address;
    const scheme = this.#listener.isSecure ? "https" : "http";
    return `${scheme}://${hostAndPort(host, this.#listener.port)}/`;
  }

  /** Reads keys and certificate, and binds a changed port. If that fails, it rejects and changes nothing. */
  async prepare({ admin }: Pick<Config, "admin">): Promise<void> {
    if (!admin.enabled) return;
    const keys = readKeys({ admin }, this.#deps.environment);
    const secure = this.#readCertificate(admin);
    const current = this.#listener;
    const listener = current?.serves(admin) === true ? current : await this.#bind(admin, secure);
    this.#next = { keys, secure, listener };
  }

  /** Serves with the prepared parts; `config` is the same. Old listeners close after their last responses. */
  commit({ admin }: Pick<Config, "admin">): void {
    const next = this.#next;
    const before = this.#listener;
    this.#next = undefined;
    this.#listener = next?.listener;
    this.#guard.keys = next?.keys;
    if (next !== undefined) {
      this.#address = admin.address;
      this.#isOwnHost = ownHosts(admin);
      next.listener.show(next.secure);
    }
    if (before !== undefined && before !== next?.listener) this.#close(before);
  }

  /** Discards the prepared parts. */
  rollback(): void {
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined && next.listener !== this.#listener) this.#close(next.listener);
  }

  /** Serves requests with `parts` from now on. Before this call, every request gets a 503. */
  serve(parts: AdminParts): void {
    const { onError } = this.#deps;
    const operations = withDescription(OPERATIONS);
    const isOwnHost: HostCheck = (authority) => this.#isOwnHost(authority);
    this.#handle = createApp({ parts, guard: this.#guard, operations, files: consoleFiles(), onError, isOwnHost });
  }

  /** Accepts no more connections. Responses that are under way, and streams that have ended, are sent to their end. */
  async close(): Promise<void> {
    this.rollback();
    const last = this.#listener;
    this.#listener = undefined;
    if (last !== undefined) this.#close(last);
    await Promise.all(this.#closing);
  }

  #bind({ address, port }: Config["admin"], secure: SecureContext | undefined): Promise<Listener> {
    return Listener.bind({
      address,
      port,
      secure,
      malformed: malformedResponse,
      refusal: (peer) => this.#guard.refusal(peer),
      handle: (message, response, connection) => {
        const handler = this.#handle ?? starting;
        respondBy(handler, message, response, connection).catch((error: unknown) => {
          this.#deps.onError(error);
          connection.cut();
        });
      },
    });
  }

  #readCertificate({ tls }: Config["admin"]): SecureContext | undefined {
    if (tls.cert_path === "") return undefined;
    try {
      return createSecureContext({ ...this.#deps.readCertificate(tls), minVersion: "TLSv1.2" });
    } catch (error) {
      throw new Error(`Cannot serve the admin interface by TLS: ${messageOf(error)}`, { cause: error });
    }
  }

  #close(listener: Listener): void {
    const closed = listener.close().catch((error: unknown) => this.#deps.onError(error));
    this.#closing.add(closed);
    void closed.then(() => this.#closing.delete(closed));
  }
}

function starting(): Promise<Response> {
  return Promise.resolve(
    problemResponse(new TurnpikeError("overloaded", "Cannot serve the request yet: the gateway is starting"), ""),
  );
}
