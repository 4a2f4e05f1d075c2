import { type PaymentRequirements } from "../../x402/messages.ts";
import { type PageData, wayOf } from "../page-data.ts";
import { make } from "./elements.ts";
import { offerText } from "./offer-text.ts";
import { type Wallet } from "./wallet.ts";

/** The offers of a seller that the wallets can pay. If there are several, the person chooses. */
export class OfferList {
  readonly element = make("fieldset");
  readonly #data: PageData;
  readonly #payable: readonly PaymentRequirements[];
  readonly #changed: () => void;
  #isChosen = false;
  #shown: readonly PaymentRequirements[] = [];
  /** The offer that is paid: the seller's first, until the person chooses. Undefined if the wallets can pay none. */
  chosen: PaymentRequirements | undefined;

  constructor(data: PageData, accepts: readonly PaymentRequirements[], changed: () => void) {
    this.#data = data;
    this.#payable = accepts.filter((offer) => wayOf(offer, data) !== undefined);
    this.#changed = changed;
    this.element.hidden = true;
  }

  /** True if there is nothing that any wallet can pay. */
  get isEmpty(): boolean {
    return this.#payable.length === 0;
  }

  show(wallets: readonly Wallet[]): void {
    const shown = this.#payable.filter(({ network }) => wallets.some((wallet) => wallet.pays(network)));
    if (shown.length === this.#shown.length) return;
    this.#shown = shown;
    if (!this.#isChosen) this.chosen = shown[0];
    this.element.hidden = shown.length < 2;
    this.element.replaceChildren(make("legend", "Pay with"), ...shown.map((offer) => this.#row(offer)));
  }

  #row(offer: PaymentRequirements): HTMLElement {
    const label = make("label");
    const radio = make("input");
    radio.type = "radio";
    radio.name = "offer";
    radio.checked = offer === this.chosen;
    radio.addEventListener("change", () => {
      this.chosen = offer;
      this.#isChosen = true;
      this.#changed();
    });
    label.append(radio, offerText(this.#data, offer));
    return label;
  }
}
