import { hasStatus, isUnauthorized, type NewEvidence, paths } from '@iodine/contracts'
import { useQueryClient } from '@iodine/mfe-kit/query'
import { errorDetail } from '@iodine/ui'
import { useCallback } from 'react'
import { useHost } from './use-host'

/** Key of everything that is read of evidence. */
export const EVIDENCE = ['evidence']

const CONFLICT = 409
const INVALID = 422

/** The words that an IOD is created from, and where they stand. */
export type Quote = NewEvidence

/**
 * Returns two functions that add a quote to an IOD as evidence; both tell a failure by a toast and resolve to
 * whether the IOD has the quote now. `afterCreation` is for an IOD just created, and says nothing on success:
 * the toast of the creation stands. `toExisting` is for one that somebody has created before.
 */
export function useAddQuote() {
  const { api, navigate, notify } = useHost()
  const client = useQueryClient()
  const add = useCallback(
    async (iodId: string, quote: Quote, failed: string): Promise<boolean> => {
      try {
        await api.call('POST /iods/:id/evidence', { params: { id: iodId }, body: quote })
      } catch (error) {
        // It is quoted already: by this user in another tab, or by somebody else.
        if (hasStatus(error, CONFLICT)) return true
        const why = hasStatus(error, INVALID)
          ? 'The words that you chose are not there any more, or do not say the IOD’s value.'
          : errorDetail(error, 'The server could not be reached.')
        if (!isUnauthorized(error))
          notify({ title: failed, description: why, status: 'warning', key: `quote ${iodId}` })
        return false
      }
      void client.invalidateQueries({ queryKey: EVIDENCE })
      return true
    },
    [api, client, notify],
  )
  const afterCreation = useCallback(
    (iodId: string, quote: Quote) => add(iodId, quote, 'The IOD was created, but without its quote'),
    [add],
  )
  const toExisting = useCallback(
    async (iodId: string, quote: Quote): Promise<boolean> => {
      const isAdded = await add(iodId, quote, 'Your quote was not added')
      if (isAdded)
        notify({
          title: 'Your quote is evidence of the IOD',
          status: 'success',
          key: iodId,
          action: { text: 'View', onClick: () => navigate(paths.iod(iodId)) },
        })
      return isAdded
    },
    [add, navigate, notify],
  )
  return { afterCreation, toExisting }
}
