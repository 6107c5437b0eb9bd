import type {
  CampaignAnalysis,
  IodAnalysis,
  NarrativeAnalysis,
  RecordAnalysis,
  ValueAnalysis,
  VoteAnalysis,
} from '@iodine/contracts'

export const idOf = (n: number): string => n.toString(16).padStart(24, '0')

export const IODS: IodAnalysis = {
  total: 9,
  previous: 4,
  days: [
    { day: '2026-11-01', total: 3, categories: { URL: 2, HASH: 1 }, sources: { BLOG: 3 } },
    { day: '2026-11-02', total: 0, categories: {}, sources: {} },
    { day: '2026-11-03', total: 6, categories: { URL: 6 }, sources: { BLOG: 1, TIKTOK: 5 } },
  ],
  days_before: [1, 3, 0],
}

export const VALUES: ValueAnalysis = [
  { kind: 'domain', distinct: 2, values: [{ value: 'example.org', n: 5, previous: 2 }] },
  { kind: 'hashtag', distinct: 0, values: [] },
  { kind: 'account', distinct: 1, values: [{ value: '=cmd|<b>', n: 1, previous: null }] },
]

export const VOTES: VoteAnalysis = {
  total: 9,
  previous: null,
  agreements: [
    { agreement: 'none', n: 6, previous: null },
    { agreement: 'disputed', n: 3, previous: null },
  ],
  third_votes: [{ third_vote: 'never', n: 9, previous: null }],
  majority: 0.55,
  majority_before: null,
  disputed: [
    {
      id: idOf(7),
      value: 'https://example.org/a',
      category: 'URL',
      positive: 3,
      negative: 2,
      independent: null,
    },
  ],
}

export const RECORDS: RecordAnalysis = {
  total: 5,
  previous: null,
  days: [{ day: '2026-11-01', total: 5, sources: { tiktok: 2, telegram: 3 } }],
  days_before: null,
  hours: [{ weekday: 6, hour: 9, n: 5, sources: { tiktok: 2, telegram: 3 } }],
  accounts: [{ value: 'ada', n: 3, sources: { telegram: 3 }, previous: null }],
  hashtags: [],
  domains: [],
  languages: [],
  ages: [{ age: 'day', n: 5, sources: { tiktok: 2, telegram: 3 } }],
  novelties: [
    { novelty: 'known', n: 1, sources: { telegram: 1 } },
    { novelty: 'new', n: 4, sources: { tiktok: 2, telegram: 2 } },
    { novelty: 'pending', n: 0, sources: {} },
  ],
  reach: [{ platform: 'TikTok', source: 'tiktok', classes: [{ reach: '3', n: 2 }] }],
}

export const CAMPAIGNS: CampaignAnalysis = {
  total: 2,
  campaigns: [
    {
      id: idOf(1),
      name: 'Lake',
      iods: 4,
      first: '2026-11-02T10:00:00.000Z',
      last: '2026-11-03T10:00:00.000Z',
    },
    {
      id: idOf(2),
      name: 'Lake',
      iods: 2,
      first: '2026-11-01T10:00:00.000Z',
      last: '2026-11-01T10:00:00.000Z',
    },
  ],
  overlaps: [{ campaigns: [idOf(1), idOf(2)], iods: 2, accounts: 1, domains: 1 }],
  techniques: [{ technique: 'T0043', campaigns: 2, previous: null }],
}

export const NARRATIVES: NarrativeAnalysis = {
  total: 1,
  weeks: ['2026-11-01', '2026-11-02'],
  narratives: [
    {
      id: idOf(9),
      subject: 'mirrors',
      verb: 'heat',
      object: 'lakes',
      sentences: 12,
      before: 2,
      by_week: [3, 9],
      change: { ratio: 5, low: 1.4, high: 18 },
    },
  ],
}
