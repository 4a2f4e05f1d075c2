/** The part of jsdom that the bench uses; its own types bring other ones of the runtime's. */
declare module "jsdom" {
  export class VirtualConsole {
    on(event: string, listener: () => void): this;
  }
  export class JSDOM {
    constructor(html: string, options: { readonly url: string; readonly virtualConsole: VirtualConsole });
    readonly window: { readonly document: object; close(): void };
  }
}
