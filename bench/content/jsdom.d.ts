/** The part of jsdom that the bench uses. Its own types conflict with those of the runtime. */
declare module "jsdom" {
  export class VirtualConsole {
    on(event: string, listener: () => void): this;
  }
  export class JSDOM {
    constructor(html: string, options: { readonly url: string; readonly virtualConsole: VirtualConsole });
    readonly window: { readonly document: object; close(): void };
  }
}
