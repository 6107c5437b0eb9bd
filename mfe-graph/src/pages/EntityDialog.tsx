import { type GraphNode, isHttpUrl } from '@iodine/contracts'
import { FORM_CATEGORIES, IodForm } from '@iodine/mfe-kit'
import { useRetained } from '@iodine/ui'

export interface EntityDialogProps {
  /** The entity that becomes an IOD; null closes the dialog. */
  entity: GraphNode | null
  onClose: () => void
}

/** The form that creates an IOD from an entity. */
export function EntityDialog({ entity, onClose }: EntityDialogProps) {
  const shown = useRetained(entity)
  if (!shown) return null
  return (
    <IodForm
      key={shown.id}
      isOpen={entity !== null}
      title="Create New IOD"
      initial={{
        value: shown.label,
        category: 'KEYWORDS',
        description: `Entity in narratives: ${shown.label}`,
        source: shown.sources.find(isHttpUrl) ?? '',
      }}
      categories={FORM_CATEGORIES}
      labels={{ category: 'Type' }}
      required={['value', 'category', 'description']}
      withSource
      draftName={`entity:${shown.id}`}
      missing={{
        status: 'warning',
        title: 'Missing fields',
        description: 'Please fill in all required fields',
      }}
      failed={{ description: 'Unable to create IOD' }}
      onClose={onClose}
    />
  )
}
