import { type PaymentRequired, type PaymentRequirements } from "../../x402/messages.ts";
import { button, make } from "./elements.ts";
import { type PageData } from "../page-data.ts";
import { showBody } from "./show.ts";
import { decode } from "./header.ts";
import { member } from "./member.ts";
import { OfferList } from "./offer-list.ts";
import { amountText, paidText, priceText, titleOf } from "./offer-text.ts";
import { NotSigned, type Signing } from "./signing.ts";
import { type Wallet } from "./wallet.ts";
import { type Outcome, outcomeOf, UNKNOWN } from "./words.ts";

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
 * Lets a person pay for one request, and shows the response. A payment that was signed is kept until its outcome is
 * known; meanwhile no other payment can be signed.
 */
export class PaymentPanel {
  readonly #options: PanelOptions;
  readonly #offers: OfferList;
  readonly #choices = make("div", "", "choices");
  readonly #status = make("p", "", "told");
  readonly #result = make("div", "", "result");
  #wallets: readonly Wallet[] = [];
  /** The header of the payment that waits for its outcome. */
  #signed: string | undefined;
  /** Counts attempts, so that the late result of a wallet that was given up is ignored. */
  #attempt = 0;

  constructor(options: PanelOptions) {
    this.#options = options;
    this.#offers = new OfferList(options.data, options.required.accepts, () => this.#offer());
    this.#signed = options.kept;
    this.#status.setAttribute("role", "status");
    this.#result.tabIndex = -1;
  }

  /** Shows the panel, and looks for wallets. */
  open(mount: HTMLElement): void {
    mount.replaceChildren(this.#offers.element, this.#choices, this.#status, this.#result);
    this.#options.findWallets((wallets) => {
      this.#wallets = wallets;
      this.#offers.show(wallets);
      if (!this.#offers.element.disabled) this.#offer();
    });
    if (this.#signed !== undefined) this.#tell("A payment that you signed has had no response yet.");
  }

  /** The buttons: one for each wallet, or one for the payment that waits. */
  #offer(): void {
    const { chosen, isEmpty, element } = this.#offers;
    const signed = this.#signed;
    element.disabled = signed !== undefined;
    if (signed !== undefined) {
      const again = button("Send the same payment again", () => void this.#send(signed));
      this.#choices.replaceChildren(again);
    } else if (chosen === undefined) {
      const text = isEmpty
        ? "No browser wallet can pay this price. Use a program."
        : "This browser has no wallet that can pay. Install one as an extension, and load this page again.";
      this.#choices.replaceChildren(make("p", text));
    } else {
      const wallets = this.#wallets.filter((wallet) => wallet.pays(chosen.network));
      this.#choices.replaceChildren(...wallets.map((wallet) => this.#walletButton(wallet, chosen)));
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
    const text = make("span", `Pay ${priceText(this.#options.data, offer)} with `);
    text.append(make("bdi", wallet.name));
    element.append(text);
    return element;
  }

  /** Signs with a wallet, and sends the payment. */
  async pay(wallet: Wallet): Promise<void> {
    const accepted = this.#offers.chosen;
    if (accepted === undefined) return;
    const attempt = (this.#attempt += 1);
    const isCurrent = () => attempt === this.#attempt;
    this.#choices.replaceChildren(this.#stopButton());
    this.#offers.element.disabled = true;
    this.#result.replaceChildren();
    try {
      const signed = await wallet.sign(this.#signing(accepted, isCurrent));
      if (!isCurrent()) return;
      this.#signed = signed;
      await this.#send(signed);
    } catch (error) {
      if (!isCurrent()) return;
      this.#tell(
        error instanceof NotSigned ? error.message : "The wallet or this page failed. Nothing was paid.",
        "bad",
      );
      this.#offer();
    }
  }

  #signing(accepted: PaymentRequirements, isCurrent: () => boolean): Signing {
    const { data, required } = this.#options;
    const tell = (text: string) => {
      if (!isCurrent()) throw new NotSigned("Stopped.");
      this.#tell(text);
    };
    return {
      required,
      accepted,
      data,
      price: amountText(data, accepted, accepted.amount),
      network: { ...data.networks[accepted.network], title: titleOf(data, accepted) },
      now,
      tell,
      confirm: (text, answer) =>
        new Promise((resolve) => {
          tell(text);
          const confirm = button(answer, () => {
            confirm.remove();
            resolve();
          });
          this.#choices.prepend(confirm);
          confirm.focus();
        }),
      isStopped: () => !isCurrent(),
    };
  }

  #stopButton(): HTMLElement {
    return button("Stop waiting", () => {
      this.#attempt += 1;
      this.#tell("Stopped. Nothing was paid. Close the wallet's window too.");
      this.#offer();
    });
  }

  /** Sends the signed payment with the request, and shows the response. */
  async #send(signed: string): Promise<void> {
    const { request, keep } = this.#options;
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
    const offer = this.#paidOffer();
    this.#end();
    const receipt = decode(response.headers.get("payment-response"));
    const paid = member(receipt, "success") === true;
    this.#tell(paid ? this.#paidText(offer, member(receipt, "amount")) : this.#unpaidText(offer), "good");
    const transaction = member(receipt, "transaction");
    if (paid && !this.#options.isTest) this.#status.append(this.#transaction(offer, transaction));
    this.#result.replaceChildren(shown);
    this.#result.focus();
  }

  /** The offer that the signed payment accepts: it can come from the page before a reload. */
  #paidOffer(): PaymentRequirements {
    return member(decode(this.#signed ?? null), "accepted") as PaymentRequirements;
  }

  #paidText(offer: PaymentRequirements, charged: unknown): string {
    const { data, isTest } = this.#options;
    return `${paidText(data, offer, charged)}${isTest ? " of test money" : ""}. `;
  }

  #unpaidText(offer: PaymentRequirements): string {
    if (offer.scheme !== "upto") return "The response cost nothing.";
    return `Nothing was charged yet. The seller can still charge ${priceText(this.#options.data, offer)}.`;
  }

  #transaction({ network }: PaymentRequirements, name: unknown): Node {
    if (typeof name !== "string" || !/^\w{64,90}$/.test(name)) return document.createTextNode("");
    const explorer = this.#options.data.networks[network]?.explorer;
    if (explorer === undefined) return make("code", name);
    const link = make("a", "The transaction");
    link.href = explorer.join(name);
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
    this.#offers.element.hidden = true;
  }

  #tell(text: string, className = ""): void {
    this.#status.className = `told ${className}`;
    this.#status.textContent = text;
  }
}
