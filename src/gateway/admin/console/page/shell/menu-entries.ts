export interface MenuEntry {
  readonly view: string;
  readonly title: string;
}

export const MENU: readonly { readonly title: string; readonly entries: readonly MenuEntry[] }[] = [
  {
    title: "Traffic",
    entries: [
      { view: "overview", title: "Overview" },
      { view: "requests", title: "Live requests" },
      { view: "routes", title: "Routes" },
      { view: "upstreams", title: "Upstreams" },
    ],
  },
  {
    title: "Business",
    entries: [
      { view: "payments", title: "Payments" },
      { view: "funnel", title: "Funnel" },
      { view: "usage", title: "Usage" },
      { view: "keys", title: "Keys and credit" },
    ],
  },
  {
    title: "System",
    entries: [
      { view: "config", title: "Configuration" },
      { view: "filters", title: "Filters and tenants" },
      { view: "content", title: "Content service" },
      { view: "jobs", title: "Jobs" },
      { view: "activity", title: "Activity" },
    ],
  },
];
