import type { Iod, Triplet } from '@iodine/contracts'
import { useHost, useIodErrorToast, useSections } from '@iodine/mfe-kit'
import { useRetained } from '@iodine/ui'
import type { IodDraft } from '@iodine/ui/overlays'
import { lazy, Suspense } from 'react'
import { tripletDescription, tripletValue } from '../model/triplets'
import { useConvertTriplet } from '../queries/triplet-iods'

const IodDialog = lazy(() =>
  import('@iodine/ui/overlays').then(overlays => ({ default: overlays.IodDialog })),
)

export interface ConvertDialogProps {
  /** The triplet to convert; null closes the dialog. */
  triplet: Triplet | null
  onClose: () => void
}

/** The dialog 'Convert to IOD'. Its code is loaded on first use. */
export function ConvertDialog({ triplet, onClose }: ConvertDialogProps) {
  const { notify, session } = useHost()
  const { afterCreation } = useSections()
  const errorToastOf = useIodErrorToast()
  const convert = useConvertTriplet()
  const shown = useRetained(triplet)
  if (!shown) return null

  const create = async ({ value, description }: IodDraft): Promise<boolean> => {
    let created: Iod
    try {
      created = await convert(shown, value, description)
    } catch (error) {
      notify(errorToastOf(error, { value, category: 'NARRATIVE_TRIPLET' }, 'Unable to create IOD'))
      return false
    }
    notify({ status: 'success', title: 'IOD created', key: created.id, actions: afterCreation(created.id) })
    return true
  }

  return (
    <Suspense fallback={null}>
      <IodDialog
        key={shown.id}
        isOpen={triplet !== null}
        title="Convert to IOD"
        initial={{ value: tripletValue(shown), description: tripletDescription(shown) }}
        labels={{ value: 'IOD Value' }}
        draftName={`${session.user.id}:triplet:${shown.id}`}
        canSubmit={draft => draft.value.trim() !== ''}
        onSubmit={create}
        onClose={onClose}
      />
    </Suspense>
  )
}
