import { describe, expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

describe.each<[question: string, sides: readonly (readonly [side: string, sentence: string])[]]>([
  [
    "Was Naomi Telford elected mayor of Drumlin?",
    [
      ["YES", "Naomi Telford was elected mayor of Drumlin."],
      ["YES", "Naomi Telford won the mayoral election in Drumlin."],
      ["YES", "Naomi Telford won the election in Drumlin."],
      ["YES", "Telford won the mayoralty of Drumlin."],
      ["YES", "Drumlin elected Naomi Telford mayor."],
      ["YES?", "Naomi Telford won the mayoral race."],
      ["", "Naomi Telford was elected to the council of Drumlin."],
      ["NO", "Mark Hale won the mayoral election in Drumlin."],
      ["NO", "Naomi Telford lost the mayoral election in Drumlin."],
      ["NO?", "Drumlin elected Mark Hale mayor."],
    ],
  ],
  [
    "Was Lena Crewe convicted of fraud?",
    [
      ["YES", "Lena Crewe was convicted of fraud."],
      ["YES", "Lena Crewe was found guilty of fraud."],
      ["YES", "The judge declared Lena Crewe guilty of fraud."],
      ["", "The court declared that Lena Crewe was guilty of fraud."],
      ["", "Lena Crewe was convicted of perjury."],
      ["", "Lena Crewe pleaded guilty to fraud."],
      ["", "A court acquitted Lena Crewe of perjury."],
      ["", "Lena Crewe's conviction for fraud was quashed."],
      ["NO", "Lena Crewe was found not guilty of fraud."],
      ["NO", "A court acquitted Lena Crewe of fraud."],
    ],
  ],
  [
    "Did Director Marl resign in 2026?",
    [
      ["YES", "Director Marl resigned as director in 2026."],
      ["YES", "Director Marl left office in 2026."],
      ["", "Director Marl left Orbis headquarters in a taxi in 2026."],
      ["", "Director Marl resigned herself to the cuts in 2026."],
      ["", "Director Marl resigned from the golf club in 2026."],
    ],
  ],
  [
    "Did the Kessler Ridge mine reopen?",
    [
      ["YES", "The Kessler Ridge mine reopened in May."],
      ["NO", "The Kessler Ridge mine has not reopened."],
      ["", "The Kessler Ridge mine closed in May."],
      ["", "The Kessler Ridge mine was closed in May."],
    ],
  ],
  [
    "Did the Harbour strike earn the dockers a raise?",
    [
      ["YES", "The Harbour strike earned the dockers a raise."],
      ["NO", "The Harbour strike did not earn the dockers a raise."],
      ["", "The Harbour strike earned the crane drivers a raise."],
    ],
  ],
  [
    "Did the Harbour strike carry the vote?",
    [
      ["YES", "The Harbour strike carried the vote."],
      ["NO", "The Harbour strike did not carry the vote."],
    ],
  ],
  [
    "Will Lena Ost be elected president of Corland by 1 December 2026?",
    [
      ["YES", "Lena Ost was elected president of Corland on 3 May 2026."],
      ["YES", "Corland elected Lena Ost as president on 3 May 2026."],
      ["YES", "Parliament elected Lena Ost president of Corland on 3 May 2026."],
      ["YES", "Lena Ost won the presidential run-off in Corland on 3 May 2026."],
      ["YES", "Lena Ost won a close presidential race in Corland on 3 May 2026."],
      ["YES?", "Lena Ost won the presidency on 3 May 2026."],
      ["", "Lena Ost was elected president of Corland's parliament on 3 May 2026."],
      ["", "Lena Ost was elected president of the student union of Corland on 3 May 2026."],
      ["", "In Durne, Jon Vale was elected president on 3 May 2026."],
      ["", "Lena Ost conceded mistakes on 3 May 2026."],
      ["NO", "Jon Vale was elected president of Corland on 3 May 2026."],
      ["NO", "Corland elected Jon Vale as president on 3 May 2026."],
      ["NO", "Lena Ost conceded defeat in the presidential election in Corland on 3 May 2026."],
    ],
  ],
  [
    "Did Velmoor beat Ashcombe in the Vale Cup final?",
    [
      ["YES", "Velmoor defeated Ashcombe 2-1 in the Vale Cup final."],
      ["", "Velmoor beat Ashcombe to the signing of Jo Varga."],
      ["", "Velmoor beat Denby in the Vale Cup final."],
      ["", "Velmoor beat Ashcombe in the Vale Cup semi-final."],
      ["", "Velmoor drew with Ashcombe in the Vale Cup final."],
      ["", "Velmoor's reserves beat Ashcombe in the Vale Cup final."],
      ["NO", "Ashcombe beat Velmoor in the Vale Cup final."],
      ["NO", "Velmoor lost to Ashcombe in the Vale Cup final."],
    ],
  ],
  [
    "Did floods kill more than 100 people in Marvia?",
    [
      ["YES", "Floods in Marvia killed 150 people."],
      ["YES", "In Marvia 150 people were killed by floods."],
      ["", "Floods have killed 150 people in Marvia since 1990."],
      ["", "Floods in Marvia injured 150 people."],
    ],
  ],
  [
    "Did Vantor employ more than 1,000 people in 2026?",
    [
      ["YES", "Vantor employs 1,400 people."],
      ["", "Vantor trains 1,400 people."],
      ["", "Vantor recalled 1,400 people."],
    ],
  ],
  [
    "Hat Vantor mehr als 1.000 Autos zurückgerufen?",
    [
      ["YES", "Vantor hat 1.400 Autos zurückgerufen."],
      ["", "Vantor hat 1.400 Autos verkauft."],
    ],
  ],
  [
    "Vantor a-t-il rappelé plus de 1 000 voitures ?",
    [
      ["YES", "Vantor a rappelé 1 400 voitures."],
      ["", "Vantor a vendu 1 400 voitures."],
    ],
  ],
])("%s", (question, sides) => {
  test.each(sides)("%j: %s", async (side, sentence) => {
    expect(await sideOf(question, sentence)).toBe(side);
  });
});
