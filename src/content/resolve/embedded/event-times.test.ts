import { describeSides } from "../testing/describe-sides.ts";

/** Questions about an event in a time, and sentences with other times. */
describeSides({
  "Will the Hartwell tram line open before 10 June 2026?": {
    YES: ["The Hartwell tram line opened on 2 June 2026.", "The Hartwell tram line opened in May 2026."],
    NO: [
      "The Hartwell tram line opened in July 2026.",
      "The Hartwell tram line opened in late June 2026.",
      "The Hartwell tram line opened in the third quarter of 2026.",
      "The Hartwell tram line opened on 10 June 2026.",
    ],
    "": [
      "The Hartwell tram line opened in June 2026.",
      "The Hartwell tram line opened in 2026.",
      "The Hartwell tram line opened in the first half of 2026.",
      "The Hartwell tram line opened in the second quarter of 2026.",
      "The Hartwell tram line opened in the summer of 2026.",
      "The Hartwell tram line opened in mid-June 2026.",
      "The Hartwell tram line opened two weeks after 1 June 2026.",
      "The Hartwell tram line opened between 1 June and 20 June 2026.",
      "The Hartwell tram line opened no later than 20 June 2026.",
      "The Hartwell tram line opened after 1 June 2026.",
      "The Hartwell tram line opened before 20 June 2026.",
    ],
    "YES?": [
      "The Hartwell tram line opened this year.",
      "The Hartwell tram line opened earlier this year.",
      "The Hartwell tram line opened a few months ago.",
      "The Hartwell tram line has opened.",
      "The Hartwell tram line opened last week.",
      "The Hartwell tram line opened four months ago.",
    ],
  },
  "Did the Hartwell tram line open after 15 June 2026?": {
    YES: ["The Hartwell tram line opened on 20 June 2026.", "The Hartwell tram line opened in July 2026."],
    "": [
      "The Hartwell tram line opened in June 2026.",
      "The Hartwell tram line opened on 2 June 2026.",
      "The Hartwell tram line opened in 2026.",
      "The Hartwell tram line opened after 1 June 2026.",
    ],
  },
  "Did the Hartwell tram line open in the first half of 2026?": {
    YES: [
      "The Hartwell tram line opened on 2 March 2026.",
      "The Hartwell tram line opened in the first half of 2026.",
      "The Hartwell tram line opened in the second quarter of 2026.",
    ],
    NO: [
      "The Hartwell tram line opened on 2 August 2026.",
      "The Hartwell tram line opened in the second half of 2026.",
    ],
    "": ["The Hartwell tram line opened in 2026.", "The Hartwell tram line opened on 2 March 2025."],
  },
  "Did Orla Kemp resign as mayor within 30 days of the vote on 1 May 2026?": {
    "YES?": ["Orla Kemp resigned as mayor on 20 May 2026."],
    "NO?": ["Orla Kemp resigned as mayor on 20 June 2026."],
    "": ["Orla Kemp resigned as mayor on 20 April 2026.", "Orla Kemp resigned as mayor after the vote on 1 May 2026."],
  },
  "Did the Corland parliament approve the budget on or before 30 June 2026?": {
    YES: ["The Corland parliament approved the budget on 30 June 2026."],
    NO: ["The Corland parliament approved the budget on 1 July 2026."],
  },
  "Did the Corland parliament approve the budget on or after 30 June 2026?": {
    YES: [
      "The Corland parliament approved the budget on 30 June 2026.",
      "The Corland parliament approved the budget on 3 July 2026.",
    ],
    "": ["The Corland parliament approved the budget on 29 June 2026."],
  },
  "Did the Corland parliament approve the budget in the week of 1 June 2026?": {
    YES: ["The Corland parliament approved the budget on 4 June 2026."],
    NO: ["The Corland parliament approved the budget on 10 June 2026."],
    "": ["The Corland parliament approved the budget on 30 May 2026."],
  },
  "Hat der Stadtrat von Ennsdorf den Haushalt im ersten Halbjahr 2026 beschlossen?": {
    YES: ["Der Stadtrat von Ennsdorf hat den Haushalt am 3. März 2026 beschlossen."],
    NO: ["Der Stadtrat von Ennsdorf hat den Haushalt am 3. August 2026 beschlossen."],
    "YES?": ["Der Stadtrat von Ennsdorf hat den Haushalt 2026 beschlossen."],
  },
  "Le conseil municipal de Marvaux a-t-il adopté le budget avant fin juin 2026 ?": {
    YES: ["Le conseil municipal de Marvaux a adopté le budget le 29 juin 2026."],
    NO: ["Le conseil municipal de Marvaux a adopté le budget le 2 juillet 2026."],
    "YES?": ["Le conseil municipal de Marvaux a adopté le budget cet été."],
  },
  "¿Aprobó el pleno de Olmeda el presupuesto a finales de junio de 2026?": {
    NO: ["El pleno de Olmeda aprobó el presupuesto el 2 de julio de 2026."],
    "": ["El pleno de Olmeda aprobó el presupuesto el 2 de junio de 2026."],
  },
  "Will the ceasefire in Kestria end in September or October 2026?": {
    YES: ["The ceasefire in Kestria ended on 14 September 2026.", "The ceasefire in Kestria ended on 2 October 2026."],
    "": ["The ceasefire in Kestria ended on 14 August 2026."],
  },
});
