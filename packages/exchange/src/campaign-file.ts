import {
  type CampaignDetail,
  type Category,
  countVotes,
  DEFAULT_TLP,
  type Iod,
  type IodStatement,
  type Tlp,
} from '@iodine/contracts'
import type { UsedTechnique } from './disarm/technique.js'
import { type EvidenceById, toFileEvidence } from './evidence.js'

/** A downloadable export of a campaign. */
export interface ExportFile {
  name: string
  mediaType: string
  text: string
}

/** Statements on IODs for STIX and MISP files, by the IOD's id. */
export type StatementsById = ReadonlyMap<string, IodStatement>

/** An imported object of another tool that represents an IOD. */
export interface ImportedCounterpart {
  id: string
  tlp: Tlp | null
}

/** Time, user and additional content of an export. */
export interface ExportContext {
  now: Date
  /** Id of the exporting user; 'unknown' if absent. */
  userId?: string | undefined
  /** Evidence of the IODs; without it the file contains none. */
  evidence?: EvidenceById | undefined
  /** Statements for STIX and MISP. Default: the IOD's id as uid, its creation as time, no confidence. */
  statements?: StatementsById | undefined
  /** Last change of the campaign, its members or its techniques, for STIX and MISP; default: its creation. */
  changedAt?: Date | undefined
  /** TLP level of the campaign; default: green. */
  tlp?: Tlp | undefined
  /** TLP levels from imports, by the IOD's id, for JSON and CSV; for STIX and MISP, `statements` contain them. */
  levels?: ReadonlyMap<string, Tlp> | undefined
  /** Imported objects that represent IODs, by the IOD's id. The caller writes them to the file. */
  standIns?: ReadonlyMap<string, ImportedCounterpart> | undefined
  /** The campaign's DISARM techniques, in the order of their addition; CSV omits them. */
  techniques?: readonly UsedTechnique[] | undefined
  /** The first quote of each technique, by its id, for the Navigator's layer. */
  quotes?: ReadonlyMap<string, string> | undefined
}

/** Returns the statement on an IOD, or the default statement. */
export const statementOf = ({ id, created_at }: Iod, { statements }: ExportContext): IodStatement =>
  statements?.get(id) ?? { uid: id, confidence: null, since: created_at, tlp: null }

/** Returns an IOD's TLP level from its import; null without one. */
export const levelOf = (iod: Iod, context: ExportContext): Tlp | null =>
  context.levels?.get(iod.id) ?? statementOf(iod, context).tlp

/** Returns the campaign's last change, ISO 8601. At least its creation, whose time comes from another clock. */
export const changeOf = ({ created_at }: CampaignDetail, { changedAt }: ExportContext): string =>
  [created_at, changedAt?.toISOString() ?? created_at].sort().at(-1) as string

/** Returns the last change of any content of a campaign's STIX or MISP file: ISO 8601. */
export const versionOf = (detail: CampaignDetail, context: ExportContext): string => {
  const times = detail.iods.flatMap(iod => [
    statementOf(iod, context).since,
    ...Object.values(statementOf(iod, context).edited ?? {}),
    ...[...iod.votes, ...iod.comments, ...(context.evidence?.get(iod.id) ?? [])].map(
      ({ created_at }) => created_at,
    ),
  ])
  const added = (context.techniques ?? []).map(({ at }) => at)
  return [changeOf(detail, context), ...times, ...added].sort().at(-1) as string
}

/** Returns the technique properties of a campaign in Iodine's own JSON format. */
const techniquesInFile = (techniques: readonly UsedTechnique[]) => {
  const [first] = techniques
  const obsolete = techniques.filter(({ until }) => until !== null)
  return {
    ...(first && { techniques: techniques.map(({ id }) => id), techniques_list: first.list }),
    ...(obsolete.length > 0 && { obsolete_techniques: obsolete.map(({ id }) => id) }),
  }
}

/** Contents of the JSON file. */
export type CampaignFile = ReturnType<typeof toCampaignFile>

/** Returns the UTC date: YYYY-MM-DD. */
export const day = (now: Date): string => now.toISOString().slice(0, 10)

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

/** Returns the columns with an IOD's vote counts. */
export const voteColumns = (iod: Pick<Iod, 'votes'>) => {
  const { positive, negative } = countVotes(iod)
  return { positive_votes: positive, negative_votes: negative }
}

/** Returns an IOD in Iodine's own JSON format, with its TLP level if it has one. */
const toFileIod = (iod: Iod, context: ExportContext) => {
  const tlp = levelOf(iod, context)
  return { ...iod, ...voteColumns(iod), ...(tlp && { tlp }) }
}

/** Returns a campaign in Iodine's own JSON format: docs/campaigns.md. */
export function toCampaignFile(detail: CampaignDetail, context: ExportContext) {
  const { now, userId, evidence, techniques = [], tlp = DEFAULT_TLP } = context
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
      ...(tlp !== DEFAULT_TLP && { tlp }),
      ...techniquesInFile(techniques),
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

/** Returns IODs without a campaign in Iodine's own JSON format. */
export const toIodsFile = (iods: readonly Iod[], context: ExportContext) => ({
  iods: iods.map(iod => toFileIod(iod, context)),
  exported_at: context.now.toISOString(),
  exported_by: context.userId || 'unknown',
})

/** Maximum characters of the name in a file name: file systems allow 255 bytes. */
const NAME_MAX = 200

/**
 * Returns campaign_{name}_{YYYY-MM-DD, UTC} with the extension. Characters of the name other than a–z and 0–9 become
 * underscores.
 */
export function exportFileName(name: string, now: Date, extension: string): string {
  const safe = name
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, '_')
    .slice(0, NAME_MAX)
  return `campaign_${safe}_${day(now)}.${extension}`
}
