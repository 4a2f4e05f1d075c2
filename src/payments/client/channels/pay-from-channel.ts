import { z } from "zod";
import { largest } from "../../../lib/extremes.ts";
import { type Environment } from "../../evm/balances.ts";
import { type Account } from "../../signatures/signature.ts";
import { sameAddress } from "../../x402/address.ts";
import { decodeHeader, encodeHeader } from "../../x402/header.ts";
import {
  atomicSchema,
  PAYMENT_REQUIRED,
  PAYMENT_SIGNATURE,
  type PaymentRequired,
  paymentRequiredSchema,
  type Receipt,
  receiptSchema,
} from "../../x402/messages.ts";
import { PAYMENT_STREAM } from "../../x402/meter.ts";
import { type Choice, dollarsOf, parseDollars, PaymentDeclined, PriceTooHigh, toDollars } from "../choice.ts";
import {
  type ChannelPayer,
  isOpenAfter,
  type Paid,
  type PaidRequest,
  receiptField,
  sendPaid,
  type Sent,
} from "../send-paid.ts";
import { echo, expiryOf } from "../sign-choice.ts";
import { type Channel, liveAmount, without } from "./channel-file.ts";
import { channelPayment, type Channels, type Origin, type Seat, seatOf } from "./channels.ts";
import { neededFor } from "./channel-plan.ts";
import { isClosed } from "./closed.ts";
import { meteredResponse, meterOf, type PayFurther } from "./metered-body.ts";
import { balanceOf, isCorrective, resynchronised } from "./resynchronise.ts";

interface ChannelRequest extends PaidRequest {
  readonly channels: Channels;
  readonly endpoints: Environment;
}

/** Lets a client pay from these channels. `endpoints` can name those of chains, as TURNPIKE_RPC_8453. */
export function payerFrom(channels: Channels, endpoints: Environment = {}): ChannelPayer {
  return {
    weigh: (choice, account) => channels.weigh(choice, account),
    pay: async (request) => await payFromChannel({ ...request, channels, endpoints }),
  };
}

/**
 * Pays a request from a channel: by a voucher, with a deposit if the channel needs one. If the server shows that it has
 * charged earlier requests whose responses were lost, the wallet signs once more. It never signs a second voucher after a
 * response of this request was lost. Throws as `payAndFetch`.
 */
async function payFromChannel(request: ChannelRequest): Promise<Paid> {
  const { channels, choice, account, init } = request;
  const expires = expiryOf(choice, channels.now());
  const origin = { url: request.url, method: init.method ?? "GET", expires };
  const seat = await channels.take(choice, account, origin, init.signal ?? undefined);
  let isFlowing = false;
  try {
    const paid = await payFrom(request, seat, expires);
    const { response } = paid;
    const [meter, name] = [meterOf(choice.requirements), response.headers.get(PAYMENT_STREAM)];
    if (!response.ok || meter === undefined || name === null) return paid;
    isFlowing = true;
    const { payFurther, further } = furtherOf(request, seat, { name, origin });
    const onOver = (): void => channels.release(seat);
    return { ...paid, response: meteredResponse(response, meter, { payFurther, onOver }), further };
  } finally {
    if (!isFlowing) channels.release(seat);
  }
}

/** Sends the request with a payment, and once more if the server corrects it. */
async function payFrom(request: ChannelRequest, seat: Seat, expires: number): Promise<Paid> {
  const release = spend(request, seat);
  const sent = await send(request, seat);
  const again = await corrected(request, seat, sent);
  const paid = await (again === undefined
    ? conclude(request, seat, sent)
    : conclude(request, again, await send(request, again)));
  // The deposit is not made: it leaves the day's total once its signature has expired.
  if (paid.isFree || (again !== undefined && again.deposit === undefined)) release?.(expires);
  return paid;
}

