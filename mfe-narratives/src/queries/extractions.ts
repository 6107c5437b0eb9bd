import type { Narrative } from '@iodine/contracts'
import {
  errorDetail,
  errorToast,
  hasStatus,
  isApiError,
  isUnauthorized,
  useAction,
  useHost,
} from '@iodine/mfe-kit'
import { useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback, useState, useSyncExternalStore } from 'react'
import { createExtractions, type Extraction, type Extractions } from '../model/extractions'
import { NARRATIVES_KEY } from './narratives'

const KEY_HINT = 'Please configure your OpenAI API key in your profile'
const KEY_REQUIRED_MS = 7_000
const SUCCESS_MS = 4_000

const stores = new Map<string, Extractions>()

function extractionsOf(userId: string): Extractions {
  let store = stores.get(userId)
  if (!store) {
    store = createExtractions(window.sessionStorage, `iodine:narratives:${userId}`)
    stores.set(userId, store)
  }
  return store
}

const count = (triplets: number) => `${triplets} ${triplets === 1 ? 'triplet' : 'triplets'} extracted`

/** Returns whether an extraction failed because of a missing API key, according to the error's detail. */
const isMissingKeyError = (error: unknown) =>
  hasStatus(error, 400) && isApiError(error) && /openai api key/i.test(errorDetail(error, ''))

/**
 * Starts extractions and lists those in progress, which continue while another section is displayed and after
 * a reload. `keyFault` is the error of the user's API key.
 */
export function useExtractions() {
  const { api, notify, session } = useHost()
  const client = useQueryClient()
  const store = extractionsOf(session.user.id)
  const underWay = useSyncExternalStore(store.subscribe, store.getState)
  const [keyFault, setKeyFault] = useState<string | null>(null)

  const notifyDone = useCallback(
    (triplets: number) =>
      notify({
        status: 'success',
        title: 'Narratives extracted',
        description: count(triplets),
        duration: SUCCESS_MS,
      }),
    [notify],
  )

  /** Resolves to true once the narrative is stored, or if the server continues after a timeout. */
  const extract = async (
    text: string,
    src: string | null,
    listed: readonly Narrative[],
  ): Promise<boolean> => {
    const extraction = store.start(text, src, listed)
    if (!extraction) return false
    setKeyFault(null)
    try {
      const body = { text, ...(src && { src }) }
      const { triplets_extracted } = await api.call('POST /narratives', { body })
      notifyDone(triplets_extracted)
      await client.invalidateQueries({ queryKey: NARRATIVES_KEY })
      store.end(extraction)
      return true
    } catch (error) {
      // The user has cancelled the extraction, so the error is expected.
      if (!store.has(extraction)) return false
      if (hasStatus(error, 504)) {
        store.wait(extraction)
        notify({
          status: 'info',
          title: errorDetail(error, 'Still working: the narrative will appear in your list'),
        })
        return true
      }
      store.end(extraction)
      if (isMissingKeyError(error)) {
        setKeyFault(errorDetail(error, KEY_HINT))
        notify({
          status: 'warning',
          title: 'OpenAI key required',
          description: KEY_HINT,
          duration: KEY_REQUIRED_MS,
        })
      } else if (!isUnauthorized(error)) {
        notify(errorToast(error, 'Error extracting narratives'))
      }
      return false
    }
  }

  /** Cancels an extraction: the server deletes the narrative and drops the result. */
  const { run: cancel } = useAction({
    mutationFn: ({ id }: { extraction: Extraction; id: string }) =>
      api.call('DELETE /narratives/data/:id', { params: { id } }),
    onSuccess: (_, { extraction }) => store.end(extraction),
    // The extraction has ended, so the list will show its narrative.
    failed: error => (hasStatus(error, 404) ? null : errorToast(error, 'Unable to delete narrative')),
  })

  /** Removes the extractions whose narratives are in the list. */
  const settle = useCallback(
    (listed: readonly Narrative[]) => {
      for (const { narrative } of store.settle(listed)) notifyDone(narrative.triplets.length)
    },
    [store, notifyDone],
  )

  return { underWay, keyFault, extract, settle, isUnderWay: store.isUnderWay, cancel, dismiss: store.end }
}
