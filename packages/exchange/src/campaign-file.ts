import {
  type CampaignDetail,
  type Category,
  countVotes,
  type Iod,
  type IodStatement,
  type Tlp,
  USUAL_TLP,
} from '@iodine/contracts'
import type { UsedTechnique } from './disarm/technique.js'
import { type EvidenceById, toFileEvidence } from './evidence.js'

/** A downloadable export of a campaign. */
export interface ExportFile {
  name: string
  mediaType: string
  text: string
}

/** What files of other tools say of IODs, by the IOD's id. */
export type StatementsById = ReadonlyMap<string, IodStatement>

/** An object of another tool that stands for an IOD. */
export interface StandIn {
  id: string
  tlp: Tlp | null
}

/** Time and user of an export. */
export interface ExportContext {
  now: Date
  /** Id of the exporting user; 'unknown' if absent. */
  userId?: string | undefined
  /** The IODs' evidence; absent: the file has none. */
  evidence?: EvidenceById | undefined
  /** For STIX and MISP; an IOD without one is of its creation, has its id as its name, and no confidence. */
  statements?: StatementsById | undefined
  /** When the campaign, its members or its techniques last changed, for STIX and MISP; absent: at its creation. */
  changedAt?: Date | undefined
  /** The campaign's level; absent: green. */
  tlp?: Tlp | undefined
  /** The levels of IODs that imports have marked, by the IOD's id, for JSON and CSV; STIX and MISP have them of `statements`. */
  levels?: ReadonlyMap<string, Tlp> | undefined
  /** Objects of other tools that stand for IODs, by the IOD's id. They are written elsewhere. */
  standIns?: ReadonlyMap<string, StandIn> | undefined
  /** The campaign's techniques of DISARM, in the order of their addition; CSV has no place for them. */
  techniques?: readonly UsedTechnique[] | undefined
}

/** What a file says of an IOD. */
export const statementOf = ({ id, created_at }: Iod, { statements }: ExportContext): IodStatement =>
  statements?.get(id) ?? { uid: id, confidence: null, since: created_at, tlp: null }

/** The level that an IOD has of its import; null: none. */
export const levelOf = (iod: Iod, context: ExportContext): Tlp | null =>
  context.levels?.get(iod.id) ?? statementOf(iod, context).tlp

/** When the campaign itself last changed: ISO 8601. Not before its creation, which another clock has dated. */
export const changeOf = ({ created_at }: CampaignDetail, { changedAt }: ExportContext): string =>
  [created_at, changedAt?.toISOString() ?? created_at].sort().at(-1) as string

/** When anything that a file of another tool says of a campaign last changed: ISO 8601. The same until something does. */
export const versionOf = (detail: CampaignDetail, context: ExportContext): string => {
  const times = detail.iods.flatMap(iod => [
    statementOf(iod, context).since,
    ...[...iod.votes, ...iod.comments, ...(context.evidence?.get(iod.id) ?? [])].map(
      ({ created_at }) => created_at,
    ),
  ])
  const added = (context.techniques ?? []).map(({ at }) => at)
  return [changeOf(detail, context), ...times, ...added].sort().at(-1) as string
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

/** An IOD as files of our own have it; its level only where it has one. */
const toFileIod = (iod: Iod, context: ExportContext) => {
  const tlp = levelOf(iod, context)
  return { ...iod, ...voteColumns(iod), ...(tlp && { tlp }) }
}

/** A campaign in Iodine's own JSON format: docs/campaigns.md. */
export function toCampaignFile(detail: CampaignDetail, context: ExportContext) {
  const { now, userId, evidence, techniques = [], tlp = USUAL_TLP } = context
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
      ...(tlp !== USUAL_TLP && { tlp }),
      ...(techniques.length > 0 && { techniques: techniques.map(technique => technique.id) }),
    },
    iods: iods.map(iod => ({
      ...toFileIod(iod, context),
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
export const toIodsFile = (iods: readonly Iod[], context: ExportContext) => ({
  iods: iods.map(iod => toFileIod(iod, context)),
  exported_at: context.now.toISOString(),
  exported_by: context.userId || 'unknown',
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
