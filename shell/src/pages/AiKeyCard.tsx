import { errorDetail } from '@iodine/mfe-kit'
import { Button, Card, FormGroup, InputGroup, Tag } from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { type FormEvent, useId, useState } from 'react'
import { useHost } from '../app/HostProvider'
import styles from './Profile.module.css'

export interface AiKeyCardProps {
  configured: boolean
  /** Called after the server has taken a change. */
  onChanged: () => Promise<void>
}

/** Whether the user's AI provider key is there, and how to add, replace or delete it; the key itself is never shown. */
export function AiKeyCard({ configured, onChanged }: AiKeyCardProps) {
  const { api, notify } = useHost()
  const [editing, setEditing] = useState(false)
  const [title, setTitle] = useState('')
  const [deleting, setDeleting] = useState(false)

  // Settled at opening: it must not change while the dialog closes after a save.
  const open = () => {
    setTitle(configured ? 'Edit your OpenAI API key' : 'Add your OpenAI API key')
    setEditing(true)
  }
  const close = () => setEditing(false)
  const remove = async () => {
    setDeleting(true)
    try {
      await api.call('DELETE /profile/remove-openai-key')
      notify({ title: 'API key deleted', status: 'success', duration: 3000 })
      await onChanged()
    } catch (error) {
      notify({ title: 'Error', description: errorDetail(error, 'Unable to delete API key'), status: 'error' })
    } finally {
      setDeleting(false)
    }
  }

  return (
    <Card className={styles.card}>
      <div className={styles.row}>
        <h2 className={styles.cardTitle}>OpenAI API key</h2>
        <Tag minimal intent={configured ? 'success' : 'none'}>
          {configured ? 'Configured' : 'Not configured'}
        </Tag>
      </div>
      <p className={styles.muted}>
        Extracting narratives from a text needs a key of your own from the AI provider.
      </p>
      <div className={styles.row}>
        {configured ? (
          <>
            <Button text="Edit" aria-label="Edit API key" onClick={open} />
            <Button
              intent="danger"
              variant="outlined"
              text="Delete"
              aria-label="Delete API key"
              loading={deleting}
              onClick={remove}
            />
          </>
        ) : (
          <Button intent="primary" text="Add key" onClick={open} />
        )}
      </div>
      <Dialog isOpen={editing} onClose={close} title={title} canOutsideClickClose={false}>
        <AiKeyForm onSaved={onChanged} onClose={close} />
      </Dialog>
    </Card>
  )
}

interface AiKeyFormProps {
  onSaved: () => Promise<void>
  onClose: () => void
}

function AiKeyForm({ onSaved, onClose }: AiKeyFormProps) {
  const { api, notify } = useHost()
  const formId = useId()
  const [key, setKey] = useState('')
  const [saving, setSaving] = useState(false)

  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (key.trim() === '') {
      return notify({ title: 'Error', description: 'API key cannot be empty', status: 'error' })
    }
    setSaving(true)
    try {
      await api.call('POST /profile/update-openai-key', { body: { api_key: key.trim() } })
      notify({ title: 'API key saved', status: 'success', duration: 3000 })
      onClose()
      await onSaved()
    } catch (error) {
      notify({ title: 'Error', description: errorDetail(error, 'Unable to update API key'), status: 'error' })
      setSaving(false)
    }
  }

  return (
    <>
      <DialogBody>
        <form id={formId} onSubmit={save}>
          <FormGroup label="API key" labelFor="api-key">
            <InputGroup
              id="api-key"
              type="password"
              placeholder="sk-..."
              autoComplete="off"
              autoFocus
              value={key}
              onValueChange={setKey}
            />
          </FormGroup>
        </form>
        <p className={styles.muted}>Your key is stored securely and used only for your analyses.</p>
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <Button text="Cancel" onClick={onClose} />
            <Button type="submit" form={formId} intent="primary" text="Save" loading={saving} />
          </>
        }
      />
    </>
  )
}
