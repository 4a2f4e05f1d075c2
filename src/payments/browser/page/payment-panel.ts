import { type PaymentRequired, type PaymentRequirements } from "../../x402/messages.ts";
import { button, make } from "./elements.ts";
import { formatAmount } from "../../x402/price.ts";
import { isPayable, type PageData } from "../page-data.ts";
import { showBody } from "./show.ts";
import { decode, NotSigned, signPayment } from "./sign.ts";
import { member, type Wallet } from "./wallets.ts";
import { type Outcome, outcomeOf, UNKNOWN } from "./words.ts";

/** The request that is paid for. */
export interface PaidRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface PanelOptions {
  readonly data: PageData;
  readonly request: PaidRequest;
  readonly required: PaymentRequired;
  /** Calls its argument with the wallets, whenever there are more. */
  readonly findWallets: (found: (wallets: readonly Wallet[]) => void) => void;
  /** No money moves: a wallet of the page pays. */
  readonly isTest: boolean;
  /** Keeps a payment while its outcome is unknown, so that it outlives the page. Undefined: forget it. */
  readonly keep?: (header: string | undefined) => void;
  readonly kept?: string | undefined;
}

/** The difference between the gateway's clock and this device's, in seconds, as its last response told. */
let skew = 0;

function now(): number {
  return Math.floor(Date.now() / 1000) + skew;
}

/**
 * Lets a person pay for one request, and shows what it returns. A payment that was signed is kept until its outcome is
 * known; meanwhile no other payment can be signed.
 */
export class PaymentPanel {
  readonly #options: PanelOptions;
  readonly #offers: readonly PaymentRequirements[];
  readonly #list: HTMLElement;
  readonly #choices = make("div", "", "choices");
  readonly #status = make("p", "", "told");
  readonly #result = make("div", "", "result");
  #chosen: PaymentRequirements | undefined;
  #wallets: readonly Wallet[] = [];
  /** The header of the payment that waits for its outcome. */
  #signed: string | undefined;
  /** Counts attempts, so that the late result of a wallet that was given up is ignored. */
  #attempt = 0;

  constructor(options: PanelOptions) {
    this.#options = options;
    this.#offers = options.required.accepts.filter(isPayable);
    this.#chosen = this.#offers[0];
    this.#signed = options.kept;
    this.#status.setAttribute("role", "status");
    this.#result.tabIndex = -1;
    this.#list = this.#offerList();
  }

  /** Shows the panel, and looks for wallets. */
  open(mount: HTMLElement): void {
    mount.replaceChildren(this.#list, this.#choices, this.#status, this.#result);
    this.#options.findWallets((wallets) => {
      this.#wallets = wallets;
      if (this.#attempt === 0) this.#offer();
    });
    if (this.#signed !== undefined) this.#tell("A payment that you signed has had no response yet.");
  }

  /** Several offers: the person chooses. */
  #offerList(): HTMLElement {
    const list = make("fieldset");
    list.hidden = this.#offers.length < 2;
    list.append(make("legend", "Pay with"));
    for (const [at, offer] of this.#offers.entries()) {
      const label = make("label");
      const radio = make("input");
      radio.type = "radio";
      radio.name = "offer";
      radio.checked = at === 0;
      radio.addEventListener("change", () => {
        this.#chosen = offer;
        this.#offer();
      });
      label.append(radio, `${this.#priceOf(offer)} on ${this.#titleOf(offer)}`);
      list.append(label);
    }
    return list;
  }

  /** The buttons: one for each wallet, or one for the payment that waits. */
  #offer(): void {
    const chosen = this.#chosen;
    if (this.#signed !== undefined) {
      const again = button("Send the same payment again", () => void this.#send());
      this.#choices.replaceChildren(again);
    } else if (chosen === undefined) {
      this.#choices.replaceChildren(make("p", "No browser wallet can pay this price. Use a program."));
    } else if (this.#wallets.length === 0) {
      const text = "This browser has no wallet. Install one as an extension, and load this page again.";
      this.#choices.replaceChildren(make("p", text));
    } else {
      this.#choices.replaceChildren(...this.#wallets.map((wallet) => this.#walletButton(wallet, chosen)));
    }
  }

