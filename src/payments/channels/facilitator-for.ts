import { CHANNEL_SCHEME } from "../../store/channels.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { findKind } from "../x402/terms.ts";

/**
 * The first facilitator that knows channels of a network, else the first that does not tell what it knows. The word of
 * another one about a channel would mean nothing.
 */
export async function facilitatorFor(
  network: string,
  facilitators: readonly Facilitator[],
): Promise<ChannelFacilitator | undefined> {
  let silent: ChannelFacilitator | undefined;
  for (const facilitator of new Set(facilitators)) {
    if (facilitator.channels === undefined) continue;
    // oxlint-disable-next-line no-await-in-loop -- most kinds are known, and the first fit is enough
    const kinds = await facilitator.supported().catch(() => []);
    if (findKind(kinds, { scheme: CHANNEL_SCHEME, network }) !== undefined) return facilitator.channels;
    if (kinds.length === 0) silent ??= facilitator.channels;
  }
  return silent;
}
