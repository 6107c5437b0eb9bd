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

/**
 * Reads a JSON or STIX file exported by Iodine, or a CSV with value, category and description. Entries keep
 * the file's order; duplicates are refused. Throws `UnreadableFile`.
 */
export function readIods(text: string): Entry[] {
  const candidates = /^\s*\uFEFF?\s*[{[]/.test(text) ? fromJson(text) : fromCsv(text)
  const seen = new Map<string, string>()
  return candidates.map(candidate => {
    const entry = check(candidate)
    if (!entry.iod) return entry
    const key = iodKey(entry.iod)
    const earlier = seen.get(key)
    if (earlier) return { place: entry.place, value: entry.iod.value, reason: `Repeats ${earlier}` }
    seen.set(key, entry.place.toLowerCase())
    return entry
  })
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

function fromJson(text: string): Candidate[] {
  let file: unknown
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new UnreadableFile('The file is not valid JSON.')
  }
  if (isObject(file) && Array.isArray(file.iods)) {
    const { tlp } = readHead(file)
    return file.iods.map((iod: unknown, index) => ofEntry(iod, index, tlp))
  }
  if (isObject(file) && file.type === 'bundle' && Array.isArray(file.objects)) {
    const evidence = evidenceNotes(file.objects)
    return file.objects
      .filter((object: unknown) => isObject(object) && object.type === 'indicator')
      .map((object, index) => ({
        ...fromIndicator(object),
        evidence: evidence.get(object.id),
        place: `Indicator ${index + 1}`,
      }))
  }
  throw new UnreadableFile('The file is neither a campaign export nor a STIX bundle.')
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

/** A row of a CSV file: its place and its cells by column. */
export type Row = Candidate

/** An entry of a CSV file. */
export const readRow = (row: Row): Entry => check(row)

/** The evidence in the notes of a bundle, by the id of the object that they are about. */
function evidenceNotes(objects: readonly unknown[]): Map<unknown, object[]> {
  const found = new Map<unknown, object[]>()
  for (const note of objects) {
    if (!isObject(note) || note.type !== 'note' || !isObject(note.extensions)) continue
    const extension = note.extensions[EVIDENCE_EXTENSION.id]
    if (!isObject(extension) || !isObject(extension.evidence) || !Array.isArray(note.object_refs)) continue
    const quote = { ...extension.evidence, exact: note.content }
    for (const about of note.object_refs) {
      const known = found.get(about)
      if (known) known.push(quote)
      else found.set(about, [quote])
    }
  }
  return found
}

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
