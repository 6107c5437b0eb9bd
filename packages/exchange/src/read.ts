import { foldIod, highestTlp, type NewIod, type Tlp } from '@iodine/contracts'
import { type FileComments, readComments } from './comments.js'
import { readCsv } from './csv.js'
import { type Quotes, readQuotes } from './evidence.js'
import { FieldFault, type IodField, isCategory, isSourceType, readFields } from './fields.js'
import { isObject } from './json/is-object.js'
import { EVIDENCE_EXTENSION } from './stix/evidence-note.js'
import { tlpOfText } from './tlp.js'

/** An entry of a file: a valid IOD with optional level, evidence and comments, or the reason for its rejection. */
export type Entry = { place: string; tlp?: Tlp } & (
  | { iod: NewIod; evidence?: Quotes; comments?: FileComments; reason?: undefined }
  | { iod?: undefined; value: string; reason: string }
)

/** An unvalidated entry of a file. */
type Candidate = { place: string; evidence?: unknown; comments?: unknown; tlp?: unknown } & Partial<
  Record<IodField, unknown>
>

/** Error for a file that cannot be imported; users see the message. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/** Returns a function that rejects duplicates; call it with each entry of a file, in the file's order. */
export const createDuplicateCheck = (): ((entry: Entry) => Entry) => {
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

/** Returns an IOD's key for duplicate detection: equal for IODs that the product considers duplicates. */
export const iodKey = (iod: Pick<NewIod, 'category' | 'value'>): string => `${iod.category} ${foldIod(iod)}`

/**
 * Parses the rows of a CSV file.
 * @throws UnreadableFile if the header lacks a required column
 */
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

/** Reads level and technique ids of the campaign in a JSON file of Iodine. */
export function readHead(file: unknown): { tlp: Tlp | null; techniques: string[] } {
  const campaign = isObject(file) && isObject(file.campaign) ? file.campaign : {}
  const techniques = Array.isArray(campaign.techniques) ? campaign.techniques : []
  return {
    tlp: tlpOfText(campaign.tlp),
    techniques: techniques.filter(each => typeof each === 'string'),
  }
}

const ofEntry = (iod: unknown, index: number, tlp: Tlp | null): Candidate => {
  const fields = isObject(iod) ? iod : {}
  return { ...fields, tlp: highestTlp([tlp, tlpOfText(fields.tlp)]), place: `IOD ${index + 1}` }
}

/**
 * Parses an entry of a JSON file of Iodine.
 * @param index position in the list, from 0
 * @param tlp level of the file
 */
export const readEntry = (iod: unknown, index: number, tlp: Tlp | null): Entry =>
  check(ofEntry(iod, index, tlp))

/** Parses an entry of a CSV file. */
export const readRow = (row: Candidate): Entry => check(row)

/** Returns the quote in a note of Iodine's bundles, with the note's object refs; undefined for other objects. */
export const quoteOfNote = (
  note: Readonly<Record<string, unknown>>,
): { about: unknown[]; quote: object } | undefined => {
  if (note.type !== 'note' || !isObject(note.extensions) || !Array.isArray(note.object_refs)) return undefined
  const extension = note.extensions[EVIDENCE_EXTENSION.id]
  if (!isObject(extension) || !isObject(extension.evidence)) return undefined
  return { about: note.object_refs, quote: { ...extension.evidence, exact: note.content } }
}

/**
 * Parses an indicator of Iodine's bundles.
 * @param index position among the indicators, from 0
 */
export const readIndicator = (
  indicator: Readonly<Record<string, unknown>>,
  index: number,
  about: {
    evidence?: readonly object[] | undefined
    comments?: readonly object[] | undefined
    tlp: Tlp | null
  },
): Entry => check({ ...fromIndicator(indicator), ...about, place: `Indicator ${index + 1}` })

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

function check({ place, evidence: quoted, comments: written, tlp: level, ...given }: Candidate): Entry {
  const tlp = tlpOfText(level)
  try {
    const evidence = readQuotes(quoted)
    const hasEvidence = evidence.quotes.length + evidence.refused > 0
    const comments = readComments(written)
    const hasComments = comments.comments.length + comments.refused > 0
    return {
      place,
      iod: readFields(given),
      ...(tlp && { tlp }),
      ...(hasEvidence && { evidence }),
      ...(hasComments && { comments }),
    }
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error
    return { place, value: typeof given.value === 'string' ? given.value : '', reason: error.message }
  }
}
