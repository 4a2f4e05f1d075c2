/** The real gateway in this process, with access to its counters. */
import { messageOf } from "../../../src/lib/caught.ts";
import { loadValue } from "../../../src/gateway/config/load.ts";
import { type Gateway } from "../../../src/gateway/process/gateway/gateway-interface.ts";
import { startGateway } from "../../../src/gateway/process/gateway/gateway.ts";
import { onlySlot } from "../../../src/gateway/telemetry/telemetry.ts";
import { ServerStates } from "../../../src/gateway/upstream/outlier-detection.ts";
import { LOCALHOST } from "../../support/certificates.ts";
import { Folder, until } from "../../support/program.ts";

/** Attempts to find a port that is free for both TCP and UDP. */
const QUIC_TRIES = 5;
/** More than the servers of any rig. */
const SLOTS = 512;

/** The counters of an upstream. */
export interface Counts {
  /** Tries. */
  readonly requests: number;
  readonly retries: number;
  readonly failures: number;
  readonly connections: number;
  readonly open: number;
  readonly waiting: number;
}

export interface RigOptions {
  readonly upstreams: readonly object[];
  readonly routes: readonly object[];
  readonly timeouts?: object;
  readonly limits?: object;
  readonly http2?: object;
  readonly buffer_pool?: object;
  readonly server?: object;
  readonly wasm_filters?: readonly object[];
  /** Also serves HTTP/3, on a separate port. */
  readonly quic?: boolean;
}

export class Rig {
  readonly port: number;
  /** With `quic`. */
  readonly tlsPort: number;
  quicPort = 0;
  readonly states: ServerStates;
  /** The gateway's log, with its faults. */
  readonly logged: string[];
  readonly #gateway: Gateway;
  readonly #folder: Folder;

  private constructor(gateway: Gateway, states: ServerStates, own: { folder: Folder; logged: string[] }) {
    this.#gateway = gateway;
    this.states = states;
    this.logged = own.logged;
    this.#folder = own.folder;
    this.port = gateway.listeners[0]?.port ?? 0;
    this.tlsPort = gateway.listeners[1]?.port ?? 0;
  }

  static async start(options: RigOptions): Promise<Rig> {
    const folder = new Folder();
    const logged: string[] = [];
    const { quic = false, server, ...rest } = options;
    const cleartext = { address: "127.0.0.1", port: 0 };
    const listeners: object[] = [cleartext];
    const [cert_path, key_path] = [folder.write("cert.pem", LOCALHOST.cert), folder.write("key.pem", LOCALHOST.key)];
    if (quic) listeners.push({ ...cleartext, use_tls: true, quic_enabled: true });
    const loaded = loadValue({
      server: { workers: 1, listeners, ...server },
      access_log: { enabled: false },
      ...(quic ? { tls: { cert_path, key_path } } : {}),
      ...rest,
    });
    if (loaded.config === undefined) throw new Error(`Cannot start a rig: ${JSON.stringify(loaded.problems)}`);
    const slot = onlySlot();
    const { config } = loaded;
    const begin = (tries: number): Promise<Gateway> =>
      startGateway({
        config,
        slot,
        storePath: ":memory:",
        reusePort: false,
        log: (message) => logged.push(message),
      }).catch((error: unknown) => {
        // Another process can have the UDP port of the same number.
        if (!quic || tries === 0 || !messageOf(error).includes("in use")) throw error;
        return begin(tries - 1);
      });
    const gateway = await begin(QUIC_TRIES);
    const rig = new Rig(gateway, new ServerStates(slot.zone, slot.row), { folder, logged });
    if (quic) rig.quicPort = await quicPortOf(rig.tlsPort);
    return rig;
  }

  async page(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.port}/metrics`);
    return await response.text();
  }

  async counts(upstream: string): Promise<Counts> {
    const page = await this.page();
    // Not parsed by all rules of the format, which takes 10 ms for a page: its own tests do that.
    const of = (name: string): number => {
      const samples = page.matchAll(new RegExp(`^turnpike_upstream_${name}{upstream="${upstream}",.*} (\\d+)$`, "gm"));
      return samples.reduce((sum, [, value]) => sum + Number(value), 0);
    };
    return {
      requests: of("requests_total"),
      retries: of("retries_total"),
      failures: of("failures_total"),
      connections: of("connections_total"),
      open: of("connections_open"),
      waiting: of("requests_waiting"),
    };
  }

  /** Requests in flight at all servers. */
  get inFlight(): number {
    let sum = 0;
    for (let slot = 0; slot < SLOTS; slot++) sum += this.states.inFlight(slot);
    return sum;
  }

  /** Waits until nothing is in flight or waits anywhere. Fails with an Error if something stays. */
  async settled(): Promise<void> {
    await until("nothing is in flight", () => (this.inFlight === 0 ? true : undefined));
    await until("nobody waits", async () =>
      / [1-9]\d*$/m.test((await this.page()).match(/^turnpike_upstream_requests_waiting{.*$/gm)?.join("\n") ?? "")
        ? undefined
        : true,
    );
  }

  /** Waits until this number of connections of the upstream is open. */
  async opened(upstream: string, count: number): Promise<void> {
    await until(`${count} connections of ${upstream}`, async () =>
      (await this.counts(upstream)).open === count ? true : undefined,
    );
  }

  async stop(graceMs = 0): Promise<void> {
    await this.#gateway.close(graceMs);
    this.#folder.remove();
  }
}

/** The port that `Alt-Svc` names. */
async function quicPortOf(tlsPort: number): Promise<number> {
  const told = await fetch(`https://127.0.0.1:${tlsPort}/.ready`, { tls: { rejectUnauthorized: false } });
  return Number(/h3=":(\d+)"/.exec(told.headers.get("alt-svc") ?? "")?.[1]);
}
