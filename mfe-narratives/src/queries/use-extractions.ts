import type { Narrative } from '@iodine/contracts'
import { errorDetail, hasStatus, isApiError, useHost } from '@iodine/mfe-kit'
import { useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback, useState, useSyncExternalStore } from 'react'
import { createExtractions, type Extraction, type Extractions } from '../model/extractions'
import { NARRATIVES_KEY } from './use-narratives'

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

/** Whether the provider's key is what is missing, by the answer's detail. */
const asksForKey = (error: unknown) =>
  hasStatus(error, 400) && isApiError(error) && /openai api key/i.test(errorDetail(error, ''))

/** Starting extractions, and those under way: they outlive the section and a reload. `keyFault` is why the key won't do. */
export function useExtractions() {
  const { api, notify, session } = useHost()
  const client = useQueryClient()
  const store = extractionsOf(session.user.id)
  const underWay = useSyncExternalStore(store.subscribe, store.getState)
  const [keyFault, setKeyFault] = useState<string | null>(null)

  const tellDone = useCallback(
    (triplets: number) =>
      notify({
        status: 'success',
        title: 'Narratives extracted',
        description: count(triplets),
        duration: SUCCESS_MS,
      }),
    [notify],
  )

  /** Resolves true once the narrative is stored or its extraction goes on without us. */
  const extract = async (
    text: string,
    src: string | null,
    listed: readonly Narrative[],
  ): Promise<boolean> => {
    const extraction = store.start(text, src, listed)
    if (!extraction) return false
    setKeyFault(null)
    try {
      const { triplets_extracted } = await api.call('POST /narratives', {
        body: { text, ...(src && { src }) },
      })
      tellDone(triplets_extracted)
      await client.invalidateQueries({ queryKey: NARRATIVES_KEY })
      store.end(extraction)
      return true
    } catch (error) {
      // Cancelled meanwhile: that the server knows it no more is as it should be.
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
      if (asksForKey(error)) {
        setKeyFault(errorDetail(error, KEY_HINT))
        notify({
          status: 'warning',
          title: 'OpenAI key required',
          description: KEY_HINT,
          duration: KEY_REQUIRED_MS,
        })
      } else {
        notify({
          status: 'error',
          title: 'Error',
          description: errorDetail(error, 'Error extracting narratives'),
        })
      }
      return false
    }
  }

  /** Has the server forget a text under way; what its extraction brings goes nowhere. */
  const cancel = async (extraction: Extraction, id: string): Promise<void> => {
    try {
      await api.call('DELETE /narratives/data/:id', { params: { id } })
      store.end(extraction)
    } catch (error) {
      // Done meanwhile: the list will show it.
      if (hasStatus(error, 404)) return
      notify({
        status: 'error',
        title: 'Error',
        description: errorDetail(error, 'Unable to delete narrative'),
      })
    }
  }

  /** Ends those whose narrative is in the list by now. */
  const settle = useCallback(
    (listed: readonly Narrative[]) => {
      for (const { narrative } of store.settle(listed)) tellDone(narrative.triplets.length)
    },
    [store, tellDone],
  )

  return { underWay, keyFault, extract, settle, isUnderWay: store.isUnderWay, cancel, dismiss: store.end }
}
