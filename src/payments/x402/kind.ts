/** A scheme on a network that a facilitator accepts. */
export interface Kind {
  readonly scheme: string;
  /** `eip155:84532`, or `eip155:*` for all networks. */
  readonly network: string;
  /** Values that a challenge of this kind must contain in its own `extra`, such as `facilitatorAddress` of `upto`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}
