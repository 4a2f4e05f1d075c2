import { connectTcp } from "../connect-tcp.ts";
import { type Endpoint, type OnFault } from "../tcp.ts";
import { type Wire, type WireHandler } from "../wire.ts";

/** Opens a connection with `handler`. */
export async function connect(endpoint: Endpoint, handler: WireHandler, onFault: OnFault): Promise<Wire> {
  let opened: Wire | undefined;
  await connectTcp(
    endpoint,
    (wire) => {
      opened = wire;
      return handler;
    },
    onFault,
  ).done;
  if (opened === undefined) throw new Error("nothing was opened");
  return opened;
}
