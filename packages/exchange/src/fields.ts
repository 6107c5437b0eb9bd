import {
  CATEGORIES,
  type Category,
  isFilled,
  isSourceReference,
  LIMITS,
  type NewIod,
  SOURCE_TYPES,
  type SourceType,
  textFault,
} from '@iodine/contracts'

/** Validation error of an entry, with a message for the importing user. */
export class FieldFault extends Error {
  override readonly name = 'FieldFault'
}
const fail = (reason: string): never => {
  throw new FieldFault(reason)
}

export const isCategory = (value: unknown): value is Category =>
  (CATEGORIES as readonly unknown[]).includes(value)
export const isSourceType = (value: unknown): value is SourceType =>
  (SOURCE_TYPES as readonly unknown[]).includes(value)

const storable = (text: string): string => {
  if (text.length > LIMITS.fieldMax) fail(`Value and description have at most ${LIMITS.fieldMax} characters`)
  return textFault(text) === undefined ? text : fail('The text contains characters that can’t be stored')
}

/** Returns true for an empty cell or a missing property. */
const isAbsent = (given: unknown): given is undefined | null | '' =>
  given === undefined || given === null || given === ''

/**
 * Parsers of an IOD's fields from the columns of CSV or the properties of JSON. Each validates by the
 * contract's rules, or throws a FieldFault. Triplet ids are omitted: they are valid only in their own
 * deployment.
 */
export const IOD_FIELDS = {
  value: (given: unknown): string =>
    storable(typeof given === 'string' && isFilled(given) ? given : fail('The value is missing')),
  category: (given: unknown): Category => {
    const wanted = typeof given === 'string' ? given.trim().toUpperCase() : ''
    if (isCategory(wanted)) return wanted
    return fail(wanted ? `Unknown category ${wanted}` : 'The category is missing')
  },
  description: (given: unknown = ''): string =>
    storable(typeof given === 'string' ? given : given === null ? '' : fail('The description is not a text')),
  source_type: (given: unknown): SourceType => {
    const type = given === undefined || given === '' ? 'MANUAL' : given
    return isSourceType(type) ? type : fail('Unknown source type')
  },
  source: (given: unknown): string | null => {
    if (isAbsent(given)) return null
    if (typeof given === 'string' && isSourceReference(given)) return given
    return fail('The source is neither a web URL nor a path')
  },
} satisfies { [Field in Exclude<keyof NewIod, 'source_id'>]-?: (given: unknown) => NewIod[Field] }

export type IodField = keyof typeof IOD_FIELDS
export const FIELD_NAMES = Object.keys(IOD_FIELDS) as readonly IodField[]

/**
 * Parses all fields.
 * @throws FieldFault for the first invalid one
 */
export const readFields = (given: Partial<Record<IodField, unknown>>): NewIod =>
  Object.fromEntries(FIELD_NAMES.map(name => [name, IOD_FIELDS[name](given[name])])) as unknown as NewIod
