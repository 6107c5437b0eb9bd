import { FORM_CATEGORIES, IodForm } from '@iodine/mfe-kit'
import { usePanel } from './use-panel'

export interface CreateIodDialogProps {
  isOpen: boolean
  onClose: () => void
  onCreated: () => void
}

/** The form that creates an IOD manually. Its toasts are in French. */
export function CreateIodDialog({ isOpen, onClose, onCreated }: CreateIodDialogProps) {
  const panel = usePanel()
  return (
    <IodForm
      isOpen={isOpen}
      title="Create New IOD"
      categories={FORM_CATEGORIES}
      labels={{ category: 'Type' }}
      required={['value', 'category', 'description']}
      withSource
      draftName="iod"
      missing={{
        title: 'Champs manquants',
        description: 'Veuillez remplir tous les champs requis',
        lang: 'fr',
        status: 'warning',
      }}
      done={() => ({ title: 'IOD créé' })}
      failed={{
        title: 'Erreur',
        description: "Une erreur est survenue lors de la création de l'IOD",
        lang: 'fr',
      }}
      onOpen={id => {
        onClose()
        panel.open(id)
      }}
      onCreated={onCreated}
      onClose={onClose}
    />
  )
}
