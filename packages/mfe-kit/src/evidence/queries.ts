import type { Capture } from '@iodine/contracts'
import { FRESH_MS, usePagedQuery, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { EVIDENCE } from '../add-quote'
import { useHost } from '../use-host'

/** Query key prefix of all captures. */
export const CAPTURES = ['captures']

const PIECES_SHOWN = 20

/** Reads the evidence of an IOD, oldest first, paginated. */
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

/** Reads a capture: the user's own, or a shared one. */
export function useCapture(id: string | null, enabled = true) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...CAPTURES, 'one', id],
    queryFn: ({ signal }) => api.call('GET /captures/:id', { params: { id: id ?? '' }, signal }),
    enabled: enabled && id !== null,
    staleTime: FRESH_MS,
  })
}

/** Returns a function that refetches captures and evidence without waiting, so that a dialog can close at once. */
export function useRefresh(): () => void {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: CAPTURES })
    void client.invalidateQueries({ queryKey: EVIDENCE })
  }
}

/** Reads the capture's text, or the quoted field if the quote is from its record. */
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
      if (!blob) throw new Error('The capture contains no record')
      const params = { id, sha256: blob.sha256 }
      const bytes = await api.download('GET /captures/:id/blobs/:sha256', { params, signal })
      const { pointerValue } = await import('@iodine/evidence')
      const text = pointerValue(JSON.parse(await bytes.text()), pointer)
      if (text === undefined) throw new Error('The record has no such field')
      return text
    },
  })
}
