import { hasStatus, type NewEvidence, paths } from '@iodine/contracts'
import { errorDetail } from '@iodine/ui'
import { useAction } from './action'
import { useHost } from './use-host'

/** Query key prefix of all evidence. */
export const EVIDENCE = ['evidence']

const CONFLICT = 409
const INVALID = 422

/** The quote that an IOD is created from, with its position. */
export type Quote = NewEvidence

/** Returns a function that adds a quote to an IOD as evidence; it resolves to whether the IOD has the quote. */
export function useAddQuote() {
  const { api, navigate } = useHost()
  const { run } = useAction({
    mutationFn: async ({ iodId, quote }: QuoteInput): Promise<unknown> =>
      api.call('POST /iods/:id/evidence', { params: { id: iodId }, body: quote }).catch(error => {
        // This quote is already evidence of the IOD.
        if (!hasStatus(error, CONFLICT)) throw error
      }),
    invalidates: [EVIDENCE],
    done: (_, { iodId, isNew }) =>
      // The toast of the creation already informs the user.
      isNew
        ? null
        : {
            title: 'Quote added to the IOD as evidence',
            key: iodId,
            action: { text: 'View', onClick: () => navigate(paths.iod(iodId)) },
          },
    failed: (error, { iodId, isNew }) => ({
      title: isNew ? 'The IOD was created, but its quote could not be added' : 'Unable to add your quote',
      description: hasStatus(error, INVALID)
        ? 'The selected text has changed, or it does not match the IOD’s value.'
        : errorDetail(error, 'The server could not be reached.'),
      status: 'warning',
      key: `quote ${iodId}`,
    }),
  })
  return run
}

interface QuoteInput {
  iodId: string
  quote: Quote
  /** Whether the IOD was just created. */
  isNew: boolean
}
