import { foldIod, foldValue, hasStatus, type Iod, paths } from '@iodine/contracts'
import { useAction } from './action'
import { type Quote, useAddQuote } from './add-quote'
import { errorToast } from './error-toast'
import type { Toast } from './host-contract'
import { useHost } from './use-host'

const CONFLICT = 409

/** The quote that the user wanted to add as evidence of the rejected IOD. */
export interface QuoteOffer {
  quote: Quote
  /** Called once the quote is evidence of the existing IOD. */
  onAdded: () => void
}

type Refused = Pick<Iod, 'value' | 'category'>

/**
 * Returns a function that creates the toast of an IOD that could not be created, like `errorToast`. If the IOD already
 * exists, the toast offers to open it and to add the quote to it.
 * @param open opens an IOD by its id; by default its side panel in the section of IODs
 */
export function useIodErrorToast(open?: (id: string) => void) {
  const { api, navigate } = useHost()
  const addQuote = useAddQuote()
  const find = async ({ value, category }: Refused): Promise<string> => {
    const found = await api.call('POST /iods/lookup', { body: { values: [foldValue(value)] } })
    const existing = found.find(
      each => each.category === category && foldIod(each) === foldIod({ value, category }),
    )
    if (!existing) throw new Error('The lookup does not find the IOD')
    return existing.id
  }
  const { run: openIt } = useAction({
    mutationFn: find,
    onSuccess: id => (open ? open(id) : navigate(paths.iod(id))),
    failed: 'Unable to open the IOD',
  })
  const { run: addIt } = useAction({
    mutationFn: ({ iod }: { iod: Refused; offer: QuoteOffer }) => find(iod),
    onSuccess: async (iodId, { offer: { quote, onAdded } }) => {
      if (await addQuote({ iodId, quote, isNew: false })) onAdded()
    },
    failed: 'Unable to add your quote',
  })
  return (
    error: unknown,
    iod: Refused,
    fallback: string,
    change?: Partial<Toast>,
    offer?: QuoteOffer | null,
  ): Toast => {
    const toast = errorToast(error, fallback, change)
    if (!hasStatus(error, CONFLICT)) return toast
    const toOpen = { text: 'Open IOD', onClick: () => void openIt(iod) }
    if (!offer) return { ...toast, action: toOpen }
    const toAdd = {
      text: 'Add your quote to the existing IOD',
      onClick: () => void addIt({ iod, offer }),
    }
    return { ...toast, actions: [toOpen, toAdd] }
  }
}
