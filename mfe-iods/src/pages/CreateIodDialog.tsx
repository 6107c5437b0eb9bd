import { CATEGORIES } from '@iodine/contracts'
import { useHost, useIodErrorToast } from '@iodine/mfe-kit'
import { IodDialog, type IodDraft } from '@iodine/ui/overlays'
import { useCreateIod } from '../queries/create'
import { usePanel } from './use-panel'

/** All categories except that of triplets, whose IODs are created in Narratives. */
const MANUAL_CATEGORIES = CATEGORIES.filter(category => category !== 'NARRATIVE_TRIPLET')

export interface CreateIodDialogProps {
  isOpen: boolean
  onClose: () => void
  onCreated: () => void
}

/** The form that creates an IOD manually. Its toasts are in French. */
export function CreateIodDialog({ isOpen, onClose, onCreated }: CreateIodDialogProps) {
  const { notify, session } = useHost()
  const createIod = useCreateIod()
  const panel = usePanel()
  const iodErrorToast = useIodErrorToast(id => {
    onClose()
    panel.open(id)
  })
  const submit = async ({ value, category, description, source }: IodDraft): Promise<boolean> => {
    if (value.trim() === '' || category === '' || description.trim() === '') {
      notify({
        title: 'Champs manquants',
        description: 'Veuillez remplir tous les champs requis',
        lang: 'fr',
        status: 'warning',
      })
      return false
    }
    try {
      await createIod({ value, category, description, source_type: 'MANUAL', source: source.trim() || null })
    } catch (error) {
      const fallback = "Une erreur est survenue lors de la création de l'IOD"
      notify(iodErrorToast(error, { value, category }, fallback, { title: 'Erreur', lang: 'fr' }))
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
      draftName={`${session.user.id}:iod`}
      onSubmit={submit}
      onClose={onClose}
    />
  )
}
