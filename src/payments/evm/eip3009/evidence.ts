import { type Hex, sameAddress } from "../../x402/address.ts";
import { type Transfer } from "../../x402/transfer.ts";
import { toWord, TRANSFER, wordAt } from "../node/abi.ts";
import { type Log } from "../node/requests.ts";
import { AUTHORIZATION_USED } from "./calls.ts";

function sameWord(topic: Hex | undefined, value: Hex): boolean {
  return topic !== undefined && topic.toLowerCase() === toWord(value);
}

function isUse({ topics: [event, from] }: Log, transfer: Transfer): boolean {
  return event === AUTHORIZATION_USED && sameWord(from, transfer.from);
}

function isFromPayer({ topics: [event, from] }: Log, transfer: Transfer): boolean {
  return event === TRANSFER && sameWord(from, transfer.from);
}

function isTransfer(log: Log | undefined, transfer: Transfer): boolean {
  if (log === undefined || !isFromPayer(log, transfer)) return false;
  return sameWord(log.topics[2], transfer.to) && wordAt(log.data, 0) === BigInt(transfer.value);
}

/**
 * True if a transaction's `logs` show that `transfer` was made by its own authorization. One transaction may use
 * several authorizations. A payer could send the first one's money back to their own account, and the second one's
 * money to the payee; this must not count as two payments. So the transfer event must follow the nonce's event, as in
 * USDC, or be the payer's only one.
 */
export function showsTransfer(logs: readonly Log[], transfer: Transfer): boolean {
  const own = logs
    .filter(({ address }) => sameAddress(address, transfer.contract))
    .toSorted((a, b) => (a.logIndex < b.logIndex ? -1 : 1));
  const index = own.findIndex((log) => isUse(log, transfer) && sameWord(log.topics[2], transfer.nonce));
  if (index < 0) return false;
  if (isTransfer(own[index + 1], transfer)) return true;
  const uses = own.filter((log) => isUse(log, transfer));
  const moves = own.filter((log) => isFromPayer(log, transfer));
  return uses.length === 1 && moves.length === 1 && isTransfer(moves[0], transfer);
}

/** True if `logs` show any transfer from the payer to the payee, by this authorization or another. */
export function showsPayee(logs: readonly Log[], transfer: Transfer): boolean {
  return logs.some(
    (log) =>
      sameAddress(log.address, transfer.contract) && isFromPayer(log, transfer) && sameWord(log.topics[2], transfer.to),
  );
}
