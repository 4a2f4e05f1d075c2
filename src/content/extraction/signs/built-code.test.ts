import { describe, expect, test } from "bun:test";
import { NO_PLACEHOLDERS } from "../tree/extraction.ts";
import { signOfCode } from "./script-code.ts";

function signIn(script: string, data = ""): string | undefined {
  return signOfCode(script, { ...NO_PLACEHOLDERS, data })?.sign;
}

describe("a module of a built page that gets data through another module", () => {
  test.each([
    'var s=d(e=>({load:async()=>{e(await(await fetch("/crew")).json())}}));run(()=>s.load())',
    "let[l,s]=useState([]);useEffect(()=>{rpc.crew.list.query().then(s)},[]);return l.map(row)",
  ])("is found: %s", (script) => {
    expect(["data-request", "client-state"]).toContain(signIn(script) ?? "");
  });

  test.each([
    "const{data:e}=(0,t.default)(`/api/session`,r.get);",
    "const q=gql`mutation Like{like{count}}`;",
    'const api=ky.create({prefixUrl:root});b.onclick=()=>api.get("crew").json()',
    "const seen=new Map();seen.get('crew')",
    'class Api{get(p){return fetch(`${this.base}/${p}`)}}export const api=new Api("/v1");',
    'const p=q();let x=i(p.get("tab"));run(()=>x)',
    "const link=computed(()=>`/posts/first`);",
    'const data="/__data.json",page=".html__data.json";export const at=u=>fetch(u+data)',
  ])("is not found: %s", (script) => {
    expect(signIn(script)).toBeUndefined();
  });
});

test("data that the document has is not requested from an address that it names", () => {
  const script = 'export const load=async({fetch})=>(await fetch(base+"/lamps.json")).json()';
  expect(signIn(script)).toBe("data-request");
  expect(signIn(script, '"/site/lamps.json" {"body":"[]"}')).toBeUndefined();
});

describe("a component's state", () => {
  test.each([
    ["in another function", "function q(){let[m,s]=u(!1)}function A(){k(()=>{s(!0)},[]);return m&&_('p')}"],
    ["that an effect resets", "let[p,m]=u({inView:!!l,entry:void 0});k(()=>{m({inView:!!l,entry:void 0})});return p"],
  ])("is no sign %s", (_what, script) => {
    expect(signIn(script)).toBeUndefined();
  });
});
