import { type Fields } from "../../lib/fields.ts";
import { type Balancer } from "./balancers/balancer.ts";
import { type Balancing, createBalancer } from "./balancers/create-balancer.ts";
import { type Member, serverKey } from "./member.ts";
import { type UpstreamServer } from "./server.ts";

const NONE: readonly UpstreamServer[] = [];

export interface UpstreamSettings {
  readonly name: string;
  readonly balancing: Balancing;
  /** What its servers are reached by. */
  readonly scheme: "http" | "https";
  /** The configuration names no server, and no discovery of servers. False if left out. */
  readonly isEmpty?: boolean;
  /** The field line by which the gateway authenticates itself to the servers; empty or left out: none. */
  readonly credential?: Fields | undefined;
}

/** A named group of servers, and whose turn it is. */
export class Upstream {
  readonly name: string;
  readonly scheme: "http" | "https";
  /** As configured: one whose discovery found no server is not empty. */
  readonly isEmpty: boolean;
  /** As configured; empty: none. */
  readonly credential: Fields;
  readonly #balancing: Balancing;
  readonly #create: (member: Member, isNew: boolean) => UpstreamServer;
  #servers: readonly UpstreamServer[] = [];
  #primaries: Balancer<UpstreamServer>;
  #backups: Balancer<UpstreamServer> | undefined;

  /** `create` makes a server ready for use, which is new where others serve already. */
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

  /** These servers from now on. Those that stay as they are keep their connections; those that are gone finish what they have. */
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
    this.#backups = backups.length === 0 ? undefined : createBalancer(this.#balancing, backups);
  }

  /**
   * The next server in rotation: none of `tried` where there is another one, then another one than `last` where there is one;
   * undefined where none is in rotation.
   */
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
    // Balancers ask servers and keep no lists: while they choose, those that were tried count as out of rotation.
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

/** Equal where a server can stay as it is. */
function identity({ endpoint, weight, maxFails, failTimeoutMs, backup, slot }: Member): string {
  return `${serverKey(endpoint)} ${weight} ${maxFails} ${failTimeoutMs} ${backup} ${slot}`;
}
