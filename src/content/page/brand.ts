/** The look of an element: colours as `#rrggbb`. */
export interface BrandElement {
  readonly text?: string;
  readonly background?: string;
  readonly border_radius?: string;
  readonly font?: string;
}

/** The brand of a site, as a page shows it. */
export interface Brand {
  readonly colors: {
    readonly background?: string;
    readonly text?: string;
    readonly link?: string;
    readonly primary?: string;
    readonly accent?: string;
    readonly palette?: readonly string[];
  };
  readonly fonts: { readonly body?: string; readonly heading?: string; readonly families?: readonly string[] };
  /** Absolute addresses; `logo_svg` is a logo that is drawn in the page. */
  readonly logo?: string;
  readonly logo_svg?: string;
  readonly favicon?: string;
  readonly image?: string;
  readonly name?: string;
  readonly button?: BrandElement;
  readonly color_scheme?: "light" | "dark";
}
