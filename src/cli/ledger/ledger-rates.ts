import { codeOf, messageOf } from "../../lib/caught.ts";
import { readRegularFile } from "../../lib/files/read-regular-file.ts";
import { type LedgerRecord } from "../common/ledger-record.ts";

/** Bytes of a file of rates. @bound */
const MAX_FILE_BYTES = 16_777_216;
/** Decimal places of rates and of amounts in the currency. Many payments are less than a cent. */
const PLACES = 12;
const SHOWN_PLACES = 6;
const SCALE = 10n ** BigInt(PLACES);
/** A rate, percentage or amount: digits with at most `PLACES` decimals. */
const DECIMAL = /^(\d{1,40})(?:\.(\d{1,12}))?$/;
const LINE = /^(\d{4}-\d{2}-\d{2}),([A-Za-z0-9.]{1,16}),([A-Z]{3}),([0-9.]+)$/;
const DAY_MS = 86_400_000;
/** Days for which a rate is valid, because there are no rates on weekends and holidays. */
const RATE_DAYS = 7;

/** The columns of an export that a file of rates adds, in this order. Empty for payments without money. */
export const RATE_KEYS = ["currency", "rate", "gross", "net", "vat"] as const;

/** The column of the value of the gas. */
export const GAS_RATE_KEY = "gas";

const WEI = 10n ** 18n;
/** Chains whose gas is not paid in ether. */
const GAS_SYMBOLS: Readonly<Record<string, string>> = { "eip155:43114": "AVAX", "eip155:43113": "AVAX" };

type Column = (typeof RATE_KEYS)[number];

/** The value of a payment in a currency. All are texts; an amount has six decimals. */
export type FiatValue = Readonly<Record<Column, string>>;

const NO_VALUE: FiatValue = { currency: "", rate: "", gross: "", net: "", vat: "" };

interface Rate {
  readonly currency: string;
  readonly text: string;
  readonly scaled: bigint;
}

/** The daily value of tokens in one currency, and the VAT that prices include. */
export class Rates {
  readonly #byDay: ReadonlyMap<string, Rate>;
  /** One plus the VAT, scaled. */
  readonly #divisor: bigint;

  /** Reads lines of the form `2026-11-27,USDC,EUR,0.92`. `vat`: percent. Throws with the line that cannot be read. */
  static open(path: string, vat: string): Rates {
    let text: string;
    try {
      text = readRegularFile(path, MAX_FILE_BYTES).toString();
    } catch (error) {
      throw new Error(`Cannot read the rates "${path}": ${codeOf(error) ?? messageOf(error)}`, { cause: error });
    }
    return new Rates(ratesIn(text, path), vatOf(vat));
  }

  private constructor(byDay: ReadonlyMap<string, Rate>, vat: bigint) {
    this.#byDay = byDay;
    this.#divisor = SCALE + vat / 100n;
  }

  /** The value of a payment on the day when it was made. Throws if the file has no rate for that day or the week before. */
  valueOf(record: LedgerRecord): FiatValue {
    if (record.state !== "settled" || record.amount_in_units === "") return NO_VALUE;
    const { currency, text, scaled } = this.#rateOn(record, record.symbol);
    const sign = record.amount_in_units.startsWith("-") ? "-" : "";
    const gross = shown((scaledOf(record.amount_in_units.slice(sign.length)) * scaled) / SCALE);
    const net = shown((scaledOf(gross) * SCALE) / this.#divisor);
    const vat = shown(scaledOf(gross) - scaledOf(net));
    return { currency, rate: text, gross: sign + gross, net: sign + net, vat: sign + vat };
  }

  /** The value of the gas of a row, in wei. Throws as `valueOf`. */
  gasOf(record: LedgerRecord, wei: string): string {
    if (wei === "" || wei === "0") return wei === "" ? "" : shown(0n);
    const { scaled } = this.#rateOn(record, GAS_SYMBOLS[record.network] ?? "ETH");
    return shown((BigInt(wei) * scaled) / WEI);
  }

  #rateOn({ created_at: time, nonce }: LedgerRecord, symbol: string): Rate {
    const day = time.slice(0, 10);
    for (let back = 0; back <= RATE_DAYS; back++) {
      const date = new Date(Date.parse(day) - back * DAY_MS).toISOString().slice(0, 10);
      const rate = this.#byDay.get(`${date} ${symbol}`);
      if (rate !== undefined) return rate;
    }
    throw new Error(
      `Cannot export payment ${nonce}: the rates have no line for ${symbol} on ${day} or the week before`,
    );
  }
}

function ratesIn(text: string, path: string): ReadonlyMap<string, Rate> {
  const rates = new Map<string, Rate>();
  let first: string | undefined;
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const parts = LINE.exec(line);
    const [, day = "", symbol = "", currency = "", value = ""] = parts ?? [];
    if (parts === null || !DECIMAL.test(value) || scaledOf(value) === 0n || Number.isNaN(Date.parse(day))) {
      throw new Error(
        `Cannot read line ${i + 1} of "${path}": expected a day, token, currency and rate, as in 2026-11-27,USDC,EUR,0.92`,
      );
    }
    first ??= currency;
    if (currency !== first) throw new Error(`Cannot use line ${i + 1} of "${path}": all rates must be in ${first}`);
    if (rates.has(`${day} ${symbol}`))
      throw new Error(`Cannot use line ${i + 1} of "${path}": another line has the rate of ${symbol} on ${day}`);
    rates.set(`${day} ${symbol}`, { currency, text: value, scaled: scaledOf(value) });
  }
  return rates;
}

function vatOf(text: string): bigint {
  const isPercent = DECIMAL.test(text) && scaledOf(text) < 100n * SCALE;
  if (!isPercent) throw new Error(`Cannot use --vat "${text}": it must be a percentage below 100, such as 19`);
  return scaledOf(text);
}

/** A decimal number as a whole number of its last decimal place. */
function scaledOf(text: string): bigint {
  const [, whole = "0", fraction = ""] = DECIMAL.exec(text) ?? [];
  return BigInt(whole + fraction.padEnd(PLACES, "0"));
}

/** With six decimals, rounded half up. */
function shown(scaled: bigint): string {
  const unit = 10n ** BigInt(PLACES - SHOWN_PLACES);
  const digits = String((scaled + unit / 2n) / unit).padStart(SHOWN_PLACES + 1, "0");
  return `${digits.slice(0, -SHOWN_PLACES)}.${digits.slice(-SHOWN_PLACES)}`;
}
