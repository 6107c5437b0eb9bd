import { CATEGORIES, type GraphNode, type Iod, isHttpUrl } from '@iodine/contracts'
import { useHost, useIodErrorToast, useSections } from '@iodine/mfe-kit'
import { useRetained } from '@iodine/ui'
import type { IodDraft } from '@iodine/ui/overlays'
import { lazy, Suspense } from 'react'

const IodDialog = lazy(() =>
  import('@iodine/ui/overlays').then(overlays => ({ default: overlays.IodDialog })),
)

/** An entity is a part of a triplet, not one. */
const ENTITY_CATEGORIES = CATEGORIES.filter(category => category !== 'NARRATIVE_TRIPLET')

export interface EntityDialogProps {
  /** The entity that becomes an IOD; null closes the dialog. */
  entity: GraphNode | null
  onClose: () => void
}

/** The form that creates an IOD of an entity. Its code is loaded on first use. */
export function EntityDialog({ entity, onClose }: EntityDialogProps) {
  const { api, notify, session } = useHost()
  const { afterCreation } = useSections()
  const errorToastOf = useIodErrorToast()
  const shown = useRetained(entity)
  if (!shown) return null

  const create = async ({ value, category, description, source }: IodDraft): Promise<boolean> => {
    if (value.trim() === '' || category === '' || description.trim() === '') {
      notify({
        status: 'warning',
        title: 'Missing fields',
        description: 'Please fill in all required fields',
      })
      return false
    }
    let created: Iod
    try {
      created = await api.call('POST /iods', {
        body: { value, category, description, source_type: 'MANUAL', source: source.trim() || null },
      })
    } catch (error) {
      notify(errorToastOf(error, { value, category }, 'Unable to create IOD'))
      return false
    }
    notify({ status: 'success', title: 'IOD created', key: created.id, actions: afterCreation(created.id) })
    return true
  }

  return (
    <Suspense fallback={null}>
      <IodDialog
        key={shown.id}
        isOpen={entity !== null}
        title="Create New IOD"
        initial={{
          value: shown.label,
          category: 'KEYWORDS',
          description: `Entity in narratives: ${shown.label}`,
          source: shown.sources.find(isHttpUrl) ?? '',
        }}
        categories={ENTITY_CATEGORIES}
        labels={{ category: 'Type' }}
        required={['value', 'category', 'description']}
        withSource
        draftName={`${session.user.id}:entity:${shown.id}`}
        onSubmit={create}
        onClose={onClose}
      />
    </Suspense>
  )
}
