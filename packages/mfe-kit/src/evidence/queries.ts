import type { Capture } from '@iodine/contracts'
import { FRESH_MS, usePagedQuery, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { EVIDENCE } from '../add-quote'
import { useHost } from '../use-host'

/** Key of everything that is read of captures. */
export const CAPTURES = ['captures']

const PIECES_SHOWN = 20

/** The evidence of an IOD, oldest first, paginated. */
export function useEvidence(iodId: string) {
  const { api } = useHost()
  return usePagedQuery({
    queryKey: [...EVIDENCE, 'of-iod', iodId],
    readPage: (page, signal) =>
      api.page('GET /iods/:id/evidence', {
        params: { id: iodId },
        query: { limit: PIECES_SHOWN, ...page },
        signal,
      }),
  })
}

/** A capture: the user's own, or one that its owner shares. */
export function useCapture(id: string | null, enabled = true) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...CAPTURES, 'one', id],
    queryFn: ({ signal }) => api.call('GET /captures/:id', { params: { id: id ?? '' }, signal }),
    enabled: enabled && id !== null,
    staleTime: FRESH_MS,
  })
}

/** Returns a function that reads captures and evidence again. A dialog that asked for the change closes meanwhile. */
export function useRefresh(): () => void {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: CAPTURES })
    void client.invalidateQueries({ queryKey: EVIDENCE })
  }
}

/** The capture's text; for a quote of its record, the quoted field's. */
export function useQuotedText(
  capture: Capture | undefined,
  { role, pointer }: { role: string; pointer: string },
) {
  const { api } = useHost()
  const id = capture?.id ?? ''
  return useQuery({
    queryKey: ['capture-text', id, role, pointer],
    enabled: capture !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<string> => {
      if (role !== 'record') {
        const { text } = await api.call('GET /captures/:id/text', { params: { id }, signal })
        return text
      }
      const blob = capture?.manifest.blobs.find(blob => blob.role === 'record')
      if (!blob) throw new Error('The capture holds no record')
      const params = { id, sha256: blob.sha256 }
      const bytes = await api.download('GET /captures/:id/blobs/:sha256', { params, signal })
      const { pointerValue } = await import('@iodine/evidence')
      const text = pointerValue(JSON.parse(await bytes.text()), pointer)
      if (text === undefined) throw new Error('The record has no such field')
      return text
    },
  })
}
