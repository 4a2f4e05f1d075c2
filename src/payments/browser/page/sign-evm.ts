import { type Wallet } from "./wallet.ts";
import { wayOf } from "../page-data.ts";
import { chainIdOf, EvmWallet, type Provider } from "./evm-wallet.ts";
import { paymentHeader } from "./header.ts";
import { signPermit2 } from "./permit2.ts";
import { expiryOf, type Signing } from "./signing.ts";
import { randomHex } from "../../../lib/text/random-hex.ts";

const TRANSFER = "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce";

/** The abilities of a provider on EVM chains. */
export function evm(provider: Provider): Pick<Wallet, "pays" | "sign"> {
  return {
    pays: (network) => network.startsWith("eip155:"),
    sign: (signing) => signEvm(provider, signing),
  };
}

/** Lets a wallet sign the payment on an EVM chain. Returns the payment's header. Throws NotSigned. */
async function signEvm(provider: Provider, signing: Signing): Promise<string> {
  const wallet = await EvmWallet.open(provider, signing);
  if (wayOf(signing.accepted, signing.data) === "permit2") return await signPermit2(wallet, signing);
  const { required, accepted, tell } = signing;
  tell("Waiting for the wallet: check the amount, and sign.");
  const authorization = {
    from: wallet.account,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(expiryOf(signing)),
    nonce: `0x${randomHex()}`,
  };
  const signature = await wallet.sign({
    primaryType: "TransferWithAuthorization",
    types: { TransferWithAuthorization: TRANSFER },
    domain: {
      name: accepted.extra["name"],
      version: accepted.extra["version"],
      chainId: chainIdOf(accepted.network),
      verifyingContract: accepted.asset,
    },
    message: authorization,
  });
  return paymentHeader({ required, accepted, payload: { signature, authorization } });
}