  #walletButton(wallet: Wallet, offer: PaymentRequirements): HTMLElement {
    const element = button("", () => void this.pay(wallet));
    if (wallet.icon !== undefined) {
      const icon = make("img");
      icon.src = wallet.icon;
      icon.alt = "";
      element.append(icon);
    }
    const text = make("span", `Pay ${this.#priceOf(offer)} with `);
    text.append(make("bdi", wallet.name));
    element.append(text);
    return element;
  }

  /** Signs with a wallet, and sends the payment. */
  async pay(wallet: Wallet): Promise<void> {
    const { data, required } = this.#options;
    const accepted = this.#chosen;
    if (accepted === undefined) return;
    const attempt = (this.#attempt += 1);
    const isCurrent = () => attempt === this.#attempt;
    this.#choices.replaceChildren(
      button("Stop waiting", () => {
        this.#attempt += 1;
        this.#tell("Stopped. Nothing was paid. Close the wallet's window too.");
        this.#offer();
      }),
    );
    this.#result.replaceChildren();
    try {
      const signed = await signPayment({
        required,
        accepted,
        provider: wallet.provider,
        network: { ...data.networks[accepted.network], title: this.#titleOf(accepted) },
        now,
        tell: (text) => {
          if (isCurrent()) this.#tell(text);
        },
      });
      if (!isCurrent()) return;
      this.#signed = signed;
      await this.#send();
    } catch (error) {
      if (!isCurrent()) return;
      this.#tell(error instanceof NotSigned ? error.message : "The page failed. Load it again.", "bad");
      this.#offer();
    }
  }

  /** Sends the signed payment with the request, and shows what comes back. */
  async #send(): Promise<void> {
    const { request, keep } = this.#options;
    const signed = this.#signed;
    if (signed === undefined) return;
    this.#attempt += 1;
    keep?.(signed);
    this.#choices.replaceChildren();
    this.#tell("Paying and waiting for the response.");
    const { url, ...init } = request;
    try {
      const headers = { ...request.headers, "PAYMENT-SIGNATURE": signed };
      const response = await fetch(url, { ...init, headers, cache: "no-store", redirect: "manual" });
      const date = Date.parse(response.headers.get("date") ?? "");
      if (!Number.isNaN(date)) skew = Math.round((date - Date.now()) / 1000);
      if (response.ok) await this.#succeed(response);
      else if (response.type === "opaqueredirect") this.#redirected();
      else this.#fail(outcomeOf(response, await response.json().catch(() => undefined)));
    } catch {
      this.#fail(UNKNOWN);
    }
  }

  async #succeed(response: Response): Promise<void> {
    const shown = make("div");
    await showBody(response, shown);
    this.#end();
    const receipt = decode(response.headers.get("payment-response"));
    const paid = member(receipt, "success") === true;
    this.#tell(paid ? this.#paidText() : "The response cost nothing.", "good");
    const transaction = member(receipt, "transaction");
    if (paid && !this.#options.isTest) this.#status.append(this.#transaction(transaction));
    this.#result.replaceChildren(shown);
    this.#result.focus();
  }

  #paidText(): string {
    const price = this.#chosen === undefined ? "" : ` ${this.#priceOf(this.#chosen)}`;
    return this.#options.isTest ? `Paid${price} of test money. ` : `Paid${price}. `;
  }

  #transaction(hash: unknown): Node {
    if (typeof hash !== "string" || !/^0x[0-9a-f]{64}$/i.test(hash)) return document.createTextNode("");
    const explorer = this.#options.data.networks[this.#chosen?.network ?? ""]?.explorer;
    if (explorer === undefined) return make("code", hash);
    const link = make("a", "The transaction");
    link.href = `${explorer}/tx/${hash}`;
    link.rel = "noreferrer";
    return link;
  }

  #redirected(): void {
    this.#end();
    this.#tell("The payment was sent, and the response leads to another page, which this page cannot show.", "good");
  }

  #fail({ text, again }: Outcome): void {
    if (!again) this.#forget();
    this.#tell(text.replaceAll(/\s+/g, " ").trim(), "bad");
    this.#offer();
    this.#choices.querySelector("button")?.focus();
  }

  #forget(): void {
    this.#signed = undefined;
    this.#options.keep?.(undefined);
  }

  /** The request has its response: nothing more can be paid. */
  #end(): void {
    this.#forget();
    this.#choices.replaceChildren();
    this.#list.hidden = true;
  }

  #tell(text: string, className = ""): void {
    this.#status.className = `told ${className}`;
    this.#status.textContent = text;
  }

  #priceOf({ network, asset, amount }: PaymentRequirements): string {
    const known = this.#options.data.tokens[`${network} ${asset.toLowerCase()}`];
    if (known === undefined) return `${amount} units of ${asset}`;
    return `${formatAmount(amount, known.decimals)} ${known.symbol}`;
  }

  #titleOf({ network }: PaymentRequirements): string {
    return this.#options.data.networks[network]?.title ?? network;
  }
}
