import { z } from "@hono/zod-openapi";

const text = z.string().optional();

/** The look of an element: colours as `#rrggbb`. */
const element = z.object({ text, background: text, border_radius: text, font: text });

/** The brand of a site, as a page shows it. Addresses are absolute; `logo_svg` is a logo that is drawn in the page. */
export const brandSchema = z.object({
  colors: z.object({
    background: text,
    text,
    link: text,
    primary: text,
    accent: text,
    palette: z.array(z.string()).readonly().optional(),
  }),
  fonts: z.object({ body: text, heading: text, families: z.array(z.string()).readonly().optional() }),
  logo: text,
  logo_svg: text,
  favicon: text,
  image: text,
  name: text,
  button: element.optional(),
  color_scheme: z.enum(["light", "dark"]).optional(),
});

export type BrandElement = Readonly<z.output<typeof element>>;
export type Brand = Readonly<z.output<typeof brandSchema>>;
