import { DETAILS, LIMITS, type Passkey } from '@iodine/contracts'
import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import {
  Button,
  Card,
  DateTime,
  FormGroup,
  formatRelative,
  InputGroup,
  LoadingPanel,
  useMissingField,
} from '@iodine/ui'
import { KeyIcon } from '@iodine/ui/icons'
import { ConfirmDialog, Dialog, DialogForm } from '@iodine/ui/overlays'
import { browserSupportsWebAuthn } from '@simplewebauthn/browser'
import { useState } from 'react'
import { addPasskey, isPasskeyKnown } from '../session/passkeys'
import { ItemRow, ItemRows } from './ItemRow'
import styles from './Profile.module.css'

const QUERY_KEY = ['passkeys']

/** The user's passkeys: adds, names and removes them. */
export function PasskeysCard() {
  const [adding, setAdding] = useState(false)
  return (
    <Card className={styles.card}>
      <h2 className={styles.cardTitle}>Passkeys</h2>
      <p className={styles.muted}>
        Sign in with your device’s screen lock or a security key instead of an email. Sign-in links still
        work.
      </p>
      <Passkeys />
      {browserSupportsWebAuthn() ? (
        <div className={styles.row}>
          <Button text="Add a passkey" onClick={() => setAdding(true)} />
        </div>
      ) : (
        <p className={styles.muted}>This browser does not support passkeys.</p>
      )}
      <Dialog
        isOpen={adding}
        onClose={() => setAdding(false)}
        title="Add a passkey"
        canOutsideClickClose={false}
      >
        <NewPasskey onClose={() => setAdding(false)} />
      </Dialog>
    </Card>
  )
}

function Passkeys() {
  const { api } = useHost()
  const query = useQuery({ queryKey: QUERY_KEY, queryFn: () => api.call('GET /profile/passkeys') })
  return (
    <LoadingPanel query={query} errorTitle="Unable to load passkeys" compact>
      {passkeys => (
        <ItemRows>
          {passkeys.map(passkey => (
            <Row key={passkey.id} passkey={passkey} />
          ))}
        </ItemRows>
      )}
    </LoadingPanel>
  )
}

function Row({ passkey }: { passkey: Passkey }) {
  const { api } = useHost()
  const [dialog, setDialog] = useState<'rename' | 'remove' | null>(null)
  const close = () => setDialog(null)
  const params = { id: passkey.id }
  const remove = useAction({
    mutationFn: () => api.call('DELETE /profile/passkeys/:id', { params }),
    done: { title: 'Passkey removed', duration: 3000 },
    failed: 'Unable to remove the passkey',
    invalidates: [QUERY_KEY],
  })
  const rename = useAction({
    mutationFn: (name: string) => api.call('PATCH /profile/passkeys/:id', { params, body: { name } }),
    failed: 'Unable to rename the passkey',
    invalidates: [QUERY_KEY],
  })
  return (
    <>
      <ItemRow
        icon={<KeyIcon />}
        name={passkey.name}
        about={
          <>
            Added <DateTime value={passkey.created_at} /> ·{' '}
            {passkey.last_used_at ? (
              <>
                last used <DateTime value={passkey.last_used_at} format={formatRelative} />
              </>
            ) : (
              'never used'
            )}
          </>
        }
        actions={
          <>
            <Button
              variant="minimal"
              text="Rename"
              aria-label={`Rename passkey: ${passkey.name}`}
              onClick={() => setDialog('rename')}
            />
            <Button
              variant="outlined"
              intent="danger"
              text="Remove"
              aria-label={`Remove passkey: ${passkey.name}`}
              onClick={() => setDialog('remove')}
            />
          </>
        }
      />
      <Dialog isOpen={dialog === 'rename'} onClose={close} title="Rename a passkey">
        <NameForm name={passkey.name} submitLabel="Save" onSubmit={rename.run} onClose={close} />
      </Dialog>
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        title="Remove a passkey"
        confirmLabel="Remove"
        onConfirm={remove.run}
        onClose={close}
      >
        You can no longer sign in with “<bdi>{passkey.name}</bdi>”. Sessions that it opened stay active until
        you end them.
      </ConfirmDialog>
    </>
  )
}

/** The form for the name of a new passkey. Submitting it starts the browser's dialog. */
function NewPasskey({ onClose }: { onClose: () => void }) {
  const { api } = useHost()
  const add = useAction({
    mutationFn: async (name: string) => {
      if (!(await addPasskey(api, name))) throw new Cancelled()
    },
    done: { title: 'Passkey added', duration: 3000 },
    failed: error =>
      error instanceof Cancelled
        ? null
        : errorToast(error, isPasskeyKnown(error) ? DETAILS.passkeyKnown : 'Unable to add a passkey'),
    invalidates: [QUERY_KEY],
  })
  return <NameForm name="" submitLabel="Continue" onSubmit={add.run} onClose={onClose} />
}

class Cancelled extends Error {}

interface NameFormProps {
  name: string
  submitLabel: string
  onSubmit: (name: string) => Promise<boolean>
  onClose: () => void
}

function NameForm({ name, submitLabel, onSubmit, onClose }: NameFormProps) {
  const { notify } = useHost()
  const [draft, setDraft] = useState(name)
  const { groupProps, fieldProps, setMissing } = useMissingField<'name'>()
  const submit = async () => {
    if (draft.trim() !== '') return onSubmit(draft.trim())
    notify(errorToast(null, 'A name is required'))
    setMissing('name')
    return false
  }
  return (
    <DialogForm submitLabel={submitLabel} onSubmit={submit} onClose={onClose}>
      <FormGroup label="Name" helperText="Helps you tell your passkeys apart" {...groupProps('name')}>
        <InputGroup
          {...fieldProps('name')}
          placeholder="Laptop"
          autoComplete="off"
          autoFocus
          maxLength={LIMITS.passkeyNameMax}
          value={draft}
          onValueChange={draft => {
            setMissing()
            setDraft(draft)
          }}
        />
      </FormGroup>
    </DialogForm>
  )
}
