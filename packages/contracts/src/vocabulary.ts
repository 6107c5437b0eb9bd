// Constants and rules that screens need at run time. Must not import zod: a bundle includes all of zod with
// any value from a module that imports it. The web apps' build fails if it is bundled.

import { isFilled } from './fold.js'

export const CATEGORIES = [
  'USERNAME',
  'TITLE',
  'URL',
  'DOMAIN',
  'HASH',
  'HASHTAGS',
  'KEYWORDS',
  'FULL_NAME',
  'COMPANY',
  'IP_ADDRESS',
  'SENTENCE',
  'NARRATIVE_TRIPLET',
] as const
export type Category = (typeof CATEGORIES)[number]

export const SOURCE_TYPES = ['MANUAL', 'TIKTOK', 'TELEGRAM', 'BLOG', 'POST', 'NARRATIVES'] as const
export type SourceType = (typeof SOURCE_TYPES)[number]

/** Sources of the records that the browser extension collects. */
export const COLLECTED_SOURCES = ['tiktok', 'telegram', 'blog'] as const
export type CollectedSource = (typeof COLLECTED_SOURCES)[number]
/** Sources of records. `post`: any other platform, such as X, Instagram, Facebook, YouTube and Bluesky. */
export const SOURCES = [...COLLECTED_SOURCES, 'post'] as const
export type Source = (typeof SOURCES)[number]

/** Source types of the IODs that are created from a record, by its source. */
export const SOURCE_TYPE_OF = {
  tiktok: 'TIKTOK',
  telegram: 'TELEGRAM',
  blog: 'BLOG',
  post: 'POST',
} as const satisfies Record<Source, SourceType>

export const POST_TYPES = ['post', 'comment', 'repost', 'video'] as const
export type PostType = (typeof POST_TYPES)[number]
/** What a post stands in. */
export const POST_PLACES = ['group', 'page', 'board', 'community', 'profile', 'video', 'post'] as const
export type PostPlace = (typeof POST_PLACES)[number]
export const POST_MEDIA = ['image', 'video', 'audio', 'gif', 'document'] as const
export type PostMedia = (typeof POST_MEDIA)[number]

/** Ids of the API: opaque, 24 hex characters. */
export const ID_PATTERN = /^[0-9a-f]{24}$/i
export const isId = (text: string): boolean => ID_PATTERN.test(text)

export const CONTRIBUTION_TYPES = ['IOD', 'NARRATIVE'] as const
export type ContributionType = (typeof CONTRIBUTION_TYPES)[number]

export const VOTE_TYPES = ['POSITIVE', 'NEGATIVE'] as const
export type VoteType = (typeof VOTE_TYPES)[number]

/** Orders of the list of IODs: newest, most votes, most votes on the side that has fewer. */
export const IOD_SORTS = ['created', 'votes', 'disputed'] as const
export type IodSort = (typeof IOD_SORTS)[number]

/** Counts an IOD's votes by type. */
export const countVotes = ({ votes }: { votes: readonly { vote_type: VoteType }[] }) => {
  const positive = votes.filter(({ vote_type }) => vote_type === 'POSITIVE').length
  return { positive, negative: votes.length - positive }
}

/** Causes of a failed backup, with their texts for administrators. */
export const BACKUP_FAULTS = {
  'folder-in-use': 'the folder was not empty',
  'folder-within-data': 'the folder is within DATA_DIR',
  'folder-not-writable': 'the folder is not writable',
  'no-room': 'the disk was full',
  'data-elsewhere': 'other servers store the data',
  'keys-exchanged': 'keys were rotated during the backup',
  other: 'the output of the command shows the cause',
} as const
export type BackupFault = keyof typeof BACKUP_FAULTS
export const BACKUP_FAULT_NAMES = Object.keys(BACKUP_FAULTS) as [BackupFault, ...BackupFault[]]

/** Parts of a capture. `text` is the projection of `dom`; `record` is canonical JSON. */
export const BLOB_ROLES = ['dom', 'text', 'record', 'screenshot', 'media'] as const
export type BlobRole = (typeof BLOB_ROLES)[number]

