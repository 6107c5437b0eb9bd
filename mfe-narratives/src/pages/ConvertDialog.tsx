import type { Iod, Triplet } from '@iodine/contracts'
import { errorDetail, useHost } from '@iodine/mfe-kit'
import type { IodDraft } from '@iodine/ui/overlays'
import { lazy, Suspense, useRef } from 'react'
import { tripletDescription, tripletValue } from '../model/triplets'

const IodDialog = lazy(() =>
  import('@iodine/ui/overlays').then(overlays => ({ default: overlays.IodDialog })),
)

const CREATED_MS = 3_000

export interface ConvertDialogProps {
  /** The triplet to convert; null closes the dialog. */
  triplet: Triplet | null
  onClose: () => void
  onCreated: (iod: Iod) => void
  /** Called when the server made no IOD: perhaps another was quicker. */
  onRefused: () => void
}

/** The modal 'Convert to IOD'. Its code comes with its first use. */
export function ConvertDialog({ triplet, onClose, onCreated, onRefused }: ConvertDialogProps) {
  const { api, notify } = useHost()
  // Kept while the dialog closes, so that its fields don't empty before it is gone.
  const latest = useRef<Triplet | null>(null)
  if (triplet) latest.current = triplet
  const shown = latest.current
  if (!shown) return null

  const create = async ({ value, description }: IodDraft): Promise<boolean> => {
    try {
      const iod = await api.call('POST /iods', {
        body: {
          value,
          category: 'NARRATIVE_TRIPLET',
          description,
          source_type: 'NARRATIVES',
          source: shown.narrative_data.src,
          source_id: shown.id,
        },
      })
      onCreated(iod)
      notify({ status: 'success', title: 'IOD created', duration: CREATED_MS })
      return true
    } catch (error) {
      onRefused()
      notify({ status: 'error', title: 'Error', description: errorDetail(error, 'Unable to create IOD') })
      return false
    }
  }

  return (
    <Suspense fallback={null}>
      <IodDialog
        key={shown.id}
        isOpen={triplet !== null}
        title="Convert to IOD"
        initial={{ value: tripletValue(shown), description: tripletDescription(shown) }}
        labels={{ value: 'IOD Value' }}
        canSubmit={draft => draft.value.trim() !== ''}
        onSubmit={create}
        onClose={onClose}
      />
    </Suspense>
  )
}
