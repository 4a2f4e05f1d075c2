import { openForms } from "./open-forms.ts";
import { testWallet } from "./test-wallet.ts";

const wallet = testWallet();
openForms({ findWallets: (found) => found([wallet]), testWallet: wallet });
