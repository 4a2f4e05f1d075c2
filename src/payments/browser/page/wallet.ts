import { type Signing } from "./signing.ts";

export interface Wallet {
  /** Text from the wallet. */
  readonly name: string;
  /** A data URL of a picture; undefined without a valid one. */
  readonly icon: string | undefined;
  /** True if it can pay on the network. */
  readonly pays: (network: string) => boolean;
  /** Returns the payment's header. Throws NotSigned. */
  readonly sign: (signing: Signing) => Promise<string>;
}
