import {
  type Campaign,
  type Category,
  foldValue,
  type Iod,
  LIMITS,
  matchKey,
  matchKeys,
  refang,
  type Source,
  textFault,
  trimBlank,
} from '@iodine/contracts'
import { type OverlayCampaign, suggestCategory } from '@iodine/known-iods'
import { formatAmount, formatCount } from '@iodine/ui'

/** A value of a checked list. */
export interface CheckedValue {
  /** Its line in the list, from 1. */
  id: string
  /** Without defanging. */
  value: string
  category: Category
  /** The IODs with this value. */
  iods: readonly Iod[]
  /** The sources of the user's records that contain the value. */
  sources: readonly Source[]
  campaigns: readonly Pick<Campaign, 'id' | 'name'>[]
  /** Whether an IOD can have the value. Others are not sent. */
  isValid: boolean
  /** Why the value was not checked, or its IOD not created. */
  problem?: string | undefined
}

/** The values of a list before they are checked. */
export interface ValueList {
  /** Distinct values, in the list's order. */
  values: CheckedValue[]
  /** Number of lines whose value is in an earlier line. */
  repeated: number
  /** Number of lines without a value. */
  empty: number
}

/** Returns why no IOD can have a value; undefined if one can. */
const problemOf = (value: string): string | undefined => {
  // Code points, which are never more than UTF-16 units.
  if (value.length > LIMITS.fieldMax && [...value].length > LIMITS.fieldMax)
    return `Not checked: longer than ${formatCount(LIMITS.fieldMax)} characters.`
  return textFault(value) && 'Not checked: contains damaged characters.'
}

/**
 * Reads one value per line, without defanging. Values that differ only in case or invisible characters are one. A value
 * that no IOD can have remains, with its problem.
 */
export function readList(text: string): ValueList {
  const values = new Map<string, CheckedValue>()
  let repeated = 0
  let empty = 0
  const lines = text.split(/\r\n|[\r\n]/)
  if (lines.at(-1) === '') lines.pop()
  for (const [n, line] of lines.entries()) {
    const value = trimBlank(refang(line))
    const key = foldValue(value)
    if (value === '') empty++
    else if (values.has(key)) repeated++
    else {
      const problem = problemOf(value)
      values.set(key, {
        id: String(n + 1),
        value,
        category: suggestCategory(value.startsWith('@') ? 'username' : '', value),
        iods: [],
        sources: [],
        campaigns: [],
        isValid: problem === undefined,
        problem,
      })
    }
  }
  return { values: [...values.values()], repeated, empty }
}

/** Describes the values of a list, before they are checked. */
export const describeList = ({ values, repeated, empty }: ValueList): string =>
  [
    formatAmount(values.length, 'value'),
    repeated > 0 && `${formatCount(repeated)} repeated`,
    empty > 0 && formatAmount(empty, 'empty line'),
  ]
    .filter(Boolean)
    .join(', ')

/** Returns why a list can't be checked; undefined if it can. */
export const listFault = ({ values }: ValueList): string | undefined =>
  values.length > LIMITS.checkedValuesMax
    ? `The list has ${formatCount(values.length)} values. At most ${formatCount(LIMITS.checkedValuesMax)} can be checked at once: remove some, or check them in parts.`
    : undefined

/** Largest file that is read, in bytes: more than the longest list of URLs needs. */
export const FILE_BYTES = 16_777_216

/** A file that contains no list. Its message is for users. */
export class UnreadableList extends Error {}

/**
 * Decodes a file: UTF-8, or UTF-16 with a byte order mark.
 * @throws UnreadableList if it contains other bytes or NUL characters
 */
export function decodeList(bytes: Uint8Array, name: string): string {
  const [first, second] = bytes
  const isLittle = first === 0xff && second === 0xfe
  const isBig = first === 0xfe && second === 0xff
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Reported below.
  }
  throw new UnreadableList(`“${name}” is not a text file in UTF-8. Save it as text or CSV in UTF-8.`)
}

/** Names of the column that contains the values, in order of preference. */
const VALUE_COLUMNS = ['value', 'url', 'domain', 'indicator', 'ioc', 'iod']

/**
 * Returns the values of a CSV file, one a line: of the column named 'value' or similar, otherwise of the first. Line breaks
 * in a value become spaces.
 */
