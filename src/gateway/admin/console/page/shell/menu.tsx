import { session } from "../api/client.ts";
import { logOut } from "../api/session.ts";
import { linkTo } from "../live/view-location.ts";
import { traffic } from "../live/overview-feed.ts";
import { useStore } from "../api/store.ts";
import { Badge } from "../parts/bits.tsx";
import { tell } from "../parts/told.tsx";

const MENU = {
  Traffic: { overview: "Overview", requests: "Live requests", routes: "Routes", upstreams: "Upstreams" },
  Business: { payments: "Payments", funnel: "Funnel", usage: "Usage", keys: "Keys and credit" },
  System: {
    config: "Configuration",
    filters: "Filters and tenants",
    content: "Content service",
    jobs: "Jobs",
    activity: "Activity",
  },
};

/** The menu, at the side or, on a narrow page, below the header. */
export function Menu({ isOpen, view }: { readonly isOpen: boolean; readonly view: string }) {
  const state = useStore(session);
  const { now } = useStore(traffic);
  const current = view.split("/", 1)[0];
  const isReadOnly = state.kind === "open" && state.session.access === "read";
  const sick =
    now?.upstreams.flatMap(({ servers }) => servers).filter(({ health }) => health === "unhealthy").length ?? 0;
  return (
    <div id="menu" class={isOpen ? "menu open" : "menu"}>
      <nav aria-label="Console">
        {Object.entries(MENU).map(([title, entries]) => (
          <div key={title} class="menu-group">
            <p class="menu-title" id={`menu-${title}`}>
              {title}
            </p>
            <ul aria-labelledby={`menu-${title}`}>
              {Object.entries(entries).map(([own, name]) => (
                <li key={own}>
                  <a href={linkTo(own)} aria-current={own === current ? "page" : undefined}>
                    {name}
                    {own === "upstreams" && sick > 0 ? (
                      <span class="menu-count">
                        {sick}
                        <span class="visually-hidden"> unhealthy</span>
                      </span>
                    ) : null}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="menu-foot">
        {isReadOnly ? (
          <p class="read-only">
            <Badge tone="accent">Read only</Badge>
            <span class="soft small">This key cannot change anything. Log in with admin.api_key to do so.</span>
          </p>
        ) : null}
        <button
          class="button quiet small"
          type="button"
          onClick={() => void logOut().catch(() => tell("The gateway does not respond: you are still logged in."))}
        >
          Log out
        </button>
      </div>
    </div>
  );
}
