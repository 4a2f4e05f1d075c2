import { type Ruler } from "../../../lib/metering/ruler.ts";
import { rulerOf } from "../../../lib/metering/ruler-of.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import { type Meter, meterSchema } from "../../x402/meter.ts";

/** Milliseconds that a response has to end after its last paid unit, if nothing more will be paid. @bound */
const ENDING_MS = 1000;

/** Pays for the next units of a response. False: the response has ended. Rejects if it does not pay. */
export type PayFurther = () => Promise<boolean>;

/** The units that a payment by `requirements` covers; undefined: the whole response. */
export function meterOf({ extra }: PaymentRequirements): Meter | undefined {
  return meterSchema.safeParse(extra["meter"]).data;
}

/** The response, whose body pays for its next units while it is read. `onOver` is called once, at its end. */
export function meteredResponse(
  response: Response,
  meter: Meter,
  { payFurther, onOver }: { readonly payFurther: PayFurther; readonly onOver: () => void },
): Response {
  if (response.body === null) {
    onOver();
    return response;
  }
  const body = new MeteredBody(response.body.getReader(), meter, payFurther);
  const { status, statusText, headers } = response;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const chunk = await body.read();
        if (chunk !== undefined) {
          controller.enqueue(chunk);
          return;
        }
        await body.close();
        onOver();
        controller.close();
      } catch (error) {
        await body.close(error);
        onOver();
        controller.error(error);
      }
    },
    async cancel(reason) {
      await body.close(reason ?? "not wanted");
      onOver();
    },
  });
  return new Response(stream, { status, statusText, headers });
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, "read" | "cancel">;

/** Counts the units of a body as it is read. With the last one that is paid for, it pays for the next ones. */
class MeteredBody {
  readonly #reader: Reader;
  readonly #ruler: Ruler;
  readonly #units: number;
  readonly #payFurther: PayFurther;
  /** Units that are paid for, and have not begun. */
  #left: number;
  #paying: Promise<void> | undefined;
  /** Why nothing more was paid, when the response did not end by itself. */
  #unpaid: { readonly cause: unknown } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(reader: Reader, { unit, units }: Meter, payFurther: PayFurther) {
    this.#reader = reader;
    this.#ruler = rulerOf(unit);
    this.#units = units;
    this.#payFurther = payFurther;
    this.#left = units;
  }

  /** The next bytes; undefined at the end. Rejects if they are not paid for. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { value } = await this.#reader.read();
    if (value !== undefined) this.#count(value);
    else if (this.#unpaid !== undefined) throw this.#unpaid.cause;
    return value;
  }

  #count(chunk: Uint8Array): void {
    this.#ruler.scan(chunk, 0, chunk.length);
    const units = this.#ruler.waiting;
    this.#ruler.take(units);
    this.#left -= units;
    if (this.#left <= 0) this.#paying ??= this.#pay();
  }

  async #pay(): Promise<void> {
    try {
      while (this.#left <= 0 && (await this.#payFurther())) this.#left += this.#units;
      if (this.#left > 0) this.#paying = undefined;
    } catch (cause) {
      this.#timer = setTimeout(() => {
        this.#unpaid = { cause };
        void this.close(cause);
      }, ENDING_MS);
    }
  }

  /** Waits for a payment that is being made, so that its outcome is known. */
  async close(reason?: unknown): Promise<void> {
    clearTimeout(this.#timer);
    if (reason !== undefined) await this.#reader.cancel(reason).catch(() => {});
    await this.#paying;
  }
}
