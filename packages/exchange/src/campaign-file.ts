import { type CampaignDetail, type Category, type Consensus, countVotes, type Iod } from '@iodine/contracts'
import { type EvidenceById, toFileEvidence } from './evidence.js'

/** A downloadable export of a campaign. */
export interface ExportFile {
  name: string
  mediaType: string
  text: string
}

/** What is known of the worth of IODs' votes, by the IOD's id. */
export type ConsensusById = ReadonlyMap<string, Consensus>

/** Time and user of an export. */
export interface ExportContext {
  now: Date
  /** Id of the exporting user; 'unknown' if absent. */
  userId?: string | undefined
  /** The IODs' evidence; absent: the file has none. */
  evidence?: EvidenceById | undefined
  /** For the confidence of STIX; absent or without an IOD: not specified. */
  consensus?: ConsensusById | undefined
}

/** Contents of the JSON file. */
export type CampaignFile = ReturnType<typeof toCampaignFile>

export const day = (now: Date): string => now.toISOString().slice(0, 10)

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

/** Columns with an IOD's vote counts. */
export const voteColumns = (iod: Pick<Iod, 'votes'>) => {
  const { positive, negative } = countVotes(iod)
  return { positive_votes: positive, negative_votes: negative }
}

const withVoteCounts = (iod: Iod) => ({ ...iod, ...voteColumns(iod) })

/** A campaign in Iodine's own JSON format: docs/campaigns.md. */
export function toCampaignFile(detail: CampaignDetail, { now, userId, evidence }: ExportContext) {
  const { id, name, description, created_by_id, created_at, iods } = detail
  const distribution: Partial<Record<Category, number>> = {}
  for (const { category } of iods) distribution[category] = (distribution[category] ?? 0) + 1
  const source_types = [...new Set(iods.map(iod => iod.source_type))]
  const categories = [...new Set(iods.map(iod => iod.category))]
  return {
    campaign: {
      id,
      name,
      description,
      created_by_id,
      created_at,
      total_iods: iods.length,
      categories,
      source_types,
    },
    iods: iods.map(iod => ({
      ...withVoteCounts(iod),
      ...(evidence && { evidence: (evidence.get(iod.id) ?? []).map(toFileEvidence) }),
    })),
    statistics: {
      total_iods: iods.length,
      unique_categories: categories.length,
      unique_sources: source_types.length,
      total_votes: sum(iods.map(({ votes }) => votes.length)),
      total_comments: sum(iods.map(({ comments }) => comments.length)),
      category_distribution: distribution,
    },
    exported_at: now.toISOString(),
    exported_by: userId || 'unknown',
  }
}

/** IODs of no campaign in Iodine's own JSON format: the parts of a campaign's file that are about IODs. */
export const toIodsFile = (iods: readonly Iod[], { now, userId }: ExportContext) => ({
  iods: iods.map(withVoteCounts),
  exported_at: now.toISOString(),
  exported_by: userId || 'unknown',
})

/** Maximum characters of the name in a file name: file systems allow 255 bytes. */
const NAME_MAX = 200

/**
 * campaign_{name, every character but a–z and 0–9 replaced by an underscore}_{YYYY-MM-DD, UTC} and the
 * extension.
 */
export function exportFileName(name: string, now: Date, extension: string): string {
  const safe = name
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, '_')
    .slice(0, NAME_MAX)
  return `campaign_${safe}_${day(now)}.${extension}`
}
