import { describe, expect, test } from "bun:test";
import { NO_PLACEHOLDERS } from "../extraction.ts";
import { signOfCode } from "./script-code.ts";
import { isRendered } from "./shown-words.ts";

function signIn(script: string, shown = "", data = ""): string | undefined {
  return signOfCode(script, { ...NO_PLACEHOLDERS, shown, data })?.sign;
}

describe("a module of a built page that gets data through another module", () => {
  test.each([
    'const api=ky.create({prefixUrl:root});export const crew=()=>api.get("crew").json()',
    'var g=h.create({baseURL:"/v1"}),s=d("crew",{actions:{async load(){this.list=await g("/crew")}}});export{s};',
    'const{data:e,error:n}=(0,t.default)("/crew",r.get);',
    "let{data:l,isFetching:u}=d(`/tide`).json();",
    "const q=gql`query Crew{crew{name role}}`;useQuery(q)",
    "const q=gql`{crew{name role}}`;load(q)",
    "var c=o(r([]));m(async()=>{i(c,await _.get(`crew`),!0)});x(()=>e(c))",
    "let[l,s]=useState([]);useEffect(()=>{rpc.crew.list.query().then(s)},[]);return l.map(row)",
    'import{t as g}from"./api.js";let x=i(g.get(`crew`));run(()=>x)',
    "var s=make({endpoints:e=>({crew:e.query({query:()=>`crew`})})}),{useCrewQuery:u}=s;",
    "tide=r(()=>this.on()?`/tide`:void 0);show(this.tide.hasValue()?1:2)",
    "let{data:e,error:t}=u(()=>`/tide`);",
    'var s=d(e=>({load:async()=>{e(await(await fetch("/crew")).json())}}));run(()=>s.load())',
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
    "var s=make({endpoints:e=>({find:e.query({query:q=>`rows?q=`+q})})}),{useLazyFindQuery:u}=s;",
    "const link=computed(()=>`/posts/first`);",
    'var s=d(e=>({load:async()=>{e(await(await fetch("/crew")).json())},add:n=>e(n)}));run(()=>s.add(1))',
    'const data="/__data.json",page=".html__data.json";export const at=u=>fetch(u+data)',
  ])("is not found: %s", (script) => {
    expect(signIn(script)).toBeUndefined();
  });
});

describe("data that the document has", () => {
  const query = 'useQuery({queryKey:["hours"],queryFn:async()=>(await http.get("/hours")).data})';
  const loader =
    'const get=async p=>fetch("/rows"+p);router([{path:"/",loader:async()=>({rows:await get("/lamps")})}])';

  test("is not requested by a query whose key is in it", () => {
    expect(signIn(query)).toBe("data-request");
    expect(signIn(query, "", '{"queryKey":["hours"],"state":{}}')).toBeUndefined();
  });

  test("is not requested by a loader, if the page shows it", () => {
    const data = 'window.data=JSON.parse("{\\"lamps\\":[\\"Paraffin lamp of 1890\\"]}")';
    expect(signIn(loader)).toBe("data-request");
    expect(signIn(loader, "The lamps: Paraffin lamp of 1890", data)).toBeUndefined();
  });

  test("is not requested from an address that it names", () => {
    const script = 'export const load=async({fetch})=>(await fetch(base+"/lamps.json")).json()';
    expect(signIn(script)).toBe("data-request");
    expect(signIn(script, "", '"/site/lamps.json" {"body":"[]"}')).toBeUndefined();
  });
});

describe("a component's state", () => {
  test.each([
    ["in another function", "function q(){let[m,s]=u(!1)}function A(){k(()=>{s(!0)},[]);return m&&_('p')}"],
    ["of an input field that a parameter names", "function b(e,t){let e2=c();run(()=>{e.value=t()})}var e=ref(1);"],
    ["that only a screen reader gets", "var j=st(!1);on(()=>{a(j,!0)});t('<div id=\"x-announcer\"></div>');g(j)"],
    [
      "that no code reads after its effect",
      "function u(){let i=ref(!1);watch(()=>i.value?{}:1);off(()=>{i.value=!0});return 1}",
    ],
    ["that an effect resets", "let[p,m]=u({inView:!!l,entry:void 0});k(()=>{m({inView:!!l,entry:void 0})});return p"],
    ["that a narrow window has", 'let w=q("(max-width: 500px)");return w&&_("p",{children:"Open the list"})'],
  ])("is no sign %s", (_what, script) => {
    expect(signIn(script)).toBeUndefined();
  });

  test.each([
    [
      "from storage, with a default",
      "let[u,s]=f(null);k(()=>{s(localStorage.getItem('u')??'m')},[]);return u?_('p',{}):null",
    ],
    [
      "that a wide window has",
      'let w=q("(min-width: 700px)");return w&&_("p",{children:"The lens floats on mercury"})',
    ],
  ])("is a sign %s", (_what, script) => {
    expect(signIn(script)).toBe("client-state");
  });

  test("is no sign if the server rendered the part of a wide window", () => {
    const script = 'let w=q("(min-width: 700px)");return w&&_("p",{children:"The lens floats on mercury"})';
    expect(signIn(script, "At noon: The lens floats on mercury")).toBeUndefined();
  });
});

test("a module that is loaded when it is needed is rendered if the page shows its words", () => {
  const dialog = 'export default()=>j("dialog",{children:[j("h2",{children:"Choose a day"})]})';
  expect(isRendered(dialog, "Visit us and choose")).toBe(false);
  expect(isRendered(dialog, "Visit us. Choose a day. Monday")).toBe(true);
  expect(isRendered("export const a=1", "Visit us")).toBe(true);
});

test("hostile scripts take linear time", () => {
  const began = process.cpuUsage();
  for (const part of [
    "a=b.create({base",
    "{data}=x(",
    'x("/a")',
    "`{a{",
    "const q=`query a(",
    "(min-width: 1px)",
    '=>["',
    "a=>({b:async()=>{a(",
    "a:e.query({",
    "a=()=>a?",
    "a=b(c.get('d')",
  ])
    signIn(part.repeat(Math.ceil(1_000_000 / part.length)), "a b", '{"a":"b c"}');
  expect(process.cpuUsage(began).user).toBeLessThan(20_000_000);
});
