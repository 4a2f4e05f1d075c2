import { GivenUpError } from "../wire/connect-tcp.ts";
import { type Connecting, DEAF } from "../wire/tcp.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";

/** Milliseconds after which the next address is tried in parallel (RFC 8305 §8). */
const HEAD_START_MS = 250;

/** Returns the handler of a connection that is open. */
export type Accept = (wire: Wire, protocol: string) => WireHandler;

/** As `connectFirst`, for addresses that are still being looked up. */
export function connectFound(
  found: Promise<readonly string[]>,
  open: (address: string, accept: Accept) => Connecting,
  accept: Accept,
): Connecting {
  const givenUp = Promise.withResolvers<never>();
  let isGivenUp = false;
  let connecting: Connecting | undefined;
  const connect = async (): Promise<void> => {
    const addresses = await found;
    if (isGivenUp) return;
    connecting = connectFirst(addresses, open, accept);
    await connecting.done;
  };
  return {
    done: Promise.race([connect(), givenUp.promise]),
    abort() {
      isGivenUp = true;
      connecting?.abort();
      givenUp.reject(new GivenUpError());
    },
  };
}

/** Connects to the first of several addresses that accepts. Rejects with the last attempt's reason. @internal */
export function connectFirst(
  addresses: readonly string[],
  open: (address: string, accept: Accept) => Connecting,
  accept: Accept,
): Connecting {
  const result = Promise.withResolvers<void>();
  const attempts = new Set<Connecting>();
  let tried = 0;
  let isOver = false;
  let taken: Connecting | undefined;
  let timer: Timer | undefined;
  const stop = (but?: Connecting): void => {
    isOver = true;
    clearTimeout(timer);
    for (const attempt of attempts) if (attempt !== but) attempt.abort();
  };
  const tryAnother = (): void => {
    clearTimeout(timer);
    const address = addresses[tried];
    if (address === undefined) return;
    tried++;
    const attempt: Connecting = open(address, (wire, protocol) => {
      if (isOver) {
        wire.terminate();
        return DEAF;
      }
      taken = attempt;
      stop(attempt);
      return accept(wire, protocol);
    });
    attempts.add(attempt);
    if (tried < addresses.length) timer = setTimeout(tryAnother, HEAD_START_MS);
    attempt.done.then(result.resolve, (error: unknown) => {
      attempts.delete(attempt);
      if (taken !== undefined && taken !== attempt) return;
      if (isOver || (attempts.size === 0 && tried === addresses.length)) result.reject(error);
      else tryAnother();
    });
  };
  tryAnother();
  return {
    done: result.promise,
    abort() {
      if (isOver) return;
      stop();
    },
  };
}
