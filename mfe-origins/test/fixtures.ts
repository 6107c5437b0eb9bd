import type { Sighting, SightingResults } from '@iodine/contracts'

export const idOf = (n: number): string => n.toString(16).padStart(24, '0')

/** Creates the n-th occurrence, one hour after the previous one, by a separate account. */
export const sighting = (n: number, given: Partial<Sighting> = {}): Sighting => {
  const at = new Date(Date.UTC(2026, 2, 1, 10 + n)).toISOString()
  return {
    id: idOf(n),
    own: true,
    source: 'telegram',
    account: `account_${n}`,
    url: `https://t.me/account_${n}/1`,
    matches: ['exact'],
    likeness: 1,
    at,
    posted_claimed: true,
    posted_at: at,
    fetched_at: new Date(Date.UTC(2026, 2, 9)).toISOString(),
    edited: false,
    forwarded_from: null,
    excerpt: `The lake is a mirror, says number ${n}`,
    shared: null,
    shared_by: null,
    ...given,
  }
}

/** Creates a response with these occurrences, in order of time. */
export const results = (items: Sighting[], given: Partial<SightingResults> = {}): SightingResults => ({
  items,
  first: items[0] ?? null,
  first_seen: items[0] ?? null,
  firsts: items.map(({ source, account, id, at, posted_claimed, imported }) => ({
    source,
    account,
    id,
    at,
    posted_claimed,
    ...(imported && { imported }),
    count: 1,
  })),
  edges: [],
  counts: {
    items: items.length,
    accounts: items.length,
    without_time: items.filter(({ posted_at }) => posted_at === null).length,
    may_be_earlier: items.slice(1).filter(({ posted_claimed }) => !posted_claimed).length,
    by_match: {
      exact: items.length,
      quoted: 0,
      part: 0,
      near: 0,
      reworded: 0,
      link: 0,
      media: 0,
      post: 0,
      forward: 0,
    },
    truncated: false,
  },
  next: null,
  ...given,
})
