import { type CampaignDetail, type Category, countVotes, type Iod } from '@iodine/contracts'

/** A file made of a campaign, as it is downloaded. */
export interface ExportFile {
  name: string
  mediaType: string
  text: string
}

/** When and for whom a campaign is exported. */
export interface ExportContext {
  now: Date
  /** Id of who exports; 'unknown' where nobody is known. */
  userId?: string | undefined
}

/** What the JSON file holds. */
export type CampaignFile = ReturnType<typeof toCampaignFile>

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

/** The columns that hold an IOD's votes. */
export const voteColumns = (iod: Pick<Iod, 'votes'>) => {
  const { positive, negative } = countVotes(iod)
  return { positive_votes: positive, negative_votes: negative }
}

/** A campaign as Iodine's own JSON file has it: docs/campaigns.md. */
export function toCampaignFile(detail: CampaignDetail, { now, userId }: ExportContext) {
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
    iods: iods.map(iod => ({ ...iod, ...voteColumns(iod) })),
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

/** Characters of a name that a file name takes: file systems stop at 255 bytes. */
const NAME_MAX = 200

/** campaign_{name, each character but a–z and 0–9 an underscore}_{YYYY-MM-DD, UTC} and the extension. */
export function exportFileName(name: string, now: Date, extension: string): string {
  const safe = name
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, '_')
    .slice(0, NAME_MAX)
  return `campaign_${safe}_${now.toISOString().slice(0, 10)}.${extension}`
}
