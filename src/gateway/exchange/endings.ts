import { type Exchange } from "./exchange.ts";

/** Calls `act` when the exchange is over, before the listener that it already has. */
export function atFinish(exchange: Pick<Exchange, "onFinish">, act: () => void): void {
  const { onFinish } = exchange;
  exchange.onFinish = (finished) => {
    act();
    onFinish?.(finished);
  };
}

/** Calls `act` when the client goes away, before the listener that the exchange already has. */
export function atDeparture(exchange: Pick<Exchange, "onGone">, act: () => void): void {
  const { onGone } = exchange;
  exchange.onGone = () => {
    act();
    onGone?.();
  };
}
