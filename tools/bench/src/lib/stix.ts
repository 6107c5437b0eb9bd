import { importsApi } from '@iodine/contracts'
import type { ApiClient } from '@iodine/test-kit'

const idOf = (type: string, n: number) => `${type}--00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Returns a STIX bundle: every `share`-th object is an indicator, the others are imported unchanged. */
export const bundleOf = (
  objects: number,
  share: number,
  mark: string,
  padding: number,
): Uint8Array<ArrayBuffer> => {
  const list = Array.from({ length: objects }, (_, n) =>
    n % share === 0
      ? `{"type":"indicator","id":"${idOf('indicator', n)}","modified":"2026-01-01T00:00:00Z","pattern_type":"stix","pattern":"[url:value = 'https://example.org/${mark}/${n}']","x":"${'i'.repeat(padding)}"}`
      : `{"type":"x-note","id":"${idOf('x-note', n)}","modified":"2026-01-01T00:00:00Z","text":"${'n'.repeat(padding)}${mark}${n}"}`,
  )
  return new TextEncoder().encode(`{"type":"bundle","objects":[${list.join(',')}]}`)
}

/**
 * Polls an import until `isReached` accepts its state and the share of completed objects. Rejects if the import has
 * failed.
 */
export const untilImport = async (
  api: ApiClient,
  id: string,
  isReached: (state: string, share: number) => boolean,
  everyMs = 20,
): Promise<void> => {
  for (;;) {
    const { state, done, objects, problem } = await api.call(importsApi.getImport, { params: { id } })
    if (isReached(state, done / (objects ?? Number.POSITIVE_INFINITY))) return
    if (state === 'failed') throw new Error(problem ?? 'failed')
    await new Promise(resolve => setTimeout(resolve, everyMs))
  }
}