export function listOfCells(rows: readonly (readonly string[])[]): string {
  const header = rows[0]?.map(name => name.trim().toLowerCase()) ?? []
  const named = VALUE_COLUMNS.map(name => header.indexOf(name)).find(index => index >= 0)
  return rows
    .slice(named === undefined ? 0 : 1)
    .map(cells => (cells[named ?? 0] ?? '').replace(/[\r\n]+/g, ' '))
    .join('\n')
}

/** Adds the IODs of each value. */
export function withIods(values: readonly CheckedValue[], iods: readonly Iod[]): CheckedValue[] {
  const byKey = new Map<string, Iod[]>()
  for (const iod of iods) {
    const key = matchKey(iod)
    const same = byKey.get(key)
    if (!same) byKey.set(key, [iod])
    else if (!same.some(({ id }) => id === iod.id)) same.push(iod)
  }
  return values.map(each => ({ ...each, iods: matchKeys(each.value).flatMap(key => byKey.get(key) ?? []) }))
}

/** Adds the campaigns that contain an IOD of each value. */
export function withCampaigns(
  values: readonly CheckedValue[],
  campaigns: readonly OverlayCampaign[],
): CheckedValue[] {
  const listed = new Set(values.flatMap(({ iods }) => iods.map(({ id }) => id)))
  const byIod = new Map<string, Map<string, string>>()
  for (const { id, name, iod_ids } of campaigns)
    for (const iod of iod_ids) {
      if (!listed.has(iod)) continue
      const of = byIod.get(iod) ?? new Map<string, string>()
      byIod.set(iod, of.set(id, name))
    }
  return values.map(each => {
    const of = new Map(each.iods.flatMap(({ id }) => [...(byIod.get(id) ?? [])]))
    return { ...each, campaigns: [...of].map(([id, name]) => ({ id, name })) }
  })
}

/** Returns the values, with a campaign for those whose IODs were added to it. */
export function withCampaign(
  values: readonly CheckedValue[],
  addedIds: readonly string[],
  { id, name }: Pick<Campaign, 'id' | 'name'>,
): CheckedValue[] {
  const added = new Set(addedIds)
  const isAdded = ({ iods, campaigns }: CheckedValue) =>
    iods.some(iod => added.has(iod.id)) && campaigns.every(campaign => campaign.id !== id)
  return values.map(each =>
    isAdded(each) ? { ...each, campaigns: [...each.campaigns, { id, name }] } : each,
  )
}

/** The filters of the table. `problem`: values that could not be checked or created. */
export const SHOWN = ['all', 'new', 'known', 'data', 'campaigns', 'problem'] as const
export type Shown = (typeof SHOWN)[number]

/** Returns whether no IOD has the value, and it can get one. */
export const isNew = ({ iods, isValid }: CheckedValue): boolean => iods.length === 0 && isValid

const TESTS: Record<Shown, (value: CheckedValue) => boolean> = {
  all: () => true,
  new: isNew,
  known: ({ iods }) => iods.length > 0,
  data: ({ sources }) => sources.length > 0,
  campaigns: ({ campaigns }) => campaigns.length > 0,
  problem: ({ problem }) => problem !== undefined,
}

export const shownValues = (values: readonly CheckedValue[], shown: Shown): CheckedValue[] =>
  values.filter(TESTS[shown])

/** Returns the number of values under each filter. */
export const sums = (values: readonly CheckedValue[]): Record<Shown, number> =>
  Object.fromEntries(SHOWN.map(shown => [shown, values.filter(TESTS[shown]).length])) as Record<Shown, number>

export const TABLE_HEADER = ['value', 'status', 'category', 'iod_ids', 'in_my_data', 'campaigns', 'problem']

/** Returns the rows of the table as a file. */
export const tableRows = (values: readonly CheckedValue[]): string[][] =>
  values.map(each => {
    const { value, category, iods, sources, campaigns, problem = '' } = each
    return [
      value,
      iods.length > 0 ? 'known' : isNew(each) ? 'new' : 'not checked',
      iods.length > 0 ? [...new Set(iods.map(({ category }) => category))].join(' ') : category,
      iods.map(({ id }) => id).join(' '),
      sources.join(' '),
      campaigns.map(({ name }) => name).join('; '),
      problem,
    ]
  })
