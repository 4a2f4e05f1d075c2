import { PERMIT2, PROXIES } from "../../x402/transfer.ts";
import { chainIdOf, type EvmWallet } from "./evm-wallet.ts";
import { paymentHeader } from "./header.ts";
import { expiryOf, NotSigned, type Signing } from "./signing.ts";
import { randomHex } from "../../../lib/text/random-hex.ts";

/** The extension by which the seller pays the gas of an approval that the payer signs (EIP-2612). */
const GAS_PERMIT = "eip2612GasSponsoring";
/** The type of the terms that x402 adds to a permit. */
const WITNESS = "Witness";
/** Length in hex of a signature that `permit` takes: contract wallets, whose signatures are longer, cannot use it. */
const KEY_SIGNATURE = 132;
/** Milliseconds between two looks at the chain, and looks until the page stops waiting for an approval. */
const LOOK_MS = 1000;
const MAX_LOOKS = 900;

/** Signs a payment that Permit2 makes, after the account's approval of Permit2 if it is missing. Throws NotSigned. */
export async function signPermit2(wallet: EvmWallet, signing: Signing): Promise<string> {
  const { required, accepted, tell } = signing;
  const isMissing = await lacksAllowance(wallet, signing);
  const permit = isMissing ? await gasPermit(wallet, signing) : undefined;
  if (isMissing && permit === undefined) await approve(wallet, signing);
  const deadline = String(expiryOf(signing));
  tell(`Waiting for the wallet: check the amount, and sign${permit === undefined ? "" : " (2 of 2)"}.`);
  const isUpto = accepted.scheme === "upto";
  const { facilitatorAddress } = accepted.extra;
  const message = {
    permitted: { token: accepted.asset, amount: accepted.amount },
    spender: PROXIES[isUpto ? "upto" : "exact"],
    nonce: BigInt(`0x${randomHex()}`).toString(),
    deadline,
    witness: { to: accepted.payTo, ...(isUpto ? { facilitator: facilitatorAddress } : {}), validAfter: "0" },
  };
  const signature = await wallet.sign({
    primaryType: "PermitWitnessTransferFrom",
    types: {
      PermitWitnessTransferFrom: `TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,${WITNESS} witness`,
      TokenPermissions: "address token,uint256 amount",
      [WITNESS]: isUpto ? "address to,address facilitator,uint256 validAfter" : "address to,uint256 validAfter",
    },
    domain: { name: "Permit2", chainId: chainIdOf(accepted.network), verifyingContract: PERMIT2 },
    message,
  });
  const payload = { signature, permit2Authorization: { ...message, from: wallet.account } };
  return paymentHeader({ required, accepted, payload, ...(permit && { informed: { [GAS_PERMIT]: permit } }) });
}

function wordOf(value: string | bigint): string {
  return (typeof value === "string" ? value.slice(2).toLowerCase() : value.toString(16)).padStart(64, "0");
}

/** True if Permit2 may move less than the payment. False as well if the wallet does not say: the seller finds out. */
async function lacksAllowance(wallet: EvmWallet, { accepted }: Signing): Promise<boolean> {
  // allowance(address,address)
  const data = `0xdd62ed3e${wordOf(wallet.account)}${wordOf(PERMIT2)}`;
  const allowance = await wallet.read(accepted.asset, data);
  return allowance !== undefined && allowance < BigInt(accepted.amount);
}

/** An approval of the payment's amount by a signature; undefined if the seller, the token or the account cannot use one. */
async function gasPermit(wallet: EvmWallet, signing: Signing): Promise<object | undefined> {
  const { required, accepted, tell } = signing;
  const { network, asset, amount, extra } = accepted;
  const { name, version } = extra;
  if (required.extensions?.[GAS_PERMIT] === undefined || typeof name !== "string" || typeof version !== "string")
    return undefined;
  // nonces(address)
  const count = await wallet.read(asset, `0x7ecebe00${wordOf(wallet.account)}`);
  if (count === undefined) return undefined;
  const nonce = count.toString();
  const deadline = String(expiryOf(signing));
  tell("Waiting for the wallet: allow the contract Permit2 to move this amount (1 of 2). The seller pays the fee.");
  const signature = await wallet.sign({
    primaryType: "Permit",
    types: { Permit: "address owner,address spender,uint256 value,uint256 nonce,uint256 deadline" },
    domain: { name, version, chainId: chainIdOf(network), verifyingContract: asset },
    message: { owner: wallet.account, spender: PERMIT2, value: amount, nonce, deadline },
  });
  if (signature.length !== KEY_SIGNATURE) return undefined;
  return { from: wallet.account, asset, spender: PERMIT2, amount, nonce, deadline, signature, version: "1" };
}

/** Lets the person approve Permit2 by a transaction, and waits for it. */
async function approve(wallet: EvmWallet, signing: Signing): Promise<void> {
  const { accepted, price, network, tell, confirm, isStopped } = signing;
  await confirm(
    `Your account pays with this token only through the contract Permit2, and has not approved it for this amount. ` +
      `The approval is a transaction on ${network.title}, for exactly ${price}. Your wallet shows its fee, which you pay. ` +
      `The approval pays nothing: you sign the payment after it.`,
    `Approve ${price}`,
  );
  tell("Waiting for the wallet: confirm the approval.");
  // approve(address,uint256)
  const data = `0x095ea7b3${wordOf(PERMIT2)}${wordOf(BigInt(accepted.amount))}`;
  const hash = await wallet.send(chainIdOf(accepted.network), accepted.asset, data);
  tell("The approval was sent. Waiting for the chain.");
  for (let looks = 0; await lacksAllowance(wallet, signing); looks += 1) {
    if (isStopped()) throw new NotSigned("Stopped.");
    if (looks >= MAX_LOOKS) throw new NotSigned("The chain has not confirmed the approval. Pay again when it has.");
    if (await wallet.hasFailed(hash)) throw new NotSigned("The approval failed on the chain. Nothing was paid.");
    await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
  }
}