/** Pays further for the response `name` from the same channel, as far as the price limit of the request allows. */
function furtherOf(
  request: ChannelRequest,
  seat: Seat,
  { name, origin }: { readonly name: string; readonly origin: Origin },
): { readonly payFurther: PayFurther; readonly further: () => bigint } {
  const { channels, choice, account, init, options } = request;
  const headers = new Headers(init.headers);
  headers.set(PAYMENT_STREAM, name);
  const next = { ...request, init: { ...init, headers } };
  const price = dollarsOf(choice);
  let sum = 0n;
  const payFurther = async (): Promise<boolean> => {
    if (price + sum + price > parseDollars(options.maxPrice))
      throw new PriceTooHigh(`Cannot pay further for the response: the limit is ${options.maxPrice}`);
    const expires = expiryOf(choice, channels.now());
    const { response, isOpen } = await payFrom(
      next,
      channels.again(seat, choice, account, { ...origin, expires }),
      expires,
    );
    await response.body?.cancel();
    if (response.status === 409 && !isOpen) return false;
    if (response.ok || isOpen) sum += price;
    if (response.ok) return true;
    throw new PaymentDeclined(`Cannot pay further for the response: the server responds ${response.status}`);
  };
  return { payFurther, further: () => sum };
}

/** Counts the deposit in the day's total before it is sent. */
function spend({ channels, choice, options }: ChannelRequest, seat: Seat): ((expires: number) => void) | undefined {
  if (seat.deposit === undefined) return undefined;
  try {
    return options.spend?.(toDollars(BigInt(seat.deposit.amount), choice.asset.decimals));
  } catch (error) {
    channels.change(seat, (channel) => withoutOpen(without(channel, "deposit"), seat.price));
    throw error;
  }
}

/** The last response to a payment from a seat. */
interface SeatSent extends Sent {
  readonly receipt: ChannelReceipt | undefined;
  /** The terms of a refusal. */
  readonly told: PaymentRequired | undefined;
}

async function send(request: ChannelRequest, seat: Seat): Promise<SeatSent> {
  const { choice, account, init, required, options } = request;
  const headers = new Headers(init.headers);
  const resource = { resource: required.resource, extensions: echo(required) };
  headers.set(PAYMENT_SIGNATURE, encodeHeader(channelPayment(seat, resource, choice.requirements)));
  const paid: RequestInit = { ...init, headers, redirect: "manual" };
  const sent = await sendPaid(() => request.send(request.url, paid), init.signal, options.sleep);
  const { response } = sent;
  const { data: told } = paymentRequiredSchema.safeParse(decodeHeader(response.headers.get(PAYMENT_REQUIRED) ?? ""));
  return { ...sent, receipt: readChannelReceipt(response, seat, choice, account), told };
}

/** The seat with which a request can be sent once more, if the server corrects it. */
async function corrected(
  request: ChannelRequest,
  seat: Seat,
  { response, wasBroken, receipt, told }: SeatSent,
): Promise<Seat | undefined> {
  // After a lost response, the server may have charged this request. A second voucher would pay for it twice.
  if (wasBroken || receipt !== undefined || response.status !== 402) return undefined;
  if (told === undefined || !isCorrective(told)) return undefined;
  await declineClosed(request, seat, { told, response });
  const again = resume(request, seat, told);
  await response.body?.cancel();
  return again;
}

async function conclude(
  request: ChannelRequest,
  seat: Seat,
  { response, wasBroken, receipt, told }: SeatSent,
): Promise<Paid> {
  const { channels, choice } = request;
  if (receipt !== undefined || response.ok) {
    channels.change(seat, (channel) => charged(channel, seat, receipt));
    const shown = receipt && { ...receipt.receipt, amount: receipt.charged };
    return { response, choice, receipt: shown, isOpen: false, isFree: false };
  }
  const isOpen = wasBroken || (await isOpenAfter(response));
  if (!isOpen && told !== undefined) await declineClosed(request, seat, { told, response });
  if (!isOpen) channels.change(seat, (channel) => refused(channel, seat, channels.now()));
  return { response, choice, receipt: undefined, isOpen, isFree: !isOpen };
}

/** Throws PaymentDeclined if the seller has closed the channel. */
async function declineClosed(
  request: ChannelRequest,
  seat: Seat,
  { told, response }: { readonly told: PaymentRequired; readonly response: Response },
): Promise<void> {
  if (seat.deposit !== undefined || !(await isClosed(told, seat, request))) return;
  const { channels } = request;
  channels.change(seat, (channel) => refused(channel, seat, channels.now()));
  await response.body?.cancel();
  const { id } = seat.channel;
  throw new PaymentDeclined(
    `Cannot pay from the channel ${id}: the seller has closed it; the next request can deposit`,
  );
}

