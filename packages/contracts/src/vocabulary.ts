// Words and rules that screens need at run time. Free of zod, which a bundle would take in whole with any value that stands
// beside a schema: the build of the web apps fails where it does.

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

export const SOURCE_TYPES = ['MANUAL', 'TIKTOK', 'TELEGRAM', 'BLOG', 'NARRATIVES'] as const
export type SourceType = (typeof SOURCE_TYPES)[number]

/** Where records are collected. */
export const SOURCES = ['tiktok', 'telegram', 'blog'] as const
export type Source = (typeof SOURCES)[number]

export const CONTRIBUTION_TYPES = ['IOD', 'NARRATIVE'] as const
export type ContributionType = (typeof CONTRIBUTION_TYPES)[number]

export const VOTE_TYPES = ['POSITIVE', 'NEGATIVE'] as const
export type VoteType = (typeof VOTE_TYPES)[number]

/** How many of an IOD's votes are of each kind. */
export const countVotes = ({ votes }: { votes: readonly { vote_type: VoteType }[] }) => {
  const positive = votes.filter(({ vote_type }) => vote_type === 'POSITIVE').length
  return { positive, negative: votes.length - positive }
}

export const EXPORT_FORMATS = ['json', 'stix', 'misp', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The form under which texts are the same in searches: Unicode form and case don't count, white space and accents do. */
export const foldText = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC')

/** The form under which two IOD values are the same: folded and trimmed. */
export const foldValue = (value: string): string => foldText(value.trim())

/**
 * Part of a label as ids have it: white space and case folded. Not `foldText`: ids are stored, and the two differ for the few
 * capitals whose small letter alone is one character (J and caron).
 */
export const foldWords = (part: string): string => part.replace(/\s+/g, ' ').normalize('NFC').toLowerCase()

/** The part of a graph node's id after its type: the label folded and trimmed. */
export const foldLabel = (label: string): string => foldWords(label.trim())

/** True for an absolute http(s) address: the only kind that is ever opened or stored as a link. */
export const isHttpUrl = (value: string): boolean => {
  if (!/^https?:\/\//i.test(value)) return false
  try {
    const { protocol, hostname } = new URL(value)
    return (protocol === 'http:' || protocol === 'https:') && hostname !== ''
  } catch {
    return false
  }
}

// Any scheme, also behind white space and control characters that browsers skip.
const SCHEME = /^[\s\p{C}]*[a-z][a-z0-9+.\-\s\p{C}]*:/iu
/** True for an http(s) address or a plain path: what an IOD's source may be. */
export const isSourceReference = (value: string): boolean =>
  isHttpUrl(value) || (isFilled(value) && !SCHEME.test(value) && !value.startsWith('//'))

/** Has something besides white space. */
export const isFilled = (value: string): boolean => value.trim() !== ''

/** Why no text may be stored as it is; undefined where it may. */
export const textFault = (value: string): string | undefined => {
  if (value.includes('\0')) return 'must not contain NUL'
  return value.isWellFormed() ? undefined : 'must be well-formed Unicode'
}
