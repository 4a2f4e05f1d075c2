/** A gateway with an upstream of each connection kind, all of which accept WebSocket handshakes. */
import { TEST_CA } from "../../support/certificates.ts";
import { serverAt } from "../../support/gateway.ts";
import { Folder } from "../../support/program.ts";
import { Rig } from "../../proxy/testing/rig.ts";
import { type ClientKind, type Handshake, type Opened, openTunnel } from "./tunnel-client.ts";
import { type End } from "./end.ts";
import { TunnelOrigin } from "./tunnel-origin.ts";

export const CLIENTS: readonly ClientKind[] = ["HTTP/1.1", "HTTP/1.1 over TLS", "HTTP/2", "HTTP/2 over TLS"];
export const UPSTREAMS = ["tcp", "tls", "unix"] as const;
export type UpstreamKind = (typeof UPSTREAMS)[number];

/** The options of `Stage.start` for its routes. */
export interface StageOptions {
  readonly route?: object;
  readonly timeouts?: object;
  readonly limits?: object;
}

export class Stage {
  readonly rig: Rig;
  readonly #folder: Folder;
  readonly #origins: Readonly<Record<UpstreamKind, TunnelOrigin>>;
  readonly #opened: Opened[] = [];

  private constructor(rig: Rig, folder: Folder, origins: Readonly<Record<UpstreamKind, TunnelOrigin>>) {
    this.rig = rig;
    this.#folder = folder;
    this.#origins = origins;
  }

  static async start({ route = {}, ...rest }: StageOptions = {}): Promise<Stage> {
    const folder = new Folder();
    const path = folder.file("origin.sock");
    const [tcp, tls, unix] = await Promise.all([
      TunnelOrigin.start(),
      TunnelOrigin.start({ tls: true }),
      TunnelOrigin.start({ path }),
    ]);
    const connection_pool = { max_connections: 1000 };
    const tls_ca_path = folder.write("ca.pem", TEST_CA.cert);
    const rig = await Rig.start({
      quic: true,
      upstreams: [
        { name: "tcp", servers: [serverAt(tcp.port)], connection_pool },
        { name: "tls", servers: [serverAt(tls.port)], connection_pool, tls: true, tls_ca_path },
        { name: "unix", servers: [{ unix: path, max_fails: 1_000_000 }], connection_pool },
      ],
      routes: UPSTREAMS.map((upstream) => ({ path_prefix: `/${upstream}`, upstream, ...route })),
      ...rest,
    });
    return new Stage(rig, folder, { tcp, tls, unix });
  }

  origin(kind: UpstreamKind = "tcp"): TunnelOrigin {
    return this.#origins[kind];
  }

  /** Requests a tunnel, and resolves with any response. */
  async ask(client: ClientKind, upstream: UpstreamKind = "tcp", handshake: Handshake = {}): Promise<Opened> {
    const opened = await openTunnel(client, this.rig, { path: `/${upstream}`, ...handshake });
    this.#opened.push(opened);
    return opened;
  }

  /** An open tunnel with both ends. */
  async open(
    client: ClientKind,
    upstream: UpstreamKind = "tcp",
    handshake: Handshake = {},
  ): Promise<{ client: Opened; here: End; there: End }> {
    const before = this.origin(upstream).tunnels.length;
    const opened = await this.ask(client, upstream, handshake);
    if (opened.status !== (client.startsWith("HTTP/2") ? 200 : 101)) {
      await opened.end.over();
      throw new Error(`No tunnel: ${opened.status} ${opened.end.text}`);
    }
    return { client: opened, here: opened.end, there: await this.origin(upstream).tunnel(before) };
  }

  /** Closes all connections of clients and origins, and checks that the gateway keeps nothing of them. */
  async clear(): Promise<void> {
    for (const opened of this.#opened.splice(0)) opened.destroy();
    for (const kind of UPSTREAMS) this.#origins[kind].reset();
    await this.rig.settled();
    for (const kind of UPSTREAMS) await this.rig.opened(kind, 0);
  }

  async stop(): Promise<void> {
    await this.rig.stop();
    await Promise.all(UPSTREAMS.map((kind) => this.#origins[kind].stop()));
    this.#folder.remove();
  }
}
