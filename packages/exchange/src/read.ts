import { foldIod, highestTlp, type NewIod, type Tlp } from '@iodine/contracts'
import { readCsv } from './csv.js'
import { type Quotes, readQuotes } from './evidence.js'
import { FieldFault, type IodField, isCategory, isSourceType, readFields } from './fields.js'
import { isObject } from './json/is-object.js'
import { EVIDENCE_EXTENSION } from './stix/bundle.js'
import { tlpOfText } from './tlp.js'

/** An entry of a file: a valid IOD, with its level and its evidence if there are any, or the reason why it is invalid. */
export type Entry = { place: string; tlp?: Tlp } & (
  | { iod: NewIod; evidence?: Quotes; reason?: undefined }
  | { iod?: undefined; value: string; reason: string }
)

/** An unvalidated entry of a file. */
type Candidate = { place: string; evidence?: unknown; tlp?: unknown } & Partial<Record<IodField, unknown>>

/** Thrown for a file without IODs; the message gives the reason. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/** Refuses what repeats an earlier entry: a function that each entry of a file goes through, in the file's order. */
export const createRepeatCheck = (): ((entry: Entry) => Entry) => {
  const seen = new Map<string, string>()
  return entry => {
    if (!entry.iod) return entry
    const key = iodKey(entry.iod)
    const earlier = seen.get(key)
    if (earlier) return { place: entry.place, value: entry.iod.value, reason: `Repeats ${earlier}` }
    seen.set(key, entry.place.toLowerCase())
    return entry
  }
}

/** Key of an IOD for duplicate detection: equal for IODs that the product treats as the same. */
export const iodKey = (iod: Pick<NewIod, 'category' | 'value'>): string => `${iod.category} ${foldIod(iod)}`

/** The rows of a CSV file. Throws `UnreadableFile`. */
export function fromCsv(text: string): Candidate[] {
  const rows = readCsv(text)
  const columns = Object.keys(rows[0]?.cells ?? {})
  if (!columns.includes('value') || !columns.includes('category'))
    throw new UnreadableFile('The file needs a header row with value, category and description.')
  return rows.map(({ line, cells }) => ({
    ...cells,
    place: `Line ${line}`,
  }))
}

/** What a JSON file of ours says of its campaign: its level, and ids of its techniques. */
export function readHead(file: unknown): { tlp: Tlp | null; techniques: string[] } {
  const campaign = isObject(file) && isObject(file.campaign) ? file.campaign : {}
  const techniques = Array.isArray(campaign.techniques) ? campaign.techniques : []
  return {
    tlp: tlpOfText(campaign.tlp),
    techniques: techniques.filter(each => typeof each === 'string'),
  }
}

const ofEntry = (iod: unknown, index: number, tlp: Tlp | null): Candidate => {
  const given = isObject(iod) ? iod : {}
  return { ...given, tlp: highestTlp([tlp, tlpOfText(given.tlp)]), place: `IOD ${index + 1}` }
}

/**
 * An entry of a JSON file of ours.
 * @param index its place in the list, from 0
 * @param tlp the file's level
 */
export const readEntry = (iod: unknown, index: number, tlp: Tlp | null): Entry =>
  check(ofEntry(iod, index, tlp))

/** An entry of a CSV file. */
export const readRow = (row: Candidate): Entry => check(row)

/** The quote in a note of our own bundles, and the ids of the objects that it is about; undefined for any other object. */
export const quoteOfNote = (
  note: Readonly<Record<string, unknown>>,
): { about: unknown[]; quote: object } | undefined => {
  if (note.type !== 'note' || !isObject(note.extensions) || !Array.isArray(note.object_refs)) return undefined
  const extension = note.extensions[EVIDENCE_EXTENSION.id]
  if (!isObject(extension) || !isObject(extension.evidence)) return undefined
  return { about: note.object_refs, quote: { ...extension.evidence, exact: note.content } }
}

/**
 * An indicator of our own bundles.
 * @param index its place among the indicators, from 0
 */
export const readIndicator = (
  indicator: Readonly<Record<string, unknown>>,
  index: number,
  { evidence, tlp }: { evidence: readonly object[] | undefined; tlp: Tlp | null },
): Entry => check({ ...fromIndicator(indicator), evidence, tlp, place: `Indicator ${index + 1}` })

/** Parses an indicator written by `toStixBundle`. */
function fromIndicator(indicator: Record<string, unknown>): Omit<Candidate, 'place'> {
  const labels = Array.isArray(indicator.labels) ? indicator.labels : []
  const references = Array.isArray(indicator.external_references) ? indicator.external_references : []
  const reference: unknown = references[0]
  return {
    value: indicator.name,
    category: labels.find(label => isCategory(label)),
    description: indicator.description,
    source_type: labels.find(label => isSourceType(label)),
    source: isObject(reference) ? (reference.url ?? reference.description) : undefined,
  }
}

function check({ place, evidence: quoted, tlp: level, ...given }: Candidate): Entry {
  const tlp = tlpOfText(level)
  try {
    const evidence = readQuotes(quoted)
    const hasEvidence = evidence.quotes.length + evidence.refused > 0
    return { place, iod: readFields(given), ...(tlp && { tlp }), ...(hasEvidence && { evidence }) }
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error
    return { place, value: typeof given.value === 'string' ? given.value : '', reason: error.message }
  }
}
