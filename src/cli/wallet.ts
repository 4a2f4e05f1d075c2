import { messageOf } from "../lib/caught.ts";
import { openWallet, readWallet, walletPath } from "../payments/wallet.ts";

const USAGE = `usage: turnpike wallet [create | address]

  (none)     show the wallet's address and file; makes one on first use
  create     make a wallet, unless there is one
  address    print the address alone

The wallet is in $TURNPIKE_HOME or ~/.turnpike, readable by its owner alone.`;

/** `turnpike wallet`: shows or makes the paying wallet. Returns the exit code: 0 done, 1 failed, 2 usage. */
export async function wallet(args: readonly string[]): Promise<number> {
  const [command = "", ...rest] = args;
  const known = ["", "create", "address"].includes(command) && rest.length === 0;
  if (command === "--help" || command === "-h") {
    console.log(USAGE);
    return 0;
  }
  if (!known) {
    console.error(USAGE);
    return 2;
  }
  try {
    return run(command, walletPath());
  } catch (error) {
    console.error(`turnpike wallet: ${messageOf(error)}`);
    return 1;
  }
}

function run(command: string, path: string): number {
  if (command === "create" && readWallet(path) !== undefined) {
    console.error(`turnpike wallet: there is a wallet at ${path}; it stays as it is`);
    return 1;
  }
  const { account, created } = openWallet(path);
  if (command === "address") {
    console.log(account.address);
    return 0;
  }
  console.log(`address  ${account.address}\nfile     ${path}${created ? " (new)" : ""}`);
  return 0;
}
