import { wordsOf } from "../reading/words.ts";

/**
 * Outcomes in questions, in the five supported languages, and the outcomes that exclude them. Each line has a name, the
 * names of contrary outcomes, and words. A word with a star is a prefix.
 */
const LINES = `
win; lose; win wins won winning winner victory victorious triumph* champion* beat beats beating defeats defeating gewinn* gewann* sieg* gagne* gagné* remport* victoire gana ganó ganado ganar ganadora victoria vence venció 获胜 赢得 夺冠 击败 胜选 当选
lose; win; lose loses lost losing defeated runner-up verlier* verlor* niederlage unterlag perd perdu perdent défaite pierde perdió derrota 落败 失利 输给
approve; reject; approve* approval authoriz* authoris* ratif* endorse* greenlight* clear* adopt* genehmig* zugelassen zulass* gebilligt billig* ratifizier* verabschied* stimmt zugestimmt approuv* autoris* adopt* aprob* aprueba autoriz* ratific* 批准 通过 获批
reject; approve pass; reject* rejection veto* voted-down turn-down turned-down blocks blocked abgelehnt lehnt ablehn* rejet* refus* rechaz* veta vetó 否决 驳回
pass; reject; pass passes passed passage enact* verabschiedet adopté adoptée aprobó 通过
sign; ; sign signs signed signing signature unterzeichn* unterschrieb* unterschrieben signe signé signée signent firma firmó firmado firmaron 签署 签订
resign; stay; resign* quit quits step-down steps-down stepped-down stepping-down stood-down zurücktret* zurückgetreten rücktritt tritt-zurück trat-zurück démission* dimit* dimisión dimite renunci* 辞职
stay; resign; remains-in-office stay-on stays-on remain-in-office bleibt-im-amt reste-en-poste sigue-en-el-cargo 留任
die; live; die dies died dead deceased passes-away passed-away gestorben starb verstorben tot mort morte décéd* muere murió muerto falleci* 去世 死亡 逝世
live; die; alive survive* lebt überleb* vivant survécu vivo sobreviv* 活着
rise; fall; rise* rose increase* increasing grew grow* climb* surge* soar* jump* gain gains gained hike hikes hiked raise* raising steig* stieg gestiegen erhöh* augment* hausse relèv* relev* sube subió aument* elev* 上升 上涨 增加 加息 增长 上调
fall; rise; fall falls fell fallen falling drop* decline* declining decrease* decreasing dip dips dipped plunge* slump* cut cuts cutting lower* lowering reduce* reducing reduction sink* sank gesunken sank sink* senk* gesenkt baiss* réduit diminu* baja bajó reduc* redujo recort* disminu* 下降 下跌 减少 降息 下调
unchanged; rise fall; unchanged steady hold-rates holds-rates held-rates keeps-rates kept-rates unverändert inchangé* maintien* sin-cambios mantuvo mantiene 不变
launch; cancel postpone; launch* lift-off lifted-off liftoff blast* took-off gestartet startet start* lanc* décoll* lanza lanzó lanzado despeg* 发射 推出 上市 升空
release; cancel postpone; release* releasing unveil* veröffentlich* erschien* erscheint sort sorti sortie publi* estren* 发布 上映
postpone; ; postpon* delay* push-back pushed-back scrub* deferred reschedul* verschob* verschieb* vertag* report* ajourn* aplaz* pospon* pospuesto retras* 推迟 延期
cancel; ; cancel* call-off called-off scrap* abandon* shelve* abgesagt abgebrochen abbrech* annul* cancel* suspend* 取消
ban; allow; ban bans banned banning prohibit* outlaw* verbot* verbiet* interdit* interdire prohíb* prohib* 禁止
allow; ban; allow* permit* legaliz* legalis* erlaub* legalisier* autoris* permit* permite légalis* 允许 合法化
arrest; free; arrest* detain* in-custody verhaft* festgenommen arrêt* interpell* arrest* detenid* detuv* 逮捕 拘留
free; arrest; freed set-free released-from freigelassen libér* liber* 获释
convict; acquit; convict* guilty verurteilt condamn* coupable condena* culpable 有罪 定罪
acquit; convict; acquit* not-guilty exonerat* freigesprochen freispruch acquitt* relax* absuel* absuelto 无罪
elect; lose; elect elects elected re-elected gewählt wählt élu élue élit elegid* elig* 当选
nominate; ; nominate nominates nominated nominating nominiert 提名
join; leave; join joins joined joining beitritt beigetreten tritt-bei rejoint adhér* se-une unió ingres* 加入
leave; join; leave leaves leaving left withdraw* withdrew exit exits exited quits austritt ausgetreten verlässt quitt* retir* abandona salió 退出 离开
acquire; ; acqui* buy buys bought purchase* takeover takes-over took-over übernimmt übernahm* übernommen kauft rach* rachet* compra compró adquir* adquier* 收购
merge; ; merge* merging merger fusion* 合并
close; open; close closes closed closing shut shuts shutdown schließ* geschlossen ferm* cierra cerró cerrad* schloss clôtur* 关闭 收于 收盘
open; close; open opens opened opening reopen* eröffn* öffn* ouvr* ouvert* abre abrió abiert* inaugur* 开放 开业 开幕
agree; ; agree* agreement deal reach-a-deal einig* vereinbar* accord acuerd* 协议 达成
ceasefire; ; ceasefire cease-fire truce waffenruhe waffenstillstand cessez-le-feu trêve tregua alto-el-fuego 停火
strike; ; walkout streik* grève huelga 罢工
bankrupt; ; bankrupt* insolven* pleite faillite quiebra bancarrota 破产
default; ; default* zahlungsausfall défaut impago 违约
invade; ; invad* invasion einmarsch* envahi* invad* 入侵
impeach; ; impeach* amtsenthebung destitu* 弹劾
extend; ; extend* extension verlänger* prolong* ampl* prorrog* 延长
recall; ; recall* rückruf* rappel* retira 召回
confirm; ; confirmed-as senate-confirmed
indict; ; indict* charged angeklagt inculp* mis-en-examen imputad* 起诉
host; ; host hosts hosted hosting ausrichten accueill* acog* 举办
qualify; eliminate; qualif* advance* advances reach-the-final qualifizier* einzug clasific* 晋级 出线
eliminate; qualify; eliminat* knocked-out ausgeschieden élimin* elimin* eliminad* 淘汰 出局
record; ; record-high all-time-high rekordhoch rekordhöhe
complete; ; complet* finish* fertig* achev* termin* 完成 竣工
appoint; dismiss; appoint* ernannt ernenn* nomm* nombr* 任命
dismiss; appoint; fire fires fired sack* oust* dismiss* entlassen limog* despid* destitu* 解雇 罢免
land; ; land lands landed landing touchdown gelandet landet landung atterri* aterriz* 着陆
list; ; ipo goes-public went-public börsengang introduction-en-bourse 上市
`;

