import { PAYEE, PAYER, USDC } from "../../../testing/payment.ts";
import { type Hex } from "../../../x402/address.ts";
import { toWord, TRANSFER } from "../../node/abi.ts";
import { quantity, type Responses, word } from "../../testing/scripted-node.ts";
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED } from "../calls.ts";

/** Unix seconds. */
export const NOW = 1_800_000_000;
export const NONCE: Hex = `0x${"5".repeat(64)}`;
/** The transaction by which another account has settled the payment. */
export const ANOTHERS: Hex = `0x${"b".repeat(64)}`;
export const STATE = "authorizationState(address,bytes32)";

function log(topics: Hex[], data: Hex, logIndex: bigint) {
  const at = { transactionHash: ANOTHERS, blockNumber: quantity(99n), logIndex: quantity(logIndex) };
  return { address: USDC, topics, data, ...at };
}

export const used = log([AUTHORIZATION_USED, toWord(PAYER), NONCE], "0x", 0n);
const canceled = log([AUTHORIZATION_CANCELED, toWord(PAYER), NONCE], "0x", 0n);
export const moved = log([TRANSFER, toWord(PAYER), toWord(PAYEE)], word(10_000n), 1n);
/** The receipt of that transaction, in block 99. */
export const receipt = { transactionHash: ANOTHERS, status: "0x1", blockNumber: quantity(99n), logs: [used, moved] };

/** Another account has settled the payment. */
export const SETTLED: Responses = { [STATE]: word(1n), eth_getLogs: [used], eth_getTransactionReceipt: receipt };
/** The payer has canceled it. */
export const CANCELED: Responses = { [STATE]: word(1n), eth_getLogs: [canceled], eth_getTransactionReceipt: receipt };
/** Its time is over, by a block that counts. */
export const OVER: Responses = {
  eth_getBlockByNumber: { number: quantity(100n), timestamp: quantity(BigInt(NOW) + 60n) },
};