/** Adopts the server's sum of charges, and prepares the second voucher. Throws PaymentDeclined if the sum cannot be true. */
function resume({ channels, choice, account }: ChannelRequest, seat: Seat, told: PaymentRequired): Seat {
  let fault: string | undefined;
  let isDeposit = false;
  const sent = BigInt(seat.before.charged) + seat.price;
  const channel = channels.change(seat, (now) => {
    const adopted = resynchronised({ channel: seat.before, sent }, told, choice.requirements, account);
    fault = undefined;
    if ("fault" in adopted) {
      ({ fault } = adopted);
      return { ...refused(now, seat, channels.now()), ...(adopted.isDispute ? { disputed: true } : {}) };
    }
    const { charged: sum, balance } = adopted;
    const signed = largest(BigInt(adopted.signed), BigInt(now.signed));
    const next = { ...now, charged: sum, balance, open: "0", signed: signed.toString() };
    const needed = neededFor({ ...next, deposit: undefined }, seat.price, channels.now());
    isDeposit = needed > 0n;
    if (needed > BigInt(seat.deposit?.amount ?? "0")) {
      fault = "it needs a deposit, which the next request can make";
      return refused(next, seat, channels.now());
    }
    const most = largest(signed, BigInt(sum) + seat.price).toString();
    // The same deposit is sent again. A new one would add to it.
    const kept = isDeposit ? next : refused(next, seat, channels.now());
    return { ...kept, open: seat.price.toString(), signed: most };
  });
  if (fault !== undefined) throw new PaymentDeclined(`Cannot pay from the channel ${channel.id}: ${fault}`);
  const deposit = isDeposit ? BigInt(seat.deposit?.amount ?? "0") : 0n;
  return seatOf({ channel, before: seat.before }, choice, account, { key: seat.key, deposit, signed: seat.deposit });
}

interface ChannelReceipt {
  readonly receipt: Receipt;
  /** At most the price. */
  readonly charged: string;
  readonly balance: string | undefined;
}

const chargeSchema = z.object({
  chargedAmount: atomicSchema.optional().catch(undefined),
  channelState: z.object({ balance: atomicSchema }).optional().catch(undefined),
});

/** The receipt of a success, if it fits this payment. A charge above the price is not one that the wallet has agreed to. */
function readChannelReceipt(
  response: Response,
  { price }: Seat,
  { requirements }: Choice,
  { address }: Account,
): ChannelReceipt | undefined {
  const { data } = receiptSchema.safeParse(decodeHeader(receiptField(response) ?? ""));
  if (data?.success !== true || data.network !== requirements.network) return undefined;
  if (data.payer !== undefined && !sameAddress(data.payer, address)) return undefined;
  const { chargedAmount, channelState } = chargeSchema.parse(data.extra ?? {});
  const isWithin = chargedAmount !== undefined && BigInt(chargedAmount) <= price;
  return { receipt: data, charged: isWithin ? chargedAmount : price.toString(), balance: channelState?.balance };
}

/** The channel after a response. The server accepted the voucher, so it has charged no request whose outcome was unknown. */
function charged(channel: Channel, seat: Seat, receipt: ChannelReceipt | undefined): Channel {
  const sum = BigInt(channel.charged) + BigInt(receipt?.charged ?? seat.price);
  const next: Channel = { ...channel, charged: sum.toString(), open: "0" };
  if (receipt !== undefined && seat.deposit !== undefined) {
    const balance = BigInt(channel.balance) + BigInt(seat.deposit.amount);
    return { ...without(next, "deposit"), balance: balance.toString() };
  }
  if (receipt?.balance === undefined) return next;
  return { ...next, ...balanceOf(next, receipt.balance) };
}

/** The channel after a refusal: nothing was charged, but the signature of a deposit can be used until it expires. */
function refused(channel: Channel, seat: Seat, now: number): Channel {
  const { deposit, refused: before } = channel;
  const uncharged = withoutOpen(channel, seat.price);
  if (seat.deposit === undefined || deposit === undefined) return uncharged;
  const amount = liveAmount(before, now) + BigInt(deposit.amount);
  const expires = Math.max(deposit.expires, before?.expires ?? 0);
  return { ...without(uncharged, "deposit"), refused: { amount: amount.toString(), expires } };
}

function withoutOpen(channel: Channel, price: bigint): Channel {
  const open = BigInt(channel.open) - price;
  return { ...channel, open: largest(open, 0n).toString() };
}
