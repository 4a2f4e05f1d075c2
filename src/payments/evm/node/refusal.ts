/** The meaning of a node's error; `other` if it is unknown. The node's own text is not passed on. */
export type Refusal =
  | "reverted"
  | "busy"
  | "nonce too low"
  | "already known"
  | "underpriced"
  | "no funds"
  | "unknown method"
  | "other";

/** The codes of EIP-1474, and those that geth, Nethermind, Besu, Erigon, reth and anvil add. */
const CODES: ReadonlyMap<number, Refusal> = new Map([
  [3, "reverted"],
  [-32_005, "busy"],
  [-32_015, "reverted"],
  [-32_016, "busy"],
  [429, "busy"],
  [-32_601, "unknown method"],
]);

/** In the order of the search: "replacement transaction underpriced" is not "reverted". */
const WORDS: readonly (readonly [RegExp, Refusal])[] = [
  [/nonce too low|nonce is too low|nonce has already been used|oldnonce|invalid nonce/, "nonce too low"],
  [/already known|already imported|known transaction|alreadyknown|already exists/, "already known"],
  [/underpriced|fee too low|feetoolow|gas price too low|less than block base fee|max fee per gas/, "underpriced"],
  [/insufficient funds|insufficientfunds|insufficient balance for|upfront cost/, "no funds"],
  [/rate limit|too many requests|limit exceeded|capacity|request count/, "busy"],
  [
    /revert|vm execution error|evm error|invalid opcode|out of gas|outofgas|intrinsic gas|gas required exceeds|stack underflow/,
    "reverted",
  ],
  [/method not found|does not exist|not supported|unsupported method/, "unknown method"],
];

/** The start of the error of a reverted call. The contract chooses the rest of the text, so the rest is not used. */
const REVERT = /^(?:vm execution error|vm exception|evm error|execution reverted|transaction reverted|reverted)/;

/** Classifies a node's error. `message` should be short; its letter case does not matter. */
export function toRefusal(code: number, message: string): Refusal {
  const text = message.toLowerCase();
  if (REVERT.test(text)) return "reverted";
  const byWords = WORDS.find(([pattern]) => pattern.test(text))?.[1];
  const byCode = CODES.get(code);
  if (byCode === "reverted" || byCode === "unknown method") return byCode;
  return byWords ?? byCode ?? "other";
}
