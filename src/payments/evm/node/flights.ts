import { unsent } from "./settlements.ts";

interface Flight<Result> {
  /** Equal for the same order and requirements. */
  readonly digest: string;
  readonly settlement: Promise<Result>;
}

/**
 * Lets one settlement of a key be in progress at a time. The same order gets its result; another one is judged
 * afterwards. `maxFlights`: settlements in progress at the same time.
 */
export function createFlights<Result>(maxFlights: number) {
  const flights = new Map<string, Flight<Result>>();
  return async function fly(
    key: string,
    digest: string,
    settle: () => Promise<Result>,
  ): Promise<Result | ReturnType<typeof unsent>> {
    for (let before = flights.get(key); before !== undefined; before = flights.get(key)) {
      if (before.digest === digest) return await before.settlement;
      await before.settlement;
    }
    if (flights.size >= maxFlights) return unsent("too many settlements are under way: nothing was sent");
    const settlement = settle().finally(() => flights.delete(key));
    flights.set(key, { digest, settlement });
    return await settlement;
  };
}
