import { LIMITS, type Page, type Source, type Stored } from '@iodine/contracts'
import { type ApiClient, errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { formatAmount, saveFile } from '@iodine/ui'
import { useEffect, useRef, useState } from 'react'
import { type Exported, type ExportFormat, type Scope, WRITERS } from '../model/export-records'

/** Records of a request: a page of the largest records stays below the memory of a tab. */
const PAGE_SIZE = Math.min(100, LIMITS.listLimitMax)

interface Export {
  scope: Scope
  format: ExportFormat
  signal: AbortSignal
  /** Receives the number of records read so far. */
  onStep: (read: number) => void
}

interface Sum {
  name: string
  written: number
  /** Number of records that the format has no place for. */
  omitted: number
}

async function* readRecords(
  api: ApiClient,
  { sources, term, analyzed, ids }: Scope,
  signal: AbortSignal,
): AsyncGenerator<Exported> {
  for (const source of sources) {
    let cursor: string | null = null
    let missing = ids?.size ?? Number.POSITIVE_INFINITY
    do {
      const query = { ...analyzed, limit: PAGE_SIZE, ...(term && { q: term }), ...(cursor && { cursor }) }
      const page: Page<Stored<Source>[]> = await api.page('GET /:source/data', {
        params: { source },
        query,
        signal,
      })
      for (const record of page.items) {
        if (ids && !ids.has(record.id)) continue
        missing -= 1
        yield { source, record } as Exported
      }
      cursor = page.nextCursor
    } while (cursor && missing > 0)
  }
}

/** Reads records page by page and saves them: my_data_{YYYY-MM-DD, UTC} and the extension. */
export async function exportRecords(api: ApiClient, { scope, format, signal, onStep }: Export): Promise<Sum> {
  const { extension, mediaType, start, between, end, write } = WRITERS[format]
  // A Blob of Blobs: the browser may move the parts out of memory.
  const parts: Blob[] = []
  let text = start
  let [read, written] = [0, 0]
  for await (const exported of readRecords(api, scope, signal)) {
    read += 1
    const one = write(exported)
    if (one !== undefined) {
      text += written > 0 ? between + one : one
      written += 1
    }
    if (read % PAGE_SIZE !== 0) continue
    parts.push(new Blob([text]))
    text = ''
    onStep(read)
  }
  const name = `my_data_${new Date().toISOString().slice(0, 10)}.${extension}`
  if (written > 0) saveFile(name, new Blob([...parts, text + end], { type: mediaType }))
  return { name, written, omitted: read - written }
}

/** Exports records with progress. */
export function useExportRecords(onDone: () => void) {
  const { api } = useHost()
  const [read, setRead] = useState(0)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const { run, isPending } = useAction({
    mutationFn: (input: Export) => exportRecords(api, input),
    onMutate: () => setRead(0),
    onSuccess: onDone,
    done: ({ name, written, omitted }) => ({
      title: written > 0 ? `${formatAmount(written, 'record')} exported as ${name}` : 'No records to export',
      ...(omitted > 0 && {
        description: `${formatAmount(omitted, 'record')} left out: 4CAT reads only short videos with an author and a time.`,
      }),
      status: written === 0 || omitted > 0 ? 'warning' : 'success',
    }),
    failed: (error, { signal }) => (signal.aborted ? null : errorToast(error, 'Failed to export data')),
  })
  return {
    isPending,
    read,
    run: (scope: Scope, format: ExportFormat) => {
      running.current = new AbortController()
      void run({ scope, format, signal: running.current.signal, onStep: setRead })
    },
    cancel: () => running.current?.abort(),
  }
}
