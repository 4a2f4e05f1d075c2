import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { type JsonObject } from "../api/shapes.ts";
import { itemsOf } from "../form/drafts.ts";
import { fieldText, valueAt } from "../form/schema.ts";
import { goTo, linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { Head, Panel } from "../parts/bits.tsx";
import { Choice, SmallForm, TextInput } from "../parts/small-form.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { tell } from "../parts/told.tsx";
import { ButtonLink } from "../parts/button.tsx";

const NETWORKS = ["base", "base-sepolia", "ethereum", "avalanche", "avalanche-fuji"];

/** A price for a path, in six fields. */
export function Sell() {
  const config = useResource<JsonObject>("/v1/config");
  return (
    <>
      <Head
        title="Sell a path"
        lead="Requests below the path cost the price, from the moment on that all workers have it."
      >
        <ButtonLink label="All settings of a route" href={linkTo("routes/new")} />
      </Head>
      <Loaded resource={config}>{(document) => <SellForm document={document} />}</Loaded>
    </>
  );
}

function SellForm({ document }: { readonly document: JsonObject }) {
  const upstreams = itemsOf(document, "upstreams").map(({ name }) => fieldText(name));
  // Most sellers have one account: that of another priced route, or of credit.
  const terms = itemsOf(document, "routes").find(({ x402 }) => valueAt(x402, ["pay_to"]) !== undefined)?.["x402"];
  const known = (key: string): string => fieldText(valueAt(terms, [key]) ?? valueAt(document, ["x402", "credit", key]));
  const [path, setPath] = useState("/");
  const [upstream, setUpstream] = useState(upstreams[0] ?? "");
  const [price, setPrice] = useState("$0.01");
  const [asset, setAsset] = useState(known("asset") || "USDC");
  const [network, setNetwork] = useState(known("network") || "base");
  const [payTo, setPayTo] = useState(known("pay_to"));
  if (upstreams.length === 0) {
    return (
      <Empty title="There is no upstream">
        <a href={linkTo("upstreams/new")}>Add the server</a> that responds to the paid requests first.
      </Empty>
    );
  }
  const sell = async (): Promise<void> => {
    const x402 = { price: price.trim(), asset: asset.trim(), network: network.trim(), pay_to: payTo.trim() };
    await call("/v1/routes", { method: "POST", body: { path_prefix: path.trim(), upstream, x402 } });
    tell(`${path.trim()} costs ${price.trim()} now. It is in memory until you persist it.`);
    goTo(linkTo("routes"));
  };
  const isOff = valueAt(document, ["x402", "enabled"]) !== true;
  return (
    <Panel title="Price and account">
      {isOff ? (
        <p class="notice warn">
          Payments are off. Set <code>x402.enabled</code> and a facilitator in the{" "}
          <a href={linkTo("config/settings")}>settings</a> first.
        </p>
      ) : null}
      <SmallForm action="Sell this path" run={sell}>
        <TextInput label="Path" value={path} onType={setPath} isRequired help="Also all paths below it" />
        <Choice
          label="Upstream"
          value={upstream}
          choices={upstreams.map((name) => [name, name] as const)}
          onChoose={setUpstream}
        />
        <TextInput label="Price" value={price} onType={setPrice} isRequired help="Dollars as $0.01, or atomic units" />
        <TextInput label="Token" value={asset} onType={setAsset} isRequired help="USDC, or a contract's address" />
        <TextInput label="Network" value={network} onType={setNetwork} isRequired names={NETWORKS} />
        <TextInput label="Paid to" value={payTo} onType={setPayTo} isRequired help="The address that gets the money" />
      </SmallForm>
    </Panel>
  );
}
