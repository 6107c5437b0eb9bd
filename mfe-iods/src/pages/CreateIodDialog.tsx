import { CATEGORIES } from '@iodine/contracts'
import { errorDetail, useHost } from '@iodine/mfe-kit'
import { IodDialog, type IodDraft } from '@iodine/ui/overlays'

/** The category of triplets, which are made in Narratives. */
const MANUAL_CATEGORIES = CATEGORIES.filter(category => category !== 'NARRATIVE_TRIPLET')

export interface CreateIodDialogProps {
  isOpen: boolean
  onClose: () => void
  onCreated: () => void
}

export function CreateIodDialog({ isOpen, onClose, onCreated }: CreateIodDialogProps) {
  const { api, notify } = useHost()
  const submit = async ({ value, category, description, source }: IodDraft): Promise<boolean> => {
    if (value.trim() === '' || category === '' || description.trim() === '') {
      notify({
        title: 'Champs manquants',
        description: 'Veuillez remplir tous les champs requis',
        status: 'warning',
      })
      return false
    }
    try {
      await api.call('POST /iods', {
        body: { value, category, description, source_type: 'MANUAL', source: source.trim() || null },
      })
    } catch (error) {
      const detail = errorDetail(error, "Une erreur est survenue lors de la création de l'IOD")
      notify({ title: 'Erreur', description: detail, status: 'error' })
      return false
    }
    notify({ title: 'IOD créé', status: 'success' })
    onCreated()
    return true
  }
  return (
    <IodDialog
      isOpen={isOpen}
      title="Create New IOD"
      categories={MANUAL_CATEGORIES}
      labels={{ category: 'Type' }}
      required={['value', 'category', 'description']}
      withSource
      onSubmit={submit}
      onClose={onClose}
    />
  )
}
