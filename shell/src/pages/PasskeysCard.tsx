import { DETAILS, LIMITS, type Passkey } from '@iodine/contracts'
import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { DateTime, formatRelative, LoadingPanel } from '@iodine/ui'
import { KeyIcon } from '@iodine/ui/icons'
import { ConfirmButton, DialogButton } from '@iodine/ui/overlays'
import { browserSupportsWebAuthn } from '@simplewebauthn/browser'
import { addPasskey, isPasskeyKnown } from '../session/passkeys'
import { FieldForm } from './FieldForm'
import { ItemRow, ItemRows } from './ItemRow'
import styles from './Profile.module.css'
import { ProfileCard } from './ProfileCard'

const QUERY_KEY = ['passkeys']

/** The user's passkeys: adds, names and removes them. */
export function PasskeysCard() {
  const { api } = useHost()
  const query = useQuery({ queryKey: QUERY_KEY, queryFn: () => api.call('GET /profile/passkeys') })
  return (
    <ProfileCard
      title="Passkeys"
      about="Sign in with your device’s screen lock or a security key instead of an email. Sign-in links still work."
    >
      <LoadingPanel query={query} errorTitle="Unable to load passkeys" compact>
        {passkeys => (
          <ItemRows>
            {passkeys.map(passkey => (
              <Row key={passkey.id} passkey={passkey} />
            ))}
          </ItemRows>
        )}
      </LoadingPanel>
      {browserSupportsWebAuthn() ? (
        <div className={styles.row}>
          <DialogButton button={{ text: 'Add a passkey' }} title="Add a passkey">
            {close => <NewPasskey onClose={close} />}
          </DialogButton>
        </div>
      ) : (
        <p className={styles.muted}>This browser does not support passkeys.</p>
      )}
    </ProfileCard>
  )
}

function Row({ passkey }: { passkey: Passkey }) {
  const { api } = useHost()
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
          <DialogButton
            button={{
              variant: 'minimal',
              text: 'Rename',
              'aria-label': `Rename passkey: ${passkey.name}`,
            }}
            title="Rename a passkey"
          >
            {close => (
              <NameForm name={passkey.name} submitLabel="Save" onSubmit={rename.run} onClose={close} />
            )}
          </DialogButton>
          <ConfirmButton
            button={{
              variant: 'outlined',
              intent: 'danger',
              text: 'Remove',
              'aria-label': `Remove passkey: ${passkey.name}`,
            }}
            title="Remove a passkey"
            confirmLabel="Remove"
            onConfirm={remove.run}
          >
            You can no longer sign in with “<bdi>{passkey.name}</bdi>”. Sessions that it opened stay active
            until you end them.
          </ConfirmButton>
        </>
      }
    />
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

function NameForm({ name, ...form }: NameFormProps) {
  return (
    <FieldForm
      {...form}
      initial={name}
      label="Name"
      helperText="Helps you tell your passkeys apart"
      placeholder="Laptop"
      autoComplete="off"
      maxLength={LIMITS.passkeyNameMax}
      missing="A name is required"
    />
  )
}
