import { type Iod, LIMITS, type NewIod, type Source } from '@iodine/contracts'
import { decodeCampaigns, lookupBatches } from '@iodine/known-iods'
import { type ApiClient, errorDetail, hasStatus, isUnauthorized, useAction, useHost } from '@iodine/mfe-kit'
import { formatAmount, formatCount, saveFile } from '@iodine/ui'
import { useEffect, useRef, useState } from 'react'
import { type CheckedValue, TABLE_HEADER, tableRows, withCampaigns, withIods } from '../model/check-list'
import { FACETS_KEY } from './facets'

const [CONFLICT, TOO_LARGE, BUSY] = [409, 413, 429]
/** Concurrent requests that create IODs. */
const AT_ONCE = 4

export interface Progress {
  done: number
  total: number
}
type OnStep = (progress: Progress) => void

interface LookUp {
  signal?: AbortSignal
  /** Called after each request with the number of values so far. */
  onStep?: (done: number) => void
}

const lookUp = async (
  api: ApiClient,
  values: readonly string[],
  { signal, onStep }: LookUp = {},
): Promise<Iod[]> => {
  const found: Iod[] = []
  let done = 0
  for (const batch of lookupBatches(values)) {
    found.push(
      ...(await api.call('POST /iods/lookup', { body: { values: batch }, ...(signal && { signal }) })),
    )
    done += batch.length
    onStep?.(done)
  }
  return found
}

const inMyData = async (
  api: ApiClient,
  values: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Source[]>> => {
  const found = new Map<string, Source[]>()
  for (const batch of lookupBatches(values, LIMITS.containedValuesMax, LIMITS.containedCharacters)) {
    const sources = await api.call('POST /records/contained', { body: { values: batch }, signal })
    for (const [n, value] of batch.entries()) found.set(value, sources[n] ?? [])
  }
  return found
}

/** Checks values: 10,000 of 12 characters take 10 look-ups, and meanwhile a search in records and a download. */
export const checkValues = async (
  api: ApiClient,
  values: readonly CheckedValue[],
  signal: AbortSignal,
  onStep: OnStep,
): Promise<CheckedValue[]> => {
  const texts = values.filter(({ isValid }) => isValid).map(({ value }) => value)
  onStep({ done: 0, total: texts.length })
  const [iods, sources, file] = await Promise.all([
    lookUp(api, texts, { signal, onStep: done => onStep({ done, total: texts.length }) }),
    inMyData(api, texts, signal),
    api.download('GET /campaigns/overlay', { signal }),
  ])
  const campaigns = await decodeCampaigns(new Uint8Array(await file.arrayBuffer()))
  return withCampaigns(withIods(values, iods), campaigns).map(each => ({
    ...each,
    sources: sources.get(each.value) ?? [],
  }))
}

interface Creation {
  values: readonly CheckedValue[]
  fields: Pick<NewIod, 'description' | 'source'>
  signal: AbortSignal
  onStep: OnStep
}

/**
 * Creates an IOD of each value. Returns the values with their IODs or problems, by id; values that were not attempted
 * are missing. A full quota, an overloaded server and an ended session stop the rest.
 */
export const createAll = async (
  api: ApiClient,
  { values, fields, signal, onStep }: Creation,
): Promise<Map<string, CheckedValue>> => {
  const changed = new Map<string, CheckedValue>()
  const queue = [...values]
  let stop: string | undefined
  const createOne = async (each: CheckedValue): Promise<CheckedValue> => {
    const { problem: _, ...value } = each
    const body = { ...fields, value: each.value, category: each.category, source_type: 'MANUAL' as const }
    try {
      return { ...value, iods: [await api.call('POST /iods', { body })] }
    } catch (error) {
      if (isUnauthorized(error)) throw error
      if (hasStatus(error, CONFLICT)) return withIods([value], await lookUp(api, [each.value]))[0] ?? each
      const problem = `Not created: ${errorDetail(error, 'try again.')}`
      if (hasStatus(error, TOO_LARGE) || hasStatus(error, BUSY)) stop = problem
      return { ...value, problem }
    }
  }
  const work = async () => {
    for (let each = queue.shift(); each && !signal.aborted; each = queue.shift()) {
      changed.set(each.id, stop === undefined ? await createOne(each) : { ...each, problem: stop })
      onStep({ done: changed.size, total: values.length })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return changed
}

/** Saves values as a CSV file: iods_checked_{YYYY-MM-DD, UTC}.csv. */
export function useSaveTable() {
  return useAction({
    mutationFn: async (values: readonly CheckedValue[]) => {
      const { writeCsv } = await import('@iodine/exchange/spreadsheet')
      const name = `iods_checked_${new Date().toISOString().slice(0, 10)}.csv`
      const type = 'text/csv; charset=utf-8'
      saveFile(name, new Blob([writeCsv(TABLE_HEADER, tableRows(values))], { type }))
      return name
    },
    done: (name, values) => `${formatAmount(values.length, 'value')} exported as ${name}`,
    failed: 'Failed to export the table',
  })
}

/**
 * Creates IODs of values. `onChanged` receives the outcome of each attempted value; the toast tells how many were created.
 */
export function useCreateListed(onChanged: (changed: ReadonlyMap<string, CheckedValue>) => void) {
  const { api } = useHost()
  const [progress, setProgress] = useState<Progress | null>(null)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const { run } = useAction({
    mutationFn: (creation: Creation) => createAll(api, creation),
    onMutate: ({ values }) => setProgress({ done: 0, total: values.length }),
    onSuccess: onChanged,
    onSettled: () => setProgress(null),
    done: (changed, { values }) => {
      const created = [...changed.values()].filter(({ iods }) => iods.length > 0).length
      if (created === values.length) return `${formatAmount(created, 'IOD')} created`
      const reason = [...changed.values()].find(({ problem }) => problem)?.problem
      return {
        title: `${formatCount(created)} of ${formatAmount(values.length, 'IOD')} created`,
        description: reason ?? 'Stopped: the others remain in the list.',
        status: 'warning',
      }
    },
    failed: 'Failed to create IODs',
    invalidates: [FACETS_KEY],
  })
  return {
    /** Null unless IODs are being created. */
    progress,
    run: (values: readonly CheckedValue[], fields: Creation['fields']) => {
      running.current = new AbortController()
      void run({ values, fields, signal: running.current.signal, onStep: setProgress })
    },
    stop: () => running.current?.abort(),
  }
}
