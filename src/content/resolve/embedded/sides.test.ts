import { describe, expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

type Sides = Readonly<Partial<Record<"YES" | "YES?" | "NO" | "", readonly string[]>>>;

/** Questions with sentences by the side on which they count. Those with a question mark support no firm verdict. */
const QUESTIONS: Readonly<Record<string, Sides>> = {
  "Did Governor Marlow sign the Water Act in 2026?": {
    YES: [
      "Governor Marlow signed the Water Act.",
      "Governor Marlow signed the Water Act in 2026, two years later than in 2024.",
      "The Water Act was signed by Governor Marlow.",
    ],
    "": [
      "Governor Marlow did not sign the Water Act.",
      "Governor Marlow has yet to sign the Water Act.",
      "Governor Marlow will sign the Water Act.",
      "Governor Marlow signed off the Water Act.",
      "Governor Marlow signed the Water Act last year.",
      "Governor Marlow signed the Water Act in 2025.",
      "Governor Marlow, elected in 2022, signed the Water Act.",
      "The Water Act was signed by a clerk.",
      "The Water Act was signed by mistake.",
      "The Water Act was signed by a majority vote.",
      "The Water Act was signed on Monday.",
      "Governor Marlow vetoed the Water Act.",
      "Governor Marlow signed the Fire Act.",
      "Mayor Ost signed the Water Act.",
      "A source close to the matter said that Governor Marlow signed the Water Act.",
      "The signature of Governor Marlow on the Water Act was praised.",
      "Governor Marlow signed the Water Act, but Governor Marlow did not sign the Water Act.",
    ],
  },
  "Did the council pass the Dunmore budget?": {
    YES: ["The council passed the Dunmore budget.", "The Dunmore budget was passed by the council."],
    NO: ["The council rejected the Dunmore budget."],
    "": [
      "The council passed over the Dunmore budget.",
      "The council did not reject the Dunmore budget.",
      "The council's committee passed the Dunmore budget.",
      "Some of the council passed the Dunmore budget.",
    ],
  },
  "Was Silas Dunmore convicted of fraud?": {
    YES: ["Silas Dunmore was convicted of fraud.", "The court found Silas Dunmore guilty of fraud."],
    "YES?": ["Silas Dunmore was convicted."],
    NO: ["Silas Dunmore was acquitted of fraud."],
    "": [
      "Silas Dunmore was convicted of perjury.",
      "Silas Dunmore was convicted of very serious and repeated tax fraud.",
      "The appeal court suspended the conviction of Silas Dunmore of fraud.",
    ],
  },
  "Did police chief Lena Ost resign?": {
    YES: [
      "Police chief Lena Ost resigned.",
      "Police chief Lena Ost resigned as police chief.",
      "Police chief Lena Ost announced a resignation.",
    ],
    "YES?": ["Police chief Lena Ost resigned from office.", "Police chief Lena Ost resigned from the post."],
    NO: ["Police chief Lena Ost remains in office."],
    "": [
      "Police chief Lena Ost resigned themselves to the plan.",
      "Police chief Lena Ost resigned from the youth club.",
      "Lena Ost announced the resignation of the fire chief.",
      "Police chief Lena Ost remains in hospital.",
    ],
  },
  "Did Orbis buy the Sarin mine?": {
    YES: ["Orbis bought the Sarin mine.", "The state sold the Sarin mine to Orbis."],
    NO: ["The state sold the Sarin mine to Zeta.", "Zeta bought the Sarin mine.", "The Sarin mine was bought by Zeta."],
    "": [
      "The state sold the Sarin mine.",
      "Orbis sold the Sarin mine.",
      "Orbis bought the Sarin mine's neighbour.",
      "The Sarin mine was bought by the state.",
    ],
  },
  "Did Velmoor beat Ashcombe?": {
    YES: ["Velmoor beat Ashcombe.", "Ashcombe were beaten by Velmoor.", "Velmoor beat Ashcombe 2-1."],
    NO: ["Ashcombe beat Velmoor.", "Velmoor were beaten by Ashcombe.", "Velmoor lost to Ashcombe."],
    "": ["Velmoor beat Halden.", "Velmoor 2 beat Ashcombe.", "Velmoor won the first leg against Ashcombe."],
  },
  "Did Odalys Prewitt win the mayoral election in Tarnbrook?": {
    YES: [
      "Odalys Prewitt won the mayoral election in Tarnbrook.",
      "Odalys Prewitt was elected mayor of Tarnbrook.",
      "Tarnbrook elected Odalys Prewitt mayor.",
    ],
    NO: ["Ida Kern was elected mayor of Tarnbrook."],
    "YES?": ["Odalys Prewitt was elected."],
    "": [
      "Odalys Kern was elected mayor of Tarnbrook.",
      "Odalys Prewitt was elected treasurer of Tarnbrook.",
      "Odalys Prewitt was elected mayor of Durne.",
      "The town was elected mayor of Tarnbrook.",
    ],
  },
  "Did the nurses of Halmont strike in May 2026?": {
    YES: ["The nurses of Halmont struck in May 2026."],
    "": [
      "The nurses of Durne struck in May 2026.",
      "In neighbouring Durne the nurses struck in May 2026.",
      "The nurses' union of Halmont struck in May 2026.",
      "Some nurses of Halmont struck in May 2026.",
      "The nurses of Halmont struck in May 2025.",
      "The former nurses of Halmont struck in May 2026.",
    ],
  },
  "Did the Heron 2 rover land on Mars?": {
    YES: ["The Heron 2 rover landed on Mars.", "The Heron rover landed on Mars."],
    "": ["The Heron 1 rover landed on Mars."],
  },
  "Did the Heron rover land on Mars?": {
    YES: ["The Heron rover landed on Mars."],
    "": ["The Heron 2 rover landed on Mars.", "Heron-2 landed on Mars."],
  },
  "Did the Kestrel bridge reopen to cars and trains?": {
    YES: ["The Kestrel bridge reopened to cars and trains."],
    "YES?": ["The Kestrel bridge reopened."],
    "": [
      "The Kestrel bridge reopened to cars.",
      "The Kestrel bridge remains closed.",
      "The Kestrel bridge remains popular.",
    ],
  },
  "Did Lena Ost become leader of the Reform Party?": {
    YES: [
      "Lena Ost became leader of the Reform Party.",
      "Lena Ost was elected leader of the Reform Party.",
      "Ida Kern left after Lena Ost was elected leader of the Reform Party.",
    ],
    NO: ["Lena Ost was not elected leader of the Reform Party."],
    "": [
      "Lena Ost became treasurer of the Reform Party.",
      "Lena Ost became leader of the Green Party.",
      "Lena Ost left after Ida Kern was elected leader of the Reform Party.",
    ],
  },
  "Hat der Landtag von Westmark das Wolfsgesetz verabschiedet?": {
    YES: [
      "Der Landtag von Westmark hat das Wolfsgesetz verabschiedet.",
      "Das Wolfsgesetz wurde vom Landtag von Westmark verabschiedet.",
    ],
    NO: [
      "Der Landtag von Westmark hat das Wolfsgesetz abgelehnt.",
      "Der Landtag von Westmark hat das Wolfsgesetz nicht verabschiedet.",
    ],
    "": [
      "Der Landtag von Ostmark hat das Wolfsgesetz verabschiedet.",
      "Das Wolfsgesetz wurde vom Bundestag verabschiedet.",
      "Der Landtag von Westmark hat das Jagdgesetz verabschiedet.",
      "Der Landtag von Westmark will das Wolfsgesetz verabschieden.",
    ],
  },
  "Le conseil de Valdor a-t-il approuvé le budget ?": {
    YES: ["Le conseil de Valdor a approuvé le budget.", "Le budget a été approuvé par le conseil de Valdor."],
    "YES?": ["Le conseil de Valdor a approuvé le budget du port."],
    NO: ["Le conseil de Valdor n'a pas approuvé le budget.", "Le conseil de Valdor a rejeté le budget."],
    "": ["Le conseil de Morel a approuvé le budget.", "Le budget a été approuvé par le préfet."],
  },
  "¿Firmó la alcaldesa Ana Ruiz el convenio?": {
    YES: ["La alcaldesa Ana Ruiz firmó el convenio.", "El convenio fue firmado por la alcaldesa Ana Ruiz."],
    NO: ["La alcaldesa Ana Ruiz no firmó el convenio.", "La alcaldesa Ana Ruiz nunca firmó el convenio."],
    "": [
      "La alcaldesa Eva Gil firmó el convenio.",
      "El convenio fue firmado por el ministro.",
      "La alcaldesa Ana Ruiz firmará el convenio.",
    ],
  },
  "Il comune di Valdor ha approvato il bilancio?": {
    YES: ["Il comune di Valdor ha approvato il bilancio.", "Il bilancio è stato approvato dal comune di Valdor."],
    NO: ["Il comune di Valdor non ha mai approvato il bilancio.", "Il comune di Valdor ha respinto il bilancio."],
    "": ["Il comune di Rocca ha approvato il bilancio.", "Il comune di Valdor approverà il bilancio."],
  },
  "A câmara de Valdor aprovou o orçamento?": {
    YES: ["A câmara de Valdor aprovou o orçamento.", "O orçamento foi aprovado pela câmara de Valdor."],
    NO: ["A câmara de Valdor não aprovou o orçamento.", "A câmara de Valdor rejeitou o orçamento."],
    "": ["A câmara de Serra aprovou o orçamento.", "A câmara de Valdor vai aprovar o orçamento."],
  },
  "Did Merrow have more than 400,000 visitors in 2026?": {
    YES: [
      "Merrow had 500,000 visitors in 2026.",
      "Merrow's visitors rose from 500,000 to 600,000.",
      "Merrow's visitors rose from 300,000 to 600,000.",
      "Visitors of Merrow: 500,000",
    ],
    NO: ["Merrow had 300,000 visitors in 2026."],
    "": [
      "Merrow had 500,000 visitors in 2024.",
      "Merrow's neighbour had 500,000 visitors in 2026.",
      "Greater Merrow had 500,000 visitors in 2026.",
      "Merrow and its partners had 500,000 visitors in 2026.",
      "Durne had 500,000 visitors in 2026.",
      "Merrow had 500,000 more visitors than Durne in 2026.",
      "Merrow had an average of 500,000 visitors.",
      "Merrow may have 500,000 visitors in 2026.",
      "Merrow passed the mark of 500,000 visitors.",
      "Merrow counted 500,000 dogs in 2026.",
      "Merrow had 500,000 visitors since 2020.",
      "Merrow had 500,000 visitors since May 2020.",
    ],
  },
  "Did Prime Minister Lantz lose the vote of confidence?": {
    NO: ["Prime Minister Lantz survived a vote of confidence by 88 votes to 81."],
    "": ["Prime Minister Lantz survived the crash.", "The cabinet survived a vote of confidence."],
  },
  "Were more than 20 people killed in the Halle fire?": {
    YES: [
      "In the Halle fire 25 people were killed.",
      "Killed in the Halle fire: 25",
      "The death toll of the Halle fire has risen to 25.",
    ],
    NO: ["In the Halle fire 15 people were killed."],
    "": [
      "In the Halle fire 25 people were injured.",
      "The toll of the road to the Halle fire has risen to 25, and people were killed before.",
      "In the Halle fire 25 people were injured and 15 people were killed.",
    ],
  },
  "¿Venció Velmoor a Ashcombe?": {
    YES: ["Velmoor venció a Ashcombe."],
    NO: ["Ashcombe venció a Velmoor."],
  },
  "Ha vinto Velmoor contro Ashcombe?": {
    YES: ["Velmoor ha vinto contro Ashcombe."],
    NO: ["Ashcombe ha vinto contro Velmoor."],
  },
  "Ha battuto il Velmoor l'Ashcombe?": {
    YES: ["Il Velmoor ha battuto l'Ashcombe."],
    NO: ["L'Ashcombe ha battuto il Velmoor."],
  },
  "Hat Orwell Air Brightwater übernommen?": {
    YES: ["Orwell Air hat Brightwater übernommen.", "Brightwater wurde von Orwell Air übernommen."],
    NO: ["Brightwater übernahm Orwell Air.", "Orwell Air wurde von Brightwater übernommen."],
  },
  "Will there be a strike by Corran Ferries crews?": {
    "": ["Corran Ferries crews sang on Monday.", "Corran Ferries crews continue."],
  },
  "Is the rate of Norvane exactly 4 percent in 2026?": {
    YES: ["The rate of Norvane is 4 percent."],
    NO: ["The rate of Norvane is 5 percent.", "The rate of Norvane rose from 4 percent to 5 percent."],
  },
  "Did Orwell Air carry more than 2 million passengers in 2026?": {
    YES: ["Orwell Air carried 3 million passengers in 2026."],
    NO: ["Orwell Air carried 1 million passengers in 2026."],
    "": ["Orwell group carried 3 million passengers in 2026."],
  },
  "La mine de Halden a-t-elle produit plus de 250 tonnes d'or en 2026 ?": {
    YES: ["La mine de Halden a produit 300 tonnes d'or en 2026."],
    "": ["La mine de Halden a produit 300 tonnes d'or depuis 2019."],
  },
};

describe.each(Object.entries(QUESTIONS))("%s", (question, sides) => {
  describe.each(Object.entries(sides))("%p:", (side, sentences) => {
    test.each(sentences)("%s", async (sentence) => expect(await sideOf(question, sentence)).toBe(side));
  });
});
