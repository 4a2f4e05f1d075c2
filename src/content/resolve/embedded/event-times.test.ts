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
  "Wurde die Talbrücke Ennsdorf vor dem 10. Juni 2026 eröffnet?": {
    YES: [
      "Die Talbrücke Ennsdorf wurde im Mai 2026 eröffnet.",
      "Die Talbrücke Ennsdorf wurde Anfang Mai 2026 eröffnet.",
    ],
    NO: ["Die Talbrücke Ennsdorf wurde im Juli 2026 eröffnet."],
    "": [
      "Die Talbrücke Ennsdorf wurde im Juni 2026 eröffnet.",
      "Die Talbrücke Ennsdorf wurde Mitte Juni 2026 eröffnet.",
      "Die Talbrücke Ennsdorf wurde im Sommer 2026 eröffnet.",
      "Die Talbrücke Ennsdorf wurde im ersten Halbjahr 2026 eröffnet.",
      "Die Talbrücke Ennsdorf wurde im Jahr 2026 eröffnet.",
      "Die Talbrücke Ennsdorf wurde nach dem 1. Juni 2026 eröffnet.",
      "Die Talbrücke Ennsdorf wurde vor dem 20. Juni 2026 eröffnet.",
    ],
    "YES?": [
      "Die Talbrücke Ennsdorf wurde dieses Jahr eröffnet.",
      "Die Talbrücke Ennsdorf wurde letzte Woche eröffnet.",
    ],
  },
  "Le pont de Marvaux a-t-il ouvert avant le 10 juin 2026 ?": {
    YES: ["Le pont de Marvaux a ouvert en mai 2026."],
    NO: ["Le pont de Marvaux a ouvert en juillet 2026."],
    "": [
      "Le pont de Marvaux a ouvert en juin 2026.",
      "Le pont de Marvaux a ouvert à la mi-juin 2026.",
      "Le pont de Marvaux a ouvert à l'été 2026.",
      "Le pont de Marvaux a ouvert en 2026.",
      "Le pont de Marvaux a ouvert après le 1er juin 2026.",
      "Le pont de Marvaux a ouvert avant le 20 juin 2026.",
      "Le pont de Marvaux a ouvert au premier semestre 2026.",
    ],
    "YES?": ["Le pont de Marvaux a ouvert cette année."],
  },
  "¿Abrió el puente de Olmeda antes del 10 de junio de 2026?": {
    YES: ["El puente de Olmeda abrió en mayo de 2026."],
    NO: ["El puente de Olmeda abrió en julio de 2026.", "El puente de Olmeda abrió a finales de junio de 2026."],
    "": [
      "El puente de Olmeda abrió en junio de 2026.",
      "El puente de Olmeda abrió a mediados de junio de 2026.",
      "El puente de Olmeda abrió en verano de 2026.",
      "El puente de Olmeda abrió en 2026.",
      "El puente de Olmeda abrió antes del 20 de junio de 2026.",
      "El puente de Olmeda abrió después del 1 de junio de 2026.",
    ],
    "YES?": ["El puente de Olmeda abrió este año."],
  },
  "Il ponte di Brannico ha aperto prima del 10 giugno 2026?": {
    YES: ["Il ponte di Brannico ha aperto a maggio 2026."],
    NO: ["Il ponte di Brannico ha aperto a luglio 2026."],
    "": [
      "Il ponte di Brannico ha aperto a giugno 2026.",
      "Il ponte di Brannico ha aperto a metà giugno 2026.",
      "Il ponte di Brannico ha aperto nell'estate 2026.",
      "Il ponte di Brannico ha aperto nel 2026.",
      "Il ponte di Brannico ha aperto prima del 20 giugno 2026.",
      "Il ponte di Brannico ha aperto dopo il 1 giugno 2026.",
    ],
  },
  "A ponte de Brannico abriu antes de 10 de junho de 2026?": {
    YES: ["A ponte de Brannico abriu em maio de 2026."],
    NO: ["A ponte de Brannico abriu em julho de 2026."],
    "": [
      "A ponte de Brannico abriu em junho de 2026.",
      "A ponte de Brannico abriu em meados de junho de 2026.",
      "A ponte de Brannico abriu no verão de 2026.",
      "A ponte de Brannico abriu em 2026.",
      "A ponte de Brannico abriu antes de 20 de junho de 2026.",
      "A ponte de Brannico abriu depois de 1 de junho de 2026.",
    ],
  },
  "Did Sarin's exports exceed 40 billion euros in the first half of 2026?": {
    YES: [
      "Sarin's exports reached 43 billion euros in the first half of 2026.",
      "Exports from Sarin were 43 billion euros in the first half of 2026.",
    ],
    NO: ["Sarin's exports were 37 billion euros in the first half of 2026."],
    "": [
      "Sarin's exports reached 43 billion euros in 2026.",
      "Sarin's exports reached 43 billion euros in the second half of 2026.",
      "Sarin's exports reached 23 billion euros in the first quarter of 2026.",
      "Sarin's exports reached 43 billion euros in the first half of 2025.",
      "Sarin's exports were 37 billion euros in the second quarter of 2026.",
      "Sarin's exports were 37 billion euros in June 2026.",
      "Sarin's exports fell by 43 billion euros in the first half of 2026.",
      "Sarin's imports reached 43 billion euros in the first half of 2026.",
    ],
  },
  "Did the Ferrow reservoir fall below 30 percent in summer 2026?": {
    "": [
      "The Ferrow reservoir fell to 24 percent in July 2025.",
      "The Ferrow reservoir fell to 24 percent in March 2026.",
      "The Ferrow reservoir fell by 24 percent in July 2026.",
      "The Ferrow reservoir fell from 60 to 42 percent in July 2026.",
    ],
  },
});
