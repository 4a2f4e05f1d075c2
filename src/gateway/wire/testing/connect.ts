import { connectTcp } from "../connect-tcp.ts";
import { type Endpoint, type OnError } from "../tcp.ts";
import { type Wire, type WireHandler } from "../wire.ts";

/** Opens a connection with `handler`. */
export async function connect(endpoint: Endpoint, handler: WireHandler, onError: OnError): Promise<Wire> {
  let opened: Wire | undefined;
  await connectTcp(
    endpoint,
    (wire) => {
      opened = wire;
      return handler;
    },
    onError,
  ).done;
  if (opened === undefined) throw new Error("nothing was opened");
  return opened;
}
