import type { Agreement, Novelty, PostAge, Reach, Source, ThirdVote, VoteType } from './vocabulary.js'

declare const brand: unique symbol

/** Full path of a page of the web app, with its query. Only `paths` creates one. */
export type AppPath = string & { readonly [brand]: true }

/** Days of a zone, default UTC; both are included. */
interface Days {
  from?: string | undefined
  to?: string | undefined
  zone?: string | undefined
}

/** Filters of My data, by their names in the URL. */
interface RecordFilters extends Days {
  source?: Source | undefined
  q?: string | undefined
  account?: string | undefined
  hashtag?: string | undefined
  domain?: string | undefined
  language?: string | undefined
  /** 0: Monday. */
  weekday?: number | undefined
  hour?: number | undefined
  age?: PostAge | undefined
  platform?: string | undefined
  reach?: Reach | undefined
  novelty?: Novelty | undefined
}

/** Filters of the list of IODs, by their names in the URL. */
interface IodFilters extends Days {
  q?: string | undefined
  category?: readonly string[] | undefined
  source_type?: readonly string[] | undefined
  source?: string | undefined
  created_by?: readonly string[] | undefined
  campaign?: readonly string[] | undefined
  domain?: string | undefined
  hashtag?: string | undefined
  account?: string | undefined
  agreement?: Agreement | undefined
  third_vote?: ThirdVote | undefined
}

const page = (segments: readonly string[], query: object = {}): AppPath => {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat())
      if (value !== undefined && value !== '') search.append(name, String(value))
  const path = ['/dashboard', ...segments.map(encodeURIComponent)].join('/')
  return (search.size > 0 ? `${path}?${search}` : path) as AppPath
}

/** Pages of the web app behind the sign-in. Every link to one is created here; an end-to-end journey opens each. */
export const paths = {
  overview: () => page(['overview']),
  data: (query?: RecordFilters) => page(['data'], query),
  importData: () => page(['data', 'import']),
  iods: (query?: IodFilters) => page(['iods'], query),
  /**
   * The side panel of an IOD; `add` opens the dialog that adds it to a campaign, `comment` shows a comment, `votes` only
   * the votes of a type.
   */
  iod: (id: string, query?: { add?: 'campaign'; comment?: string; votes?: VoteType }) =>
    page(['iods', id], query),
  /** Looks up a list of values. */
  checkList: () => page(['iods', 'check']),
  narratives: () => page(['narratives']),
  /** `start` and `end` mark a part of its text. */
  narrative: (id: string, place?: { start: number; end: number }) =>
    page(['narratives', id], place && { start: place.start, end: place.end }),
  /** `user_id`: of another member, whose profile is public. */
  canonicalNarratives: (query?: { user_id?: string | undefined }) => page(['narratives', 'canonical'], query),
  canonicalNarrative: (id: string, query?: { user_id?: string | undefined } & Days) =>
    page(['narratives', 'canonical', id], query),
  canonicalHistory: () => page(['narratives', 'canonical', 'history']),
  campaigns: (query?: { search?: string; technique?: string; mine?: true } & Days) =>
    page(['campaigns'], query),
  /** `comment`: the id of a comment to show. */
  campaign: (id: string, query?: { comment?: string }) => page(['campaigns', id], query),
  /** Reports in review that quote the user. */
  quotedReports: () => page(['campaigns', 'reports']),
  /** A report of a campaign: its draft, review and versions. */
  report: (id: string) => page(['campaigns', 'reports', id]),
  /** DISARM's matrix of all campaigns, of one, or of two that are compared. */
  matrix: (query?: { campaign?: string; with?: string }) => page(['campaigns', 'matrix'], query),
  /** `node`: the id of the selected node. */
  graph: (query?: { node?: string; canonical?: true }) => page(['graph'], query),
  /** Accounts that share the same content; the query names the topic, `about` as free text. */
  coShares: (query?: { iod: string } | { record: string } | { campaign: string } | { about: string }) =>
    page(['graph'], { tab: 'co-shares', ...query }),
  analytics: (query?: { tab?: 'collection' | 'campaigns' | 'narratives' }) => page(['analytics'], query),
  community: (query?: { search?: string }) => page(['community'], query),
  /** The public profile of a user. */
  person: (id: string) => page(['community', 'profile', id]),
  /** First appearances of an IOD's value, a record's text, or a text, URL or hash. */
  origins: (query?: { iod: string } | { record: string } | { value: string; scope?: 'shared' }) =>
    page(['origins'], query),
  /** `tab`: an open tab other than the first. */
  profile: (query?: { tab?: 'security' | 'notifications' | 'access' | 'data' }) => page(['profile'], query),
  admin: (query?: { tab?: 'reports' }) => page(['admin'], query),
  /** The first page of a section that a deployment adds. */
  section: (id: string) => page([id]),
} as const
