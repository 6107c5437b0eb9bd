/** Field of a record that a table's column can hold, with its label. */
export const MAPPED_FIELDS = {
  text: 'Text',
  url: 'URL',
  published_at: 'Time of posting',
  'author.name': 'Author’s name',
  'author.handle': 'Author’s username',
  'author.id': 'Author’s id',
  'author.followers': 'Author’s followers',
  id: 'Id of the post',
  platform: 'Platform',
  type: 'Type',
  title: 'Title',
  language: 'Language',
  hashtags: 'Hashtags',
  'metrics.views': 'Views',
  'metrics.likes': 'Likes',
  'metrics.comments': 'Comments',
  'metrics.shares': 'Shares',
} as const

export type MappedField = keyof typeof MAPPED_FIELDS
/** Column by field. */
export type ColumnMapping = Readonly<Record<string, string>>

/** Fields that most tables have: the others stand behind a button. */
export const MAIN_FIELDS: readonly MappedField[] = [
  'text',
  'url',
  'published_at',
  'author.name',
  'author.handle',
  'platform',
]

/** Columns that the user chose for a table, to be proposed for the next one with the same header. */
export interface SavedMapping {
  /** Id of the user. */
  owner: string
  /** The header's cells, as `headerKey` returns them. */
  columns: string
  mapping: ColumnMapping
}

/** Identifies a set of columns, in any order. */
export const headerKey = (header: readonly string[]): string => JSON.stringify([...header].sort())

/** Returns a mapping without columns that the header lacks. */
export const usableMapping = (mapping: ColumnMapping, header: readonly string[]): ColumnMapping =>
  Object.fromEntries(Object.entries(mapping).filter(([, column]) => header.includes(column)))

/** Returns the mapping with another column for a field, or without the field. */
export const withColumn = (mapping: ColumnMapping, field: MappedField, column: string): ColumnMapping => {
  const { [field]: _, ...rest } = mapping
  return column ? { ...rest, [field]: column } : rest
}

/** Returns what a mapping lacks, as advice; undefined if the table can be read with it. */
export const mappingFault = ({ text, url }: ColumnMapping): string | undefined =>
  text || url ? undefined : 'Choose a column for Text or for URL.'
