import { type AddressChange, LIMITS } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { Button, DateTime, LoadingPanel } from '@iodine/ui'
import { EnvelopeIcon } from '@iodine/ui/icons'
import { DialogButton } from '@iodine/ui/overlays'
import { useShell } from '../app/HostProvider'
import { FieldForm } from './FieldForm'
import { ItemRow, ItemRows } from './ItemRow'
import styles from './Profile.module.css'
import { ProfileCard } from './ProfileCard'

const QUERY_KEY = ['address-change']
const POLL_MS = 5_000

/** The email address of the account, and its change. */
export function AddressCard() {
  const { api, session } = useShell()
  const queryClient = useQueryClient()
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async ({ signal }) => {
      const change = await api.call('GET /profile/address-change', { signal })
      // Both addresses have confirmed the change, perhaps in another browser: reload the account.
      if (change === null && queryClient.getQueryData(QUERY_KEY)) await session.reload()
      return change
    },
    refetchInterval: ({ state: { data } }) => (data ? POLL_MS : false),
  })
  return (
    <ProfileCard
      title="Email address"
      about="We send sign-in links to your email address. You confirm a new address from the old and the new mailbox."
    >
      <LoadingPanel query={query} errorTitle="Unable to load the pending change" compact>
        {change => (
          <>
            {change && <Pending change={change} />}
            <div className={styles.row}>
              <DialogButton
                button={{ text: change ? 'Use another address' : 'Change email address' }}
                title="Change your email address"
              >
                {close => <AddressForm onClose={close} />}
              </DialogButton>
            </div>
          </>
        )}
      </LoadingPanel>
    </ProfileCard>
  )
}

function Pending({ change }: { change: AddressChange }) {
  const { api } = useHost()
  const withdraw = useAction({
    mutationFn: () => api.call('DELETE /profile/address-change'),
    done: { title: 'Your email address stays the same', duration: 3000 },
    failed: 'Unable to cancel the change',
    invalidates: [QUERY_KEY],
  })
  return (
    <ItemRows>
      <ItemRow
        icon={<EnvelopeIcon />}
        name={change.new_email}
        about={
          <>
            {waitsFor(change)} The links work until <DateTime value={change.expires_at} />.
          </>
        }
        actions={
          <Button
            variant="outlined"
            text="Cancel change"
            loading={withdraw.isPending}
            onClick={() => void withdraw.run()}
          />
        }
      />
    </ItemRows>
  )
}

const waitsFor = ({ old_confirmed, new_confirmed }: AddressChange): string =>
  old_confirmed
    ? 'Waiting for confirmation from the new address.'
    : new_confirmed
      ? 'Waiting for confirmation from your current address.'
      : 'Waiting for confirmation from both addresses.'

function AddressForm({ onClose }: { onClose: () => void }) {
  const { api } = useHost()
  const ask = useAction({
    mutationFn: (email: string) => api.call('POST /profile/address-change', { body: { email } }),
    done: { title: 'Check both mailboxes', description: 'We sent a link to each address.' },
    failed: 'Unable to change your email address',
    invalidates: [QUERY_KEY],
  })
  return (
    <FieldForm
      label="New email address"
      type="email"
      autoComplete="email"
      missing="The new email address cannot be empty"
      submitLabel="Send links"
      onSubmit={ask.run}
      onClose={onClose}
      note={
        <p className={styles.muted}>
          We send a link to your current and to the new address. Your email address changes once you open and
          confirm both links within {LIMITS.addressChangeMs / 3_600_000} hours.
        </p>
      }
    />
  )
}
