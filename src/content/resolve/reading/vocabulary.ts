import { classesOf } from "./word-classes.ts";

/** Closed classes of words of all languages, beside the function words of each. A word with a star is a prefix. */
export const WORDS = classesOf<
  | "of"
  /** Prepositions before the receiver of a prize. */
  | "to"
  | "in"
  | "withArticle"
  /** "beat", "win against", "the purchase of": prepositions before the object of a verb or a noun. */
  | "beforeObject"
  | "beforeComplement"
  | "beforePost"
  /** Particles, and the verbs to which they give another sense: "passed over". */
  | "particle"
  | "withParticle"
  /** Romance adjectives that stand before their noun. */
  | "beforeNoun"
  /** "Some nurses" are not the nurses. */
  | "partial"
  /** Modifiers that make of a thing or an office a lesser one: "deputy director", "indoor record". */
  | "lesser"
  /** Modifiers by which offices and titles of different areas differ: "the district court". */
  | "level"
  | "title"
  /** Words for an office in general. */
  | "post"
  /** The words of a state that a change would end: "remains in force", "is still minister". */
  | "state"
  /** Labels of entries that state the outcome for the page's subject. */
  | "status"
  /** Nouns by which a text comes back to a thing that it has named. */
  | "generic"
  /** The legal form of a firm, which a question leaves out. */
  | "legalForm"
  /** Nouns that name a thing by a part of it that decides: "the cup final", "the price of gold". */
  | "standFor"
  /** Bodies that act for a country or a place. */
  | "body"
  /** Adjectives for the result of a decision. */
  | "result"
  | "prison"
  | "court"
  | "judge"
  | "bank"
  | "banker"
  | "regulator"
  | "authority"
  | "assembly"
  | "member"
  /** Nouns after "by" that name no actor. */
  | "manner"
  /** Nouns of times that are not dates. */
  | "time"
  /** Prepositions before an earlier event or a cause. */
  | "circumstance"
  /** Nouns for works with titles. */
  | "work"
  /** Words by which something else is counted in, or not. */
  | "counting"
  /** Adverbs that leave a fact what it is. */
  | "plain"
  /** Stems of verbs and nouns that any figure can have. */
  | "general"
  /** Those who are counted at an event or a place, the verbs that count them, and the nouns for their number. */
  | "audience"
  | "attend"
  | "attendance"
