import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { Button, Card, FormGroup, InputGroup, Tag, useMissingField, useRetained } from '@iodine/ui'
import { ConfirmDialog, Dialog, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import styles from './Profile.module.css'

export interface AiKeyCardProps {
  configured: boolean
  /** Called after a change. */
  onChanged: () => Promise<void>
}

/** Shows whether the user has a key for the AI provider; adds, replaces or deletes it. The key is never shown. */
export function AiKeyCard({ configured, onChanged }: AiKeyCardProps) {
  const { api } = useHost()
  const [editing, setEditing] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const title = useRetained(
    editing ? (configured ? 'Edit your OpenAI API key' : 'Add your OpenAI API key') : null,
  )

  const open = () => setEditing(true)
  const close = () => setEditing(false)
  const remove = useAction({
    mutationFn: () => api.call('DELETE /profile/remove-openai-key'),
    onSuccess: onChanged,
    done: { title: 'API key deleted', duration: 3000 },
    failed: 'Unable to delete API key',
  })

  return (
    <Card className={styles.card}>
      <div className={styles.row}>
        <h2 className={styles.cardTitle}>OpenAI API key</h2>
        <Tag minimal intent={configured ? 'success' : 'none'}>
          {configured ? 'Configured' : 'Not configured'}
        </Tag>
      </div>
      <p className={styles.muted}>You need your own OpenAI API key to extract narratives from texts.</p>
      <div className={styles.row}>
        {configured ? (
          <>
            <Button text="Edit" aria-label="Edit API key" onClick={open} />
            <Button
              intent="danger"
              variant="outlined"
              text="Delete"
              aria-label="Delete API key"
              onClick={() => setDeleting(true)}
            />
          </>
        ) : (
          <Button intent="primary" text="Add key" onClick={open} />
        )}
      </div>
      <Dialog isOpen={editing} onClose={close} title={title} canOutsideClickClose={false}>
        <AiKeyForm onChanged={onChanged} onClose={close} />
      </Dialog>
      <ConfirmDialog
        isOpen={deleting}
        title="Delete your OpenAI API key"
        confirmLabel="Delete"
        onConfirm={remove.run}
        onClose={() => setDeleting(false)}
      >
        Are you sure you want to delete your API key? You need it to extract narratives.
      </ConfirmDialog>
    </Card>
  )
}

function AiKeyForm({ onChanged, onClose }: Pick<AiKeyCardProps, 'onChanged'> & { onClose: () => void }) {
  const { api, notify } = useHost()
  const [key, setKey] = useState('')
  const { groupProps, fieldProps, setMissing } = useMissingField<'key'>()
  const save = useAction({
    mutationFn: (api_key: string) => api.call('POST /profile/update-openai-key', { body: { api_key } }),
    onSuccess: () => void onChanged(),
    done: { title: 'API key saved', duration: 3000 },
    failed: 'Unable to update API key',
  })
  const submit = async (): Promise<boolean> => {
    if (key.trim() !== '') return save.run(key.trim())
    notify(errorToast(null, 'API key cannot be empty'))
    setMissing('key')
    return false
  }
  return (
    <DialogForm
      submitLabel="Save"
      onSubmit={submit}
      onClose={onClose}
      note={<p className={styles.muted}>Your key is stored securely and used only for your analyses.</p>}
    >
      <FormGroup label="API key" {...groupProps('key')}>
        <InputGroup
          {...fieldProps('key')}
          type="password"
          placeholder="sk-..."
          autoComplete="off"
          autoFocus
          value={key}
          onValueChange={key => {
            setMissing()
            setKey(key)
          }}
        />
      </FormGroup>
    </DialogForm>
  )
}
