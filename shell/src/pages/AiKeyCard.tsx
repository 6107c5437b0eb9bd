import { useAction, useHost } from '@iodine/mfe-kit'
import { Tag } from '@iodine/ui'
import { ConfirmButton, DialogButton } from '@iodine/ui/overlays'
import { FieldForm } from './FieldForm'
import styles from './Profile.module.css'
import { ProfileCard } from './ProfileCard'

export interface AiKeyCardProps {
  configured: boolean
  /** Called after a change. */
  onChanged: () => Promise<void>
}

/** Shows whether the user has a key for the AI provider; adds, replaces or deletes it. The key is never shown. */
export function AiKeyCard({ configured, onChanged }: AiKeyCardProps) {
  const { api } = useHost()
  const save = useAction({
    mutationFn: (api_key: string) => api.call('POST /profile/update-openai-key', { body: { api_key } }),
    onSuccess: () => void onChanged(),
    done: { title: 'API key saved', duration: 3000 },
    failed: 'Unable to update API key',
  })
  const remove = useAction({
    mutationFn: () => api.call('DELETE /profile/remove-openai-key'),
    onSuccess: onChanged,
    done: { title: 'API key deleted', duration: 3000 },
    failed: 'Unable to delete API key',
  })
  return (
    <ProfileCard
      title="OpenAI API key"
      tag={
        <Tag minimal intent={configured ? 'success' : 'none'}>
          {configured ? 'Configured' : 'Not configured'}
        </Tag>
      }
      about="You need your own OpenAI API key to extract narratives from texts."
    >
      <div className={styles.row}>
        <DialogButton
          button={
            configured
              ? { text: 'Edit', 'aria-label': 'Edit API key' }
              : { text: 'Add key', intent: 'primary' }
          }
          title={configured ? 'Edit your OpenAI API key' : 'Add your OpenAI API key'}
        >
          {close => (
            <FieldForm
              label="API key"
              type="password"
              placeholder="sk-..."
              autoComplete="off"
              missing="API key cannot be empty"
              submitLabel="Save"
              onSubmit={save.run}
              onClose={close}
              note={
                <p className={styles.muted}>Your key is stored securely and used only for your analyses.</p>
              }
            />
          )}
        </DialogButton>
        {configured && (
          <ConfirmButton
            button={{
              intent: 'danger',
              variant: 'outlined',
              text: 'Delete',
              'aria-label': 'Delete API key',
            }}
            title="Delete your OpenAI API key"
            confirmLabel="Delete"
            onConfirm={remove.run}
          >
            Are you sure you want to delete your API key? You need it to extract narratives.
          </ConfirmButton>
        )}
      </div>
    </ProfileCard>
  )
}
