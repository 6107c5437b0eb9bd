import { hasStatus, type NewEvidence, paths } from '@iodine/contracts'
import { errorDetail } from '@iodine/ui'
import { useAction } from './action'
import { useHost } from './use-host'

/** Key of everything that is read of evidence. */
export const EVIDENCE = ['evidence']

const CONFLICT = 409
const INVALID = 422

/** The words that an IOD is created from, and where they stand. */
export type Quote = NewEvidence

/** Returns a function that adds a quote to an IOD as evidence; it resolves to whether the IOD has the quote. */
export function useAddQuote() {
  const { api, navigate } = useHost()
  const { run } = useAction({
    mutationFn: async ({ iodId, quote }: QuoteInput): Promise<unknown> =>
      api.call('POST /iods/:id/evidence', { params: { id: iodId }, body: quote }).catch(error => {
        // It is quoted already: by this user in another tab, or by another user.
        if (!hasStatus(error, CONFLICT)) throw error
      }),
    invalidates: [EVIDENCE],
    done: (_, { iodId, isNew }) =>
      // The toast of the creation stands.
      isNew
        ? null
        : {
            title: 'Your quote is evidence of the IOD',
            key: iodId,
            action: { text: 'View', onClick: () => navigate(paths.iod(iodId)) },
          },
    failed: (error, { iodId, isNew }) => ({
      title: isNew ? 'The IOD was created, but without its quote' : 'Your quote was not added',
      description: hasStatus(error, INVALID)
        ? 'The words that you chose are not there any more, or do not say the IOD’s value.'
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
