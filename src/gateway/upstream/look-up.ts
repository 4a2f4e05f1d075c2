import { within } from "../../lib/time/within.ts";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/**
 * Hosts that are looked up at a time. Beyond it, lookups fail. Each host is looked up once, however many
 * connections wait for it.
 */
const MAX_LOOK_UPS = 64;
/** Milliseconds that a connection waits for a look-up. @bound */
const LOOK_UP_MS = 10_000;
/** Addresses of one host that are used. Further addresses are ignored. */
const MAX_ADDRESSES = 16;

/** Finds the addresses of a host. Rejects if it finds none. */
export type LookUp = (host: string) => Promise<readonly string[]>;

/** Limits the time and the number of `find` calls. A host that is an address is returned as it is. @internal */
export function boundedLookUp(find: LookUp, lookUpMs = LOOK_UP_MS): LookUp {
  const underWay = new Map<string, Promise<readonly string[]>>();
  const ask = async (host: string): Promise<readonly string[]> => {
    try {
      const found = await find(host);
      return found.slice(0, MAX_ADDRESSES);
    } finally {
      underWay.delete(host);
    }
  };
  return async (host) => {
    if (isIP(host) !== 0) return [host];
    let response = underWay.get(host);
    if (response === undefined) {
      if (underWay.size >= MAX_LOOK_UPS) throw new Error(`Cannot look up "${host}": too many lookups are under way`);
      response = ask(host);
      underWay.set(host, response);
    }
    return await within(lookUpMs, response, () => {
      throw new Error(`Cannot look up "${host}": it takes too long`);
    });
  };
}

/** The addresses of a host, as the operating system finds them. */
export const addressesOf: LookUp = boundedLookUp(async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
});
