import { openForms } from "./open-forms.ts";
import { findWallets } from "./wallets.ts";

openForms({ findWallets });
