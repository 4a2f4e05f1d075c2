/**
 * Prints which addresses of this machine are refused if private addresses are not allowed. Runs in its own network
 * namespace.
 */
import { giveAddress } from "../../../lib/testing/own-network.ts";
import { DEAF, listen } from "../../wire/tcp.ts";
import { dial, PrivateAddressError } from "../dial.ts";

function rethrow(error: unknown): never {
  throw error;
}

function letGo(wire: { terminate(): void }): typeof DEAF {
  wire.terminate();
  return DEAF;
}

const addresses = ["9.9.9.77", "2a00::7"];
addresses.forEach(giveAddress);
const listener = listen({ address: "::", port: 0, reusePort: false, accept: () => DEAF, onError: rethrow });

async function isRefused(address: string, allowPrivate: boolean): Promise<boolean> {
  const { port } = listener;
  try {
    await dial({ address, port }, { allowPrivate, tls: undefined }, letGo, rethrow).done;
    return false;
  } catch (error) {
    if (error instanceof PrivateAddressError) return true;
    throw error;
  }
}

const refused: string[] = [];
for (const address of addresses) if (await isRefused(address, false)) refused.push(address);
console.log(JSON.stringify({ connected: !(await isRefused("9.9.9.77", true)), refused }));
listener.stop();
