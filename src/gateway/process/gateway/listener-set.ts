import { isDeepStrictEqual } from "node:util";
import { type Issued, type ReadTls, shownByListener } from "../../acme/issued.ts";
import { type Config } from "../../config/config.ts";
import { type TlsMaterial } from "../../wire/tls.ts";
import { type ListenerShared } from "../listeners/connection-hosts.ts";
import { GatewayListener } from "../listeners/gateway-listener.ts";
import { type BoundListener, type ListenerPlan, listenersOf, withPorts } from "../listeners/listener-plan.ts";
import { quicMaterialsOf, type QuicListeners, quicPlansOf } from "../listeners/quic-listeners.ts";

/** Milliseconds that connections have to end after a reload removed their listener; then they are closed. @operator @bound */
const REMOVED_GRACE_MS = 30_000;

/** The certificates from the files of a configuration. Listeners show these and the issued ones. */
export interface ReadCertificates {
  readonly tls: ReadTls | undefined;
  readonly quic: ReadTls | undefined;
}

interface Materials {
  readonly config: Config;
  readonly read: ReadCertificates;
  /** The certificates that each listener shows, in the configuration's order. */
  readonly shown: readonly (TlsMaterial | undefined)[];
}

/** The listeners of a gateway and their certificates. */
export class ListenerSet {
  readonly #shared: ListenerShared;
  readonly #quic: QuicListeners;
  #bound: readonly GatewayListener[] = [];
  /** Listeners that accept no more connections, but still have open ones. */
  readonly #closing = new Set<GatewayListener>();
  #issued: Issued;
  #materials: Materials | undefined;

  constructor(shared: ListenerShared, quic: QuicListeners, issued: Issued) {
    this.#shared = shared;
    this.#quic = quic;
    this.#issued = issued;
  }

  get issued(): Issued {
    return this.#issued;
  }

  get endpoints(): readonly BoundListener[] {
    return this.#bound.map((listener) => listener.endpoint);
  }

  get connections(): number {
    return [...this.#bound, ...this.#closing].reduce(
      (sum, listener) => sum + listener.connections,
      this.#quic.connections,
    );
  }

  /** Takes the certificates of the first configuration. Throws if they do not fit its listeners. */
  prepare(config: Config, read: ReadCertificates): void {
    this.#materials = this.#materialsOf(config, read);
  }

  /**
   * Binds the listeners of the first configuration, and closes those of a call before. Rejects if one fails; then none stays
   * bound.
   */
  async bind(plans: readonly ListenerPlan[]): Promise<readonly BoundListener[]> {
    const before = this.#bound;
    this.#bound = [];
    await Promise.all(before.map((listener) => listener.close(0)));
    this.#bound = await this.#bindAll(plans, this.#materials?.shown ?? []);
    return this.endpoints;
  }

  /** Serves HTTP/3 by the first configuration. */
  async serveQuic(): Promise<void> {
    if (this.#materials !== undefined) await this.#serveQuic(this.#materials, this.#bound);
  }

  /** Binds the new ports of another configuration. Rejects if one fails; then nothing has changed. */
  async change(config: Config, read: ReadCertificates) {
    const materials = this.#materialsOf(config, read);
    const { shown } = materials;
    const before = this.#bound;
    const plans = listenersOf(withPorts(config, this.endpoints));
    const kept = plans.map((plan, i) => before.find((listener) => listener.serves(plan, shown[i])));
    const isNew = (_: unknown, i: number): boolean => kept[i] === undefined;
    const added = await this.#bindAll(plans.filter(isNew), shown.filter(isNew));
    const fresh = added.values();
    const bound = kept.flatMap((listener) => listener ?? fresh.next().value ?? []);
    return {
      endpoints: bound.map((listener) => listener.endpoint),
      /** Serves HTTP/3 by the other configuration. Rejects if a port cannot be bound. */
      serveQuic: () => this.#serveQuic(materials, bound),
      /** Shows the new certificates, which were checked before. */
      commit: () => {
        for (const [i, listener] of kept.entries()) listener?.show(shown[i]);
        this.#bound = bound;
        this.#materials = materials;
      },
      /** Closes the new ports. */
      rollback: async () => {
        await Promise.all(added.map((listener) => listener.close(0)));
      },
      /** After `commit`: closes the listeners that the configuration does not have, once their connections have ended. */
      closeOthers: () => {
        for (const listener of before) if (!kept.includes(listener)) void this.#remove(listener);
      },
    };
  }

  /** Shows other issued certificates, unless nothing changes or the gateway stops. */
  async certify(issued: Issued, isStopping: boolean): Promise<void> {
    this.#issued = issued;
    if (isStopping || this.#materials === undefined) return;
    const materials = this.#materialsOf(this.#materials.config, this.#materials.read);
    if (isDeepStrictEqual(materials.shown, this.#materials.shown)) return;
    for (const [i, listener] of this.#bound.entries()) listener.show(materials.shown[i]);
    this.#materials = materials;
    await this.#serveQuic(materials, this.#bound);
  }

  /** Resolves when all connections have ended, `graceMs` from now at the latest. */
  async close(graceMs: number): Promise<void> {
    await Promise.all([...this.#bound, ...this.#closing, this.#quic].map((listener) => listener.close(graceMs)));
  }

  #materialsOf(config: Config, read: ReadCertificates): Materials {
    return { config, read, shown: shownByListener(config, read.tls, this.#issued) };
  }

  async #serveQuic({ config, read }: Materials, bound: readonly GatewayListener[]): Promise<void> {
    const materials = quicMaterialsOf(config, read.quic ?? read.tls, this.#issued);
    const endpoints = bound.map((listener) => listener.endpoint);
    await this.#quic.serve(quicPlansOf(config, endpoints), materials, REMOVED_GRACE_MS);
    for (const listener of bound) listener.announce(this.#quic.announcement(listener.endpoint));
  }

  async #remove(listener: GatewayListener): Promise<void> {
    this.#closing.add(listener);
    await listener.close(REMOVED_GRACE_MS);
    this.#closing.delete(listener);
  }

  async #bindAll(plans: readonly ListenerPlan[], shown: Materials["shown"]): Promise<GatewayListener[]> {
    const bound: GatewayListener[] = [];
    try {
      for (const [i, plan] of plans.entries()) bound.push(await GatewayListener.bind(plan, shown[i], this.#shared));
    } catch (error) {
      await Promise.all(bound.map((listener) => listener.close(0)));
      throw error;
    }
    return bound;
  }
}
