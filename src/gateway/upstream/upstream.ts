import { type Fields } from "../../lib/http/fields.ts";
import { type Balancer } from "./balancers/balancer.ts";
import { type Balancing, createBalancer } from "./balancers/create-balancer.ts";
import { type Member, serverKey } from "./member.ts";
import { type UpstreamServer } from "./server.ts";

const NONE: readonly UpstreamServer[] = [];

/** The settings of an upstream (`upstreams[]`) that do not concern a single server. */
export interface UpstreamSettings {
  readonly name: string;
  readonly balancing: Balancing;
  /** The scheme of requests to its servers. */
  readonly scheme: "http" | "https";
  /** The configuration names neither servers nor a discovery. False if left out. */
  readonly isEmpty?: boolean;
  /** The field line that authenticates the gateway to the servers; empty or left out: none. */
  readonly credential?: Fields | undefined;
}

/** A named group of servers, and the balancer that picks one. */
export class Upstream {
  readonly name: string;
  readonly scheme: "http" | "https";
  /** As configured: an upstream whose discovery found no server is not empty. */
  readonly isEmpty: boolean;
  /** As configured; empty without a credential. */
  readonly credential: Fields;
  readonly #balancing: Balancing;
  readonly #create: (member: Member, isNew: boolean) => UpstreamServer;
  #servers: readonly UpstreamServer[] = [];
  #primaries: Balancer<UpstreamServer>;
  #backups: Balancer<UpstreamServer> | undefined;

  /** `create` prepares a server for use. `isNew`: the server was added while other servers were already in use. */
  constructor(
    { name, balancing, scheme, isEmpty = false, credential = "" }: UpstreamSettings,
    create: (member: Member, isNew: boolean) => UpstreamServer,
  ) {
    this.name = name;
    this.scheme = scheme;
    this.isEmpty = isEmpty;
    this.credential = credential;
    this.#balancing = balancing;
    this.#create = create;
    this.#primaries = createBalancer(balancing, []);
  }

  get servers(): readonly UpstreamServer[] {
    return this.#servers;
  }

  /** Replaces the servers. Unchanged servers keep their connections. Removed servers finish their requests. */
  setMembers(members: readonly Member[]): void {
    const hasServed = this.#servers.length > 0;
    const before = new Map(this.#servers.map((server) => [identity(server.member), server]));
    this.#servers = members.map((member) => {
      const server = before.get(identity(member));
      before.delete(identity(member));
      return server ?? this.#create(member, hasServed);
    });
    for (const server of before.values()) server.pool.close();
    const backups = this.#servers.filter(({ member }) => member.backup);
    this.#primaries = createBalancer(
      this.#balancing,
      this.#servers.filter(({ member }) => !member.backup),
    );
    this.#backups = createBalancer(this.#balancing, backups);
  }

  /** The next server in rotation, if any: preferably one not in `tried`, and then one other than `last`. */
  pick(clientAddress: string, last: UpstreamServer | undefined, tried = NONE): UpstreamServer | undefined {
    return (
      (tried.length === 0 ? undefined : this.#pickUntried(clientAddress, last, tried)) ??
      this.#choose(clientAddress, last) ??
      (last?.inRotation === true ? last : undefined)
    );
  }

  #pickUntried(
    clientAddress: string,
    last: UpstreamServer | undefined,
    tried: readonly UpstreamServer[],
  ): UpstreamServer | undefined {
    // Balancers read the servers' state when they pick. Meanwhile, the tried servers count as out of rotation.
    for (const server of tried) server.passedOver = true;
    try {
      return this.#choose(clientAddress, last);
    } finally {
      for (const server of tried) server.passedOver = false;
    }
  }

  #choose(clientAddress: string, avoid: UpstreamServer | undefined): UpstreamServer | undefined {
    return this.#primaries.pick(clientAddress, avoid) ?? this.#backups?.pick(clientAddress, avoid);
  }

  close(): void {
    for (const server of this.#servers) server.pool.close();
  }
}

/** Two members with equal identities use the same server object. */
function identity({ endpoint, weight, maxFails, failTimeoutMs, backup, slot }: Member): string {
  return `${serverKey(endpoint)} ${weight} ${maxFails} ${failTimeoutMs} ${backup} ${slot}`;
}