>(`
of: of de d' du des di del della dello dell' do da dos das von
to: to an à a al alla allo all' ao aos
in: in at im a à en em na no nella nello nell' nell nel
withArticle: au aux ao aos no nos na nas nella nelle nello nell' nell nel nei alla alle allo all' all al ai agli
beforeObject: of over against in contra contro gegen contre de d' du des von vom di del della dell' dello dei do da dos das
beforeComplement: of for with on against von des mit de du d' pour para con di del della dei per do da dos das
beforePost: from as of von vom als de du da do del di dal dalla della comme como come
particle: over up back away off down out
withParticle: pass* stand* break* brok* sign* win* won*
beforeNoun: nuov* nouve* nuev* novo novos nova novas gran* prem* prim* ultim* dern* antig* anci* vecch* viej* velh*
partial: some several few half einige manche mehrere certain quelques plusieurs algunas algunos varias varios alcuni alcune diversi diverse
lesser: deput* vice* assistan* acting* former* interim* junior* youth* indoor* club* women* woman girl* femmin* femenin* feminin* giovanil* juvenil* reserv* stellvertret* ehemalig* fruher* adjoint* adjunt* vicari*
level: district* region* nation* local* provinci* municipal* departement*
title: mr mrs ms dr president governor senator chancellor king queen prince princess pope judge mayor professor prime chief deputy captain coach champion sir lord lady saint st hurricane typhoon cyclone presidente minist* prasident kanzler* burgermeister* maire alcalde alcaldesa sindaco sindaca sindaci prefeito prefeita gouverneur gobernador* governatore governatori governador*
post: post* office* position* job* role* duty* duties* government* cabinet* amt* regierung* fonction* gouvern* cargo* puesto* gobierno* carica* incarico* governo* funcoes*
state: open* valid* force* effect* operati* running* service* intact* office* post* job* helm* charge* minist* mayor* president* direct* chair* head* coach* captain* chief* betrieb* kraft* offen* geoffnet* gultig* amt* trainer* ouvert* vigueur* valable* maire* entraineur* abiert* vigor* cargo* alcald* entrenador* apert* servizio* funzione* carica* sindac* allenator* abert* funcion* prefeit* treinador*
status: status decision result outcome ruling judgment ergebnis beschluss entscheidung stand resultat estado fallo resultado resolucion decisione esito stato decisao situacao statut
generic: company firm club airline bank group party bridge tunnel law act bill treaty museum plant mine ship vessel satellite probe unternehmen firma verein gesetz werk entreprise societe loi usine empresa compania ley azienda societa legge lei
legalForm: plc inc ltd llc corp ag gmbh se sa sas spa srl nv bv ab as oyj kg
standFor: appointment nomination final finals result results outcome validity title titles trophy trophies crown price prices rate rates tasa taux tasso taxa level value figure figures total number share shares index stock stocks party team pleno plenario plenum plenary
body: parliament government senate congress assembly council cabinet legislature lawmakers mps ministers
result: unchanged unverandert inchange inchangee inalterado inalterada invariato invariata void null invalid nichtig ungultig nul nulle nulo nula nullo nulla guilty schuldig coupable culpable colpevole culpado culpada
prison: prison jail custody detention
court: court verwaltungsgericht bundesgericht verfassungsgericht landgericht oberlandesgericht
judge: judges justices richter juges magistrats jueces magistrados giudici magistrati juizes
bank: bank reserv* fed ecb
banker: policymakers policymaker ratesetters
regulator: regulator regulators watchdog watchdogs
authority: regulator regulators watchdog watchdogs authority authorities commission agency
assembly: parliament senate congress assembly legislature chamber house council board landtag stadtrat gemeinderat senat assemblee conseil senado congreso pleno camera senato consiglio camara
member: lawmakers legislators mps deputies senators councillors members abgeordnete stadtrate gemeinderate deputes senateurs elus conseillers administrateurs diputados senadores concejales deputati senatori consiglieri deputados vereadores
manner: majorit* mehrheit* mayori* maggioran* maiori* vote* voto* voti* stimm* voix* margin* mistak* accident* default* law* decre* mail* email* hand* acclam* unanim* percent* cent ciento cento effect* immediat* wirkung effet efecto effetto efeito good favour favor
general: toll new neue* nouve* nuev* nuov* novo* nova* ever annual annually overall whole entire exactly official*
audience: people person* fan* guest* visitor* visiteur* visitant* visitator* spectator* spectateur* spettator* espectador* attende* menschen besucher* zuschauer* gast gaste asistent* persone pessoas
attend: attend* visit visits visited visiting watch* welcom* drew draw* attract* receiv* host* saw sees had has count* record* regist* report* came come* flock* reach* total* accueill* recu recoit attir* enregist* compt* atteint besucht* kamen gekommen zahl* empf* verzeichn* anlock* lockt* gelockt recib* acog* atra* registr* asisti* asiste* alcanz* accol* ospit* raggiunt* receb* acolh* contou fell rose was stood
attendance: attendanc* crowd* frequentation affluenc* besucherzahl* zuschauerzahl* asistencia afluencia affluenza presenz* assistencia
plain: early late shortly accordingly officially formally finally narrowly comfortably easily unanimously recently already also just now then eventually successfully quickly swiftly immediately currently again thus later soon still yet even jointly legally permanently fully completely definitively ultimately overwhelmingly convincingly decisively clearly simply only once twice today longer exactly precisely publicly personally duly safely directly effectively newly previously annually daily weekly monthly yearly hourly roughly approximately nationally globally internationally locally initially originally firstly surprisingly unexpectedly reluctantly grudgingly solemnly smoothly heavily sharply steadily slightly strongly significantly solely largely mainly mostly widely particularly especially respectively auch bereits dann nun schon endlich heute wieder noch deja aussi enfin encore ya tambien finalmente gia anche ancora ja tambem recemment oficialmente formalmente recientemente definitivamente unanimemente inmediatamente ampliamente ufficialmente recentemente immediatamente imediatamente nuevamente novamente nuovamente notamment
time: monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miercoles jueves viernes sabado domingo lunedi martedi mercoledi giovedi venerdi sabato domenica feira today yesterday gestern heute hier ayer hoy ieri oggi ontem hoje minut* year* season* month* week* weekend* day* night* morning* afternoon* evening* noon midnight hour* quarter* end* beginning time* jahr* saison* monat* woche* tag* nacht* morgen* abend* mittag* stunde* ende an annee* mois semaine* jour* nuit* matin* soir* midi heure* fin fine fim ano* temporada* mes* semana* dia* noche* manana* tarde* hora* anno* anni stagion* mesi settiman* giorn* notte mattin* sera* pomeriggi* ora ore noite* manha*
circumstance: after amid following despite during because nach trotz wegen wahrend apres malgre pendant tras despues durante pese dopo nonostante apos depois apesar
work: album single song film movie novel play series book musical opera game podcast poem show
counting: including excluding counting inklusive einschliesslich mitsamt ohne compris* hors incluid* inclus* excluid* compres* esclus* inclui* exclui*
`);

/** Classes of the outcomes in concepts.ts. */
export const OUTCOMES = classesOf<
  /** Outcomes that only one candidate can have: another candidate's outcome excludes it. */
  | "exclusive"
  /** Outcomes that change sides if subject and object change places. */
  | "directed"
  /** Outcomes whose subject is also their object: "the bridge opened", "the mayor opened the bridge". */
  | "ergative"
  /** Those of them that tell who acted by the context: "the headset went on sale", "the result stands". */
  | "unaided"
  /** States that exclude a change, by any actor. */
  | "lasting"
  /** Outcomes with one holder, whom an entry of a table names. */
  | "held"
  /** Those that a decision brings about: "voted to cut the rate". */
  | "decided"
  /** Final outcomes: the contrary cannot follow before the deadline. */
  | "final"
  /** Verbs that take back their object: "suspended the revocation". */
  | "undoing"
>(`
exclusive: win elect acquire host nominate appoint
directed: win acquire invade lose
ergative: bankrupt die stay-up become enact open resume close launch release start end land merge list complete rise fall postpone cancel publish persist uphold unchanged
unaided: release launch publish uphold unchanged persist
lasting: uphold persist unchanged stay
held: win elect appoint
decided: approve reject veto enact sign cancel repeal ban allow lift impose rise fall unchanged extend suspend postpone uphold persist stay convict acquit sentence appoint elect nominate dismiss impeach recall award renew
final: reject cancel lose eliminate acquit die win convict uphold
undoing: cancel suspend repeal reject
`);