/** A capture is open until all its blobs have arrived, then sealed permanently, or erased. */
export const CAPTURE_STATES = ['open', 'sealed', 'erased'] as const
export type CaptureState = (typeof CAPTURE_STATES)[number]

/** Trigger of a capture: Collect, or the creation of an IOD from a selection. */
export const CAPTURE_TRIGGERS = ['collect', 'iod'] as const
export type CaptureTrigger = (typeof CAPTURE_TRIGGERS)[number]

/** Kinds of quoted sources. `imported`: from another system, not verified. */
export const EVIDENCE_KINDS = ['capture', 'record', 'narrative', 'imported'] as const
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number]

/** Relation of the quoted words to the IOD's value: equal, equal when folded, or one contains the other. */
export const QUOTE_RELATIONS = ['same', 'folded', 'part'] as const
export type QuoteRelation = (typeof QUOTE_RELATIONS)[number]

/**
 * The levels of the Traffic Light Protocol, each stricter than the previous one. 1.0 has `white` in place of `clear`
 * and no `amber+strict`. Source: FIRST, Traffic Light Protocol 2.0.
 */
export const TLP_LEVELS = ['clear', 'green', 'amber', 'amber+strict', 'red'] as const
export type Tlp = (typeof TLP_LEVELS)[number]
/** How far recipients may pass content of each level on. Source: FIRST, Traffic Light Protocol 2.0. */
export const TLP_MEANINGS: Record<Tlp, string> = {
  clear: 'May be passed on to anyone.',
  green: 'May be passed on within the community, not in public.',
  amber: 'May be passed on within the recipient’s organization and to its clients, where they need to know.',
  'amber+strict': 'May be passed on within the recipient’s organization only, where people need to know.',
  red: 'For the named recipients only.',
}

/**
 * Scopes of an API token. `read`: data that its user sees; `collect`: actions of the browser extension; `contribute`:
 * additions and changes of its user. No scope includes another.
 */
export const API_SCOPES = ['read', 'collect', 'contribute'] as const
export type ApiScope = (typeof API_SCOPES)[number]

/** Levels that may be published: red is only for its recipients. */
export const FEED_TLP_LEVELS = ['clear', 'green', 'amber', 'amber+strict'] as const satisfies Tlp[]
export type FeedTlp = (typeof FEED_TLP_LEVELS)[number]

/** Default level of unmarked content: for the community of the members, not for the public. */
export const DEFAULT_TLP: Tlp = 'green'

/** Returns the position of a level in `TLP_LEVELS`, by which levels are compared and stored. */
export const rankOfTlp = (level: Tlp): number => TLP_LEVELS.indexOf(level)

/** Returns the level at a position; null for none. */
export const tlpOfRank = (rank: number | null | undefined): Tlp | null => TLP_LEVELS[rank ?? -1] ?? null

/** Returns the strictest of the levels; null if there is none. */
export const highestTlp = (levels: Iterable<Tlp | null | undefined>): Tlp | null => {
  let highest = -1
  for (const level of levels) if (level) highest = Math.max(highest, rankOfTlp(level))
  return tlpOfRank(highest)
}

/** Kinds of labels that are clustered separately: subjects and objects, and verbs. */
export const CANON_KINDS = ['entity', 'verb'] as const
export type CanonKind = (typeof CANON_KINDS)[number]

export const CANON_PARTS = ['subject', 'verb', 'object'] as const
export type CanonPart = (typeof CANON_PARTS)[number]

/** Where a merge applies: to all narratives with the merged labels, or to the two merged narratives only. */
export const MERGE_SCOPES = ['all', 'narrative'] as const
export type MergeScope = (typeof MERGE_SCOPES)[number]

/** A user's rule for two labels: one cluster, or two. */
export const CANON_RELATIONS = ['must', 'cannot'] as const
export type CanonRelation = (typeof CANON_RELATIONS)[number]

/** Reasons why a label is in its cluster. The other labels are compared with the leader. */
export const CANON_REASONS = ['leader', 'words', 'acronym', 'spelling', 'lemma', 'meaning', 'rule'] as const
export type CanonReason = (typeof CANON_REASONS)[number]

/** Methods of comparing labels: by their words, or also by embeddings of an AI provider. */
export const CANON_METHODS = ['offline', 'embeddings'] as const
export type CanonMethod = (typeof CANON_METHODS)[number]

