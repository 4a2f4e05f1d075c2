export interface Tab {
  readonly title: string;
  readonly link: string;
  readonly isCurrent: boolean;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** For the range of the figures that a view shows. */
  readonly isSmall?: boolean;
}

/** Links between the parts of a view. */
export function Tabs({ label, tabs, isSmall = false }: TabsProps) {
  return (
    <nav class={isSmall ? "segments" : "tabs"} aria-label={label}>
      {tabs.map(({ title, link, isCurrent }) => (
        <a key={link} href={link} aria-current={isCurrent ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
