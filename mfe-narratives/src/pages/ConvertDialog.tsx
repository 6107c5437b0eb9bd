import type { Iod, Narrative, Triplet } from '@iodine/contracts'
import { errorDetail, hasStatus, useAddQuote, useHost, useIodErrorToast, useSections } from '@iodine/mfe-kit'
import { useRetained } from '@iodine/ui'
import type { IodDraft } from '@iodine/ui/overlays'
import { lazy, Suspense } from 'react'
import { quoteOf, tripletDescription, tripletValue } from '../model/triplets'
import { useReadCitations } from '../queries/citations'
import { useConvertTriplet } from '../queries/triplet-iods'

const IodDialog = lazy(() =>
  import('@iodine/ui/overlays').then(overlays => ({ default: overlays.IodDialog })),
)

/** A triplet of a narrative. */
export interface Said {
  narrative: Narrative
  triplet: Triplet
}

export interface ConvertDialogProps {
  /** The triplet to convert; null closes the dialog. */
  said: Said | null
  onClose: () => void
  /** Called once an IOD that exists already has the triplet's sentence as its evidence. */
  onQuoted: (said: Said) => void
}

/** The dialog 'Convert to IOD'. Its code is loaded on first use. */
export function ConvertDialog({ said, onClose, onQuoted }: ConvertDialogProps) {
  const { notify, session } = useHost()
  const { afterCreation } = useSections()
  const errorToastOf = useIodErrorToast()
  const addQuote = useAddQuote()
  const readCitations = useReadCitations()
  const convert = useConvertTriplet()
  const shown = useRetained(said)
  if (!shown) return null
  const { narrative, triplet } = shown

  /** The triplet's sentence; null if none is found. */
  const readQuote = async () => quoteOf(narrative, triplet, await readCitations(narrative.id))
  const addEvidence = async (iodId: string) => {
    try {
      const quote = await readQuote()
      if (quote) await addQuote.afterCreation(iodId, quote)
    } catch (error) {
      const description = errorDetail(error, 'Its sentence could not be read.')
      notify({ title: 'The IOD was created, but without its quote', description, status: 'warning' })
    }
  }
  const create = async ({ value, description }: IodDraft): Promise<boolean> => {
    let created: Iod
    try {
      created = await convert(triplet, value, description)
    } catch (error) {
      const quote = hasStatus(error, 409) ? await readQuote().catch(() => null) : null
      const offer = quote && { quote, onAdded: () => onQuoted(shown) }
      const refused = { value, category: 'NARRATIVE_TRIPLET' } as const
      notify(errorToastOf(error, refused, 'Unable to create IOD', {}, offer))
      return false
    }
    notify({ status: 'success', title: 'IOD created', key: created.id, actions: afterCreation(created.id) })
    void addEvidence(created.id)
    return true
  }

  return (
    <Suspense fallback={null}>
      <IodDialog
        key={triplet.id}
        isOpen={said !== null}
        title="Convert to IOD"
        initial={{ value: tripletValue(triplet), description: tripletDescription(triplet) }}
        labels={{ value: 'IOD Value' }}
        draftName={`${session.user.id}:triplet:${triplet.id}`}
        canSubmit={draft => draft.value.trim() !== ''}
        onSubmit={create}
        onClose={onClose}
      />
    </Suspense>
  )
}
