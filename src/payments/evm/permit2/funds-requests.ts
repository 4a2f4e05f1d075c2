import { type Address, type Hex } from "../../x402/address.ts";
import { PERMIT2 } from "../../x402/transfer.ts";
import { encodeCall } from "../node/abi.ts";
import { callRequest } from "../node/requests.ts";
import { type Request } from "../node/rpc.ts";

/** Reads the owner's balance, and the part of it that Permit2 may move. */
export function fundsRequests(token: Address, owner: Address): [Request<Hex>, Request<Hex>] {
  return [
    callRequest(token, encodeCall("balanceOf(address)", [owner])),
    callRequest(token, encodeCall("allowance(address,address)", [owner, PERMIT2])),
  ];
}
