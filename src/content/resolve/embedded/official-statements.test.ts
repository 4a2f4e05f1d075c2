import { describePages } from "../testing/describe-sides.ts";

/** Statements of authorities, central banks and firms on their own sites, and reports of them. */
describePages([
  [
    "Will the Federal Reserve cut interest rates at its October 2026 meeting?",
    "2026-10-28",
    [
      [
        "YES",
        "In support of its goals, the Committee decided to lower the target range for the federal funds rate by 1/4 percentage point to 3-3/4 to 4 percent.",
        "www.federalreserve.gov",
        "Federal Reserve issues FOMC statement",
      ],
      [
        "YES",
        "The Federal Reserve lowered its benchmark interest rate by a quarter of a percentage point on Wednesday, its second cut this year.",
      ],
      ["YES", "The Fed on Wednesday lowered its key overnight borrowing rate by a quarter percentage point."],
      [
        "NO",
        "The Committee decided to maintain the target range for the federal funds rate at 4-1/4 to 4-1/2 percent.",
        "www.federalreserve.gov",
        "Federal Reserve issues FOMC statement",
      ],
      ["NO", "The Federal Reserve held its key interest rate steady on Wednesday for the fifth meeting in a row."],
      ["", "The Fed is expected to cut its key rate by a quarter point on Wednesday."],
      [
        "",
        "Two members of the Committee preferred to lower the target range for the federal funds rate.",
        "www.federalreserve.gov",
        "Federal Reserve issues FOMC statement",
      ],
    ],
  ],
  [
    "Will the ECB cut interest rates in October 2026?",
    "2026-10-29",
    [
      [
        "YES",
        "The Governing Council today decided to lower the three key ECB interest rates by 25 basis points.",
        "www.ecb.europa.eu",
        "Monetary policy decisions",
      ],
      [
        "NO",
        "The Governing Council today decided to keep the three key ECB interest rates unchanged.",
        "www.ecb.europa.eu",
        "Monetary policy decisions",
      ],
      ["NO", "The European Central Bank kept borrowing costs unchanged on Thursday, as expected."],
      ["", "The ECB cut its inflation forecast for 2027 on Thursday."],
    ],
  ],
  [
    "Will the Bank of England cut Bank Rate in November 2026?",
    "2026-11-05",
    [
      [
        "YES",
        "At its meeting ending on 4 November 2026, the Monetary Policy Committee voted by a majority of 5-4 to reduce Bank Rate by 0.25 percentage points, to 3.75%.",
        "www.bankofengland.co.uk",
        "Bank Rate reduced to 3.75%",
      ],
      [
        "NO",
        "At its meeting ending on 4 November 2026, the MPC voted by a majority of 5-4 to maintain Bank Rate at 4%.",
        "www.bankofengland.co.uk",
        "Bank Rate maintained at 4%",
      ],
      ["YES", "The Bank of England cut interest rates to 3.75% on Thursday after a knife-edge vote."],
      [
        "",
        "Four members preferred to reduce Bank Rate by 0.25 percentage points, to 3.75%.",
        "www.bankofengland.co.uk",
        "Bank Rate maintained at 4%",
      ],
    ],
  ],
  [
    "Will US CPI inflation for September 2026 be above 3.0% year-over-year?",
    "2026-10-14",
    [
      [
        "YES",
        "The all items index rose 3.2 percent for the 12 months ending September, after rising 2.9 percent over the 12 months ending August.",
        "www.bls.gov",
        "Consumer Price Index Summary",
      ],
      [
        "NO",
        "The all items index increased 2.8 percent over the last 12 months before seasonal adjustment.",
        "www.bls.gov",
        "Consumer Price Index Summary - September 2026",
      ],
      [
        "YES",
        "US consumer prices rose 3.2 percent in September from a year earlier, the Labor Department said on Wednesday.",
      ],
      ["NO", "U.S. inflation eased to 2.8% in September, according to figures from the Bureau of Labor Statistics."],
      [
        "",
        "The index for all items less food and energy rose 3.2 percent over the last 12 months.",
        "www.bls.gov",
        "Consumer Price Index Summary - September 2026",
      ],
      [
        "",
        "The food index increased 3.2 percent over the last year.",
        "www.bls.gov",
        "Consumer Price Index Summary - September 2026",
      ],
    ],
  ],
  [
    "Will the US unemployment rate for September 2026 be 4.5% or higher?",
    "2026-10-02",
    [
      ["YES", "The unemployment rate rose to 4.6 percent in September.", "www.bls.gov", "Employment Situation Summary"],
      [
        "NO?",
        "Both the unemployment rate, at 4.3 percent, and the number of unemployed people, at 7.4 million, changed little in September.",
        "www.bls.gov",
        "Employment Situation Summary",
      ],
      ["NO", "The US jobless rate held at 4.3% in September, the Labor Department said on Friday."],
      [
        "YES?",
        "The unemployment rate for teenagers rose to 14.2 percent in September.",
        "www.bls.gov",
        "Employment Situation Summary",
      ],
    ],
  ],
  [
    "Will the US economy add more than 100,000 jobs in September 2026?",
    "2026-10-02",
    [
      [
        "YES",
        "Total nonfarm payroll employment rose by 147,000 in September.",
        "www.bls.gov",
        "Employment Situation Summary",
      ],
      [
        "NO",
        "Total nonfarm payroll employment changed little in September (+22,000).",
        "www.bls.gov",
        "Employment Situation Summary",
      ],
      ["YES", "US employers added 147,000 jobs in September, the Labor Department reported on Friday."],
      ["NO", "The U.S. economy added just 22,000 jobs in September, far fewer than expected."],
      ["", "Health care added 131,000 jobs in September.", "www.bls.gov", "Employment Situation Summary"],
    ],
  ],
  [
    "Will US GDP grow by more than 2% in Q2 2026?",
    "2026-07-30",
    [
      [
        "YES",
        "Real gross domestic product (GDP) increased at an annual rate of 3.0 percent in the second quarter of 2026, according to the advance estimate.",
        "www.bea.gov",
        "GDP (Advance Estimate), 2nd Quarter 2026",
      ],
      [
        "NO",
        "Real gross domestic product (GDP) increased at an annual rate of 1.4 percent in the second quarter of 2026, according to the advance estimate.",
        "www.bea.gov",
        "GDP (Advance Estimate), 2nd Quarter 2026",
      ],
      [
        "NO",
        "The US economy grew at an annual rate of 1.4 percent in the second quarter, the Commerce Department said on Thursday.",
      ],
      [
        "",
        "In the first quarter, real GDP increased 3.1 percent.",
        "www.bea.gov",
        "GDP (Advance Estimate), 2nd Quarter 2026",
      ],
    ],
  ],
  [
    "Will euro area annual inflation be 2.0% or lower in September 2026?",
    "2026-10-16",
    [
      [
        "NO",
        "The euro area annual inflation rate was 2.2% in September 2026, up from 2.0% in August.",
        "ec.europa.eu",
        "Annual inflation up to 2.2% in the euro area",
      ],
      [
        "YES",
        "Euro area annual inflation is down to 1.9% in September 2026.",
        "ec.europa.eu",
        "Annual inflation down to 1.9% in the euro area",
      ],
      ["", "The EU annual inflation rate was 1.9% in September 2026.", "ec.europa.eu", "Annual inflation"],
    ],
  ],
  [
    "Will Hurricane Odile make landfall in Marvia by 31 October 2026?",
    "2026-10-20",
    [
      [
        "YES",
        "Odile makes landfall in southwestern Marvia as a category 5 hurricane.",
        "www.nhc.noaa.gov",
        "Hurricane ODILE",
      ],
      ["", "Odile is forecast to make landfall in Marvia tonight.", "www.nhc.noaa.gov", "Hurricane ODILE"],
    ],
  ],
  [
    "Will Hurricane Odile become a Category 5 hurricane by 31 October 2026?",
    "2026-10-20",
    [
      [
        "YES",
        "Odile has strengthened into a category 5 hurricane with maximum sustained winds near 160 mph.",
        "www.nhc.noaa.gov",
        "Hurricane ODILE",
      ],
      [
        "YES",
        "Odile is a category 5 hurricane on the Saffir-Simpson Hurricane Wind Scale.",
        "www.nhc.noaa.gov",
        "Hurricane ODILE",
      ],
      [
        "",
        "Odile is a category 4 hurricane on the Saffir-Simpson Hurricane Wind Scale.",
        "www.nhc.noaa.gov",
        "Hurricane ODILE",
      ],
      ["", "Odile could become a category 5 hurricane tonight.", "www.nhc.noaa.gov", "Hurricane ODILE"],
    ],
  ],
  [
    "Will the FDA approve Zelorvan by October 31, 2026?",
    "2026-10-20",
    [
      [
        "YES",
        "Today, the U.S. Food and Drug Administration approved Zelorvan (tavopeptide) injection for chronic weight management in adults with obesity.",
        "www.fda.gov",
        "FDA Approves New Treatment for Chronic Weight Management",
      ],
      ["YES", "The US Food and Drug Administration on Tuesday approved Brightmoor's weight-loss drug Zelorvan."],
      ["YES?", "Brightmoor Therapeutics announced today that the FDA has approved Zelorvan for adults with obesity."],
      ["NO", "The FDA has rejected Brightmoor's application for Zelorvan."],
      ["", "An FDA advisory panel voted 14-1 in favour of approving Zelorvan."],
      ["", "The European Commission approved Zelorvan on Tuesday; the FDA will decide in December."],
    ],
  ],
  [
    "Will María Duarte win the 2026 Nobel Peace Prize?",
    "2026-10-09",
    [
      [
        "YES?",
        "The Norwegian Nobel Committee has decided to award the Nobel Peace Prize for 2026 to María Duarte for work for free elections.",
        "www.nobelprize.org",
        "Announcement: The Nobel Peace Prize for 2026",
      ],
      [
        "YES",
        "The Nobel Peace Prize 2026 was awarded to María Duarte.",
        "www.nobelprize.org",
        "The Nobel Peace Prize 2026",
      ],
      [
        "NO",
        "The Nobel Peace Prize 2026 was awarded to Lena Okoro.",
        "www.nobelprize.org",
        "The Nobel Peace Prize 2026",
      ],
      ["", "María Duarte is the bookmakers' favourite for the Nobel Peace Prize."],
    ],
  ],
  [
    "Will the Supreme Court rule against the tariffs in Learner v. Marvia by November 2026?",
    "2026-10-20",
    [
      ["YES", "The Supreme Court on Tuesday struck down the tariffs in Learner v. Marvia by 6-3."],
      ["YES?", "The Supreme Court ruled against the tariffs on Tuesday, holding that the statute gives no such power."],
      ["", "The Supreme Court heard arguments on the tariffs on Tuesday."],
    ],
  ],
  [
    "Will SpaceX launch Starship Flight 14 by October 31, 2026?",
    "2026-10-20",
    [
      ["YES", "SpaceX launched Starship Flight 14 on Monday evening from Starbase, Texas."],
      ["NO", "SpaceX has pushed Starship Flight 14 to November after an engine problem."],
      ["", "SpaceX is targeting as soon as October 24 for the launch of Starship Flight 14."],
    ],
  ],
  [
    "Will OpenModel release Cygnus 5 by September 30, 2026?",
    "2026-09-23",
    [
      [
        "YES",
        "Today we're releasing Cygnus 5, our most capable model yet.",
        "openmodel.example",
        "Introducing Cygnus 5",
      ],
      [
        "YES?",
        "Cygnus 5 is available today in the app and through the API.",
        "openmodel.example",
        "Introducing Cygnus 5",
      ],
      ["YES", "We are introducing Cygnus 5, available now to all users.", "openmodel.example", "Introducing Cygnus 5"],
      ["YES", "Cygnus 5 is rolling out to all users starting today.", "openmodel.example", "Introducing Cygnus 5"],
      ["YES", "OpenModel on Tuesday released its new artificial intelligence model, Cygnus 5."],
      ["", "We plan to release Cygnus 5 later this year.", "openmodel.example", "Roadmap"],
      [
        "",
        "Today we are sharing an early preview of Cygnus 5 with a small group of testers.",
        "openmodel.example",
        "A first look at Cygnus 5",
      ],
      ["", "We will release Cygnus 5 next year.", "openmodel.example", "Roadmap"],
      ["", "Today we are releasing a preview of Cygnus 5.", "openmodel.example", "Cygnus 5 preview"],
      ["", "Cygnus 5 is available today to testers in a private beta.", "openmodel.example", "Cygnus 5 preview"],
      ["", "Cygnus 5 is now available for pre-order.", "openmodel.example", "Cygnus 5"],
      ["", "Today we are introducing Cygnus 4.5.", "openmodel.example", "Cygnus 4.5"],
      ["", "We are excited to release Cygnus 5 soon.", "openmodel.example", "Cygnus 5"],
      ["", "Today we are releasing our roadmap for Cygnus 5.", "openmodel.example", "Cygnus 5"],
      ["", "Rival Sorano says that Cygnus 5 is available today.", "sorano.example", "Cygnus 5"],
      ["", "We released Cygnus 4 in March.", "openmodel.example", "Cygnus 5"],
      ["", "Today we are not releasing Cygnus 5.", "openmodel.example", "Cygnus 5"],
      ["YES", "From today Cygnus 5 is available to everyone.", "openmodel.example", "Meet Cygnus 5"],
      ["YES", "We have released Cygnus 5.", "openmodel.example", "Cygnus 5"],
      ["YES?", "We've released Cygnus 5 to all users.", "openmodel.example", "Cygnus 5"],
      ["YES", "Today, OpenModel is launching Cygnus 5."],
    ],
  ],
  [
    "Will Bitcoin reach $150,000 by October 31, 2026?",
    "2026-10-20",
    [
      ["YES", "Bitcoin surged past $150,000 for the first time on Monday."],
      ["YES", "Bitcoin hit a record high of $151,200 on Monday."],
      ["YES", "The price of bitcoin climbed above $150,000 on Monday."],
      ["", "Bitcoin will reach $150,000 this year, analysts at Caravan Capital said."],
      ["", "Bitcoin fell 3 percent to $128,000 on Monday."],
      ["", "Bitcoin fell from its record high of $151,200, set in 2025."],
      ["", "Bitcoin is still below its record high of $151,200."],
      ["NO?", "Bitcoin peaked at $141,200 in October, never reaching $150,000."],
      ["YES", "Bitcoin touched an all-time high of $150,400 on Monday."],
    ],
  ],
]);
