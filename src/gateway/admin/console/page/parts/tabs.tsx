import { linkTo } from "../live/view-location.ts";

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly (readonly [value: string, title: string])[];
  /** The value of the tab that is shown. */
  readonly current: string;
  /** The link of a tab. By default its value is a view. */
  readonly linkOf?: (value: string) => string;
  /** For the range of the figures that a view shows. */
  readonly isSmall?: boolean;
}

/** Links between the parts of a view. */
export function Tabs({ label, tabs, current, linkOf = (view) => linkTo(view), isSmall = false }: TabsProps) {
  return (
    <nav class={isSmall ? "segments" : "tabs"} aria-label={label}>
      {tabs.map(([value, title]) => (
        <a key={value} href={linkOf(value)} aria-current={value === current ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
