import { foldIod, foldValue, hasStatus, type Iod, paths } from '@iodine/contracts'
import { useCallback } from 'react'
import { type Quote, useAddQuote } from './add-quote'
import { errorToast } from './error-toast'
import type { Toast } from './host-contract'
import { useHost } from './use-host'

const CONFLICT = 409

/** What the user wanted to quote as evidence of the refused IOD. */
export interface QuoteOffer {
  quote: Quote
  /** Called once the existing IOD has it. */
  onAdded: () => void
}

/**
 * Returns a function that makes the toast of an IOD that could not be created, as `errorToast` does. If the IOD
 * exists already, the toast offers to open it, and to add the quote that the new one would have had.
 * @param open opens an IOD by its id; by default its side panel in the section of IODs
 */
export function useIodErrorToast(open?: (id: string) => void) {
  const { api, navigate, notify } = useHost()
  const { toExisting } = useAddQuote()
  return useCallback(
    (
      error: unknown,
      iod: Pick<Iod, 'value' | 'category'>,
      fallback: string,
      change?: Partial<Toast>,
      offer?: QuoteOffer | null,
    ): Toast => {
      const toast = errorToast(error, fallback, change)
      if (!hasStatus(error, CONFLICT)) return toast
      const find = async (): Promise<string> => {
        const found = await api.call('POST /iods/lookup', { body: { values: [foldValue(iod.value)] } })
        const existing = found.find(each => each.category === iod.category && foldIod(each) === foldIod(iod))
        if (!existing) throw new Error('The look-up does not find the IOD')
        return existing.id
      }
      const openIt = {
        text: 'Open it',
        onClick: () => {
          find()
            .then(id => (open ? open(id) : navigate(paths.iod(id))))
            .catch(cause => notify(errorToast(cause, 'The IOD could not be opened')))
        },
      }
      if (!offer) return { ...toast, action: openIt }
      const addQuote = async () => {
        if (await toExisting(await find(), offer.quote)) offer.onAdded()
      }
      const addIt = {
        text: 'Add your quote to the existing IOD',
        onClick: () => {
          addQuote().catch(cause => notify(errorToast(cause, 'Your quote was not added')))
        },
      }
      return { ...toast, actions: [openIt, addIt] }
    },
    [api, navigate, notify, open, toExisting],
  )
}