interface Concept {
  readonly name: string;
  readonly contrary: readonly string[];
}

const CONCEPTS: ReadonlyMap<string, Concept> = new Map();
const WHOLE = new Map<string, Set<string>>();
const BEGINNINGS = new Map<string, Set<string>>();
const PHRASES: (readonly [string, string])[] = [];
/** Prefixes are looked up by their first characters. The shortest prefix has this length. */
const KEY = 3;

function plain(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").replace(/ß/g, "ss").toLowerCase();
}

function learn(): void {
  for (const line of LINES.trim().split("\n")) {
    const [name = "", contrary = "", words = ""] = line.split(";").map((part) => part.trim());
    const known = CONCEPTS as Map<string, Concept>;
    known.set(name, { name, contrary: contrary.split(" ").filter((other) => other !== "") });
    for (const word of words.split(" ")) {
      const form = plain(word);
      if (/\p{sc=Han}/u.test(form)) PHRASES.push([form, name]);
      else if (form.includes("-")) PHRASES.push([form.replaceAll("-", " "), name]);
      else if (form.endsWith("*")) put(BEGINNINGS, form.slice(0, -1), name);
      else put(WHOLE, form, name);
    }
  }
}

function put(map: Map<string, Set<string>>, key: string, name: string): void {
  const names = map.get(key) ?? new Set();
  names.add(name);
  map.set(key, names);
}

learn();

/** The outcomes in a text, each with the position of its first word. */
export function conceptsOf(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const add = (names: Iterable<string> | undefined, at: number) => {
    for (const name of names ?? []) if (!found.has(name)) found.set(name, at);
  };
  for (const { text: word, stem, start } of wordsOf(text)) {
    add(WHOLE.get(word) ?? WHOLE.get(stem), start);
    for (let length = KEY; length <= word.length; length += 1) add(BEGINNINGS.get(word.slice(0, length)), start);
  }
  const lower = plain(text);
  for (const [phrase, name] of PHRASES) {
    const at = lower.indexOf(phrase);
    if (at >= 0) add([name], at);
  }
  return found;
}

/** Whether one outcome excludes the other. */
export function areContrary(a: string, b: string): boolean {
  return (CONCEPTS.get(a)?.contrary.includes(b) ?? false) || (CONCEPTS.get(b)?.contrary.includes(a) ?? false);
}
