import {
  CATEGORIES,
  type Category,
  foldValue,
  isHttpUrl,
  LIMITS,
  type NewIod,
  SOURCE_TYPES,
  type SourceType,
} from '@iodine/contracts'
import { readCsv } from './csv.js'

/** An entry of a file: an IOD that can be created, or why not. */
export type Entry = { place: string } & (
  | { iod: NewIod; reason?: undefined }
  | { iod?: undefined; value: string; reason: string }
)

/** What a file says that it holds. */
interface Candidate {
  place: string
  value: unknown
  category: unknown
  description: unknown
  source_type: unknown
  source: unknown
}

/** A file that holds no IODs at all, with a message that says why. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/**
 * Reads a JSON or STIX file that Iodine exported, or a CSV with value, category and description. Entries come in the
 * file's order; one that repeats another is refused. Ids of triplets are left behind: they mean something in the
 * deployment they come from alone. Throws `UnreadableFile`.
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

/** The same for two IODs that the product takes for one. */
export const iodKey = ({ category, value }: Pick<NewIod, 'category' | 'value'>): string =>
  `${category} ${foldValue(value)}`

function fromCsv(text: string): Candidate[] {
  const rows = readCsv(text)
  const columns = Object.keys(rows[0]?.cells ?? {})
  if (!columns.includes('value') || !columns.includes('category'))
    throw new UnreadableFile('The file needs a header row with value, category and description.')
  return rows.map(({ line, cells }) => ({
    place: `Line ${line}`,
    value: cells.value,
    category: cells.category,
    description: cells.description ?? '',
    source_type: cells.source_type,
    source: cells.source,
  }))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function fromJson(text: string): Candidate[] {
  let file: unknown
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new UnreadableFile('The file is not valid JSON.')
  }
  if (isObject(file) && Array.isArray(file.iods)) {
    return file.iods.map((iod: unknown, index) => ({
      ...(isObject(iod) ? pick(iod) : pick({})),
      place: `IOD ${index + 1}`,
    }))
  }
  if (isObject(file) && file.type === 'bundle' && Array.isArray(file.objects)) {
    return file.objects
      .filter((object: unknown) => isObject(object) && object.type === 'indicator')
      .map((object, index) => ({ ...fromIndicator(object), place: `Indicator ${index + 1}` }))
  }
  throw new UnreadableFile('The file is neither a campaign export nor a STIX bundle.')
}

const pick = ({ value, category, description, source_type, source }: Record<string, unknown>) => ({
  value,
  category,
  description: description ?? '',
  source_type,
  source,
})

/** An indicator as `toStixBundle` writes it. */
function fromIndicator(indicator: Record<string, unknown>): Omit<Candidate, 'place'> {
  const labels = Array.isArray(indicator.labels) ? indicator.labels : []
  const references = Array.isArray(indicator.external_references) ? indicator.external_references : []
  const reference: unknown = references[0]
  return {
    value: indicator.name,
    category: labels.find(label => isCategory(label)),
    description: indicator.description ?? '',
    source_type: labels.find(label => isSourceType(label)),
    source: isObject(reference) ? (reference.url ?? reference.description) : undefined,
  }
}

const isCategory = (value: unknown): value is Category => (CATEGORIES as readonly unknown[]).includes(value)
const isSourceType = (value: unknown): value is SourceType =>
  (SOURCE_TYPES as readonly unknown[]).includes(value)

function check({ place, value, category, description, source_type, source }: Candidate): Entry {
  const refuse = (reason: string): Entry => ({ place, value: typeof value === 'string' ? value : '', reason })
  if (typeof value !== 'string' || value.trim() === '') return refuse('The value is missing')
  if (typeof description !== 'string') return refuse('The description is no text')
  if ([value, description].some(text => text.length > LIMITS.fieldMax))
    return refuse(`Value and description have at most ${LIMITS.fieldMax} characters`)
  if ([value, description].some(text => text.includes('\0') || !text.isWellFormed()))
    return refuse('The text holds characters that can’t be stored')
  const wanted = typeof category === 'string' ? category.trim().toUpperCase() : ''
  if (!isCategory(wanted)) return refuse(wanted ? `Unknown category ${wanted}` : 'The category is missing')
  const type = source_type === undefined || source_type === '' ? 'MANUAL' : source_type
  if (!isSourceType(type)) return refuse('Unknown source type')
  if (source !== undefined && source !== null && source !== '') {
    if (typeof source !== 'string' || !isSource(source))
      return refuse('The source is neither a web address nor a path')
  }
  return {
    place,
    iod: { value, category: wanted, description, source_type: type, source: source || null },
  }
}

/** Any scheme, also behind white space and control characters that browsers skip. */
const SCHEME = /^[\s\p{C}]*[a-z][a-z0-9+.\-\s\p{C}]*:/iu

const isSource = (source: string): boolean =>
  isHttpUrl(source) || (source.trim() !== '' && !SCHEME.test(source) && !source.startsWith('//'))