/** Formats of imported files, which are preserved unchanged. */
export const IMPORT_FORMATS = ['stix', 'misp', 'json', 'csv'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/**
 * An import is planned, which changes nothing, then applied. A failed one continues where it stopped when it is applied
 * again.
 */
export const IMPORT_STATES = ['planning', 'planned', 'applying', 'done', 'failed'] as const
export type ImportState = (typeof IMPORT_STATES)[number]

/** Feeds of other tools that are pulled into campaigns. */
export const FEED_KINDS = ['taxii', 'misp'] as const
export type FeedKind = (typeof FEED_KINDS)[number]

/** A subscription waits, fetches, imports the fetched objects, or has stopped importing for a reason. */
export const PULL_STATES = ['waiting', 'fetching', 'importing', 'stopped'] as const
export type PullState = (typeof PULL_STATES)[number]

/** Returns true for the URL of a feed: https, without user, password and fragment. */
export const isFeedUrl = (value: string): boolean => {
  if (!/^https:\/\//i.test(value)) return false
  try {
    const { username, password, hash, hostname } = new URL(value)
    return username === '' && password === '' && hash === '' && hostname !== ''
  } catch {
    return false
  }
}

/** States of a campaign's feed. */
export const FEED_STATES = ['due', 'published', 'withdrawn'] as const
export type FeedState = (typeof FEED_STATES)[number]

/**
 * Profiles of STIX exports: `lossless` contains all imported objects, `opencti` those that OpenCTI's client accepts.
 */
export const EXPORT_PROFILES = ['lossless', 'opencti'] as const
export type ExportProfile = (typeof EXPORT_PROFILES)[number]
/** Kinds of shared content: a link, the same text, nearly the same text, a picture or video, a hashtag. */
export const SHARE_KINDS = ['link', 'text', 'near', 'media', 'hashtag'] as const
export type ShareKind = (typeof SHARE_KINDS)[number]

/** States of a coordination run. */
export const RUN_STATES = ['queued', 'running', 'done', 'failed'] as const
export type RunState = (typeof RUN_STATES)[number]

/** Reasons why an extraction ended without a result. */
export const EXTRACTION_FAILURES = [
  'missing_key',
  'rejected_key',
  'rate_limited',
  'no_credit',
  'refused',
  'provider_failed',
] as const
export type ExtractionFailure = (typeof EXTRACTION_FAILURES)[number]

/** Sources of the quotes of techniques. */
export const QUOTE_SOURCES = ['narrative', 'evidence', 'text'] as const
export type QuoteSource = (typeof QUOTE_SOURCES)[number]

/** `offline`: by rules; `ai`: by the user's AI provider. */
export const PROPOSAL_MODES = ['offline', 'ai'] as const
export type ProposalMode = (typeof PROPOSAL_MODES)[number]
export const PROPOSAL_STATES = ['waiting', 'done', 'failed'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/**
 * Why a technique succeeds another: DISARM's description states it, DISARM gave it to the same passage in a later
 * release, or Iodine chose it by name.
 */
export const SUCCESSION_BASES = ['stated', 'retagged', 'ours'] as const
export type SuccessionBasis = (typeof SUCCESSION_BASES)[number]

export const EXPORT_FORMATS = ['json', 'stix', 'misp', 'csv', 'navigator'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** http(s) URLs whose host has letters, digits and hyphens of ASCII only: the parser accepts them, whatever follows. */
const PLAIN_URL = /^https?:\/\/(?:(?!xn--)[a-z\d-]+\.)*(?!xn--)[a-z][a-z\d-]*(?::\d{1,4})?(?:[/?#]|$)/i

/** Returns true for an absolute http(s) URL: the only kind that is opened or stored as a link. */
export const isHttpUrl = (value: string): boolean => {
  // The parser takes several times as long, and a record has many URLs.
  if (PLAIN_URL.test(value)) return true
  if (!/^https?:\/\//i.test(value)) return false
  try {
    const { protocol, hostname } = new URL(value)
    return (protocol === 'http:' || protocol === 'https:') && hostname !== ''
  } catch {
    return false
  }
}

// Any scheme, also after white space and control characters that browsers skip.
const SCHEME = /^[\s\p{C}]*[a-z][a-z0-9+.\-\s\p{C}]*:/iu
/** Returns true for an http(s) URL or a plain path: the valid sources of an IOD. */
export const isSourceReference = (value: string): boolean =>
  isHttpUrl(value) || (isFilled(value) && !SCHEME.test(value) && !value.startsWith('//'))

/** Returns the fault of a text that may not be stored as it is; undefined if it may. */
export const textFault = (value: string): string | undefined => {
  if (value.includes('\0')) return 'must not contain NUL'
  return value.isWellFormed() ? undefined : 'must be well-formed Unicode'
}

/** How a record is shared. */
export const SHARED_AS = ['username', 'anonymous'] as const
export type SharedAs = (typeof SHARED_AS)[number]

/** Settings with several keys, of which the first signs or encrypts. */
export const KEY_SETTINGS = ['JWT_PRIVATE_KEY', 'SECRETS_KEY'] as const
export type KeySetting = (typeof KEY_SETTINGS)[number]

/** Subjects that a watch names by id. */
export const WATCHED_SUBJECTS = ['iod', 'campaign', 'person'] as const
/** Watched in own and shared records: a term as words, a URL, a text also in other words. */
export const WATCHED_TEXTS = ['term', 'url', 'text'] as const
export const WATCH_KINDS = [...WATCHED_SUBJECTS, 'search', ...WATCHED_TEXTS] as const
export type WatchKind = (typeof WATCH_KINDS)[number]

/** Channels of notifications in addition to the bell. */
export const WATCH_CHANNELS = ['mail', 'webhook', 'feed'] as const
export type WatchChannel = (typeof WATCH_CHANNELS)[number]

/** Events that notify. `webhook_off`: the webhook failed too often. */
export const NOTIFICATION_KINDS = [
  'iod',
  'votes',
  'comment',
  'campaign',
  'records',
  'reply',
  'mention',
  'quoted',
  'webhook_off',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]
export const NOTIFICATION_SUBJECTS = [...WATCHED_SUBJECTS, 'search', 'records', 'report', 'webhook'] as const
export type NotificationSubject = (typeof NOTIFICATION_SUBJECTS)[number]

/** When notifications are mailed. Digests are sent at 07:00, weekly ones on Mondays. */
export const MAIL_MODES = ['off', 'at_once', 'daily', 'weekly'] as const
export type MailMode = (typeof MAIL_MODES)[number]

/** Feeds that a feed key reads: published campaigns, or the notifications of its owner. */
export const FEED_KEY_READS = ['campaigns', 'notifications'] as const
export type FeedKeyReads = (typeof FEED_KEY_READS)[number]

/** Kinds of values of IODs that are counted. */
export const VALUE_KINDS = ['domain', 'hashtag', 'account'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

/**
 * Agreement of an IOD's votes. `none` and `few`: no vote, and less than three. Then by the share of the majority:
 * `agreed` from 80 %, `mixed` from 60 %, `disputed` below.
 */
export const AGREEMENTS = ['none', 'few', 'agreed', 'mixed', 'disputed'] as const
export type Agreement = (typeof AGREEMENTS)[number]

/** Time from the creation of an IOD to its third vote; `later`: more than 30 days, `never`: less than three votes. */
export const THIRD_VOTES = ['hour', 'day', 'week', 'month', 'later', 'never'] as const
export type ThirdVote = (typeof THIRD_VOTES)[number]

/** Age of a post when it was collected; `older`: more than 365 days, `unknown`: without a time of posting. */
export const POST_AGES = ['hour', 'day', 'week', 'month', 'year', 'older', 'unknown'] as const
export type PostAge = (typeof POST_AGES)[number]

/** Classes of plays or views: the number of digits, so `3` is 100 to 999, and `0` is none. */
export const REACHES = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10'] as const
export type Reach = (typeof REACHES)[number]

/** Whether a record contained the value of an IOD when it was first stored; `pending`: not compared yet. */
export const NOVELTIES = ['known', 'new', 'pending'] as const
export type Novelty = (typeof NOVELTIES)[number]
