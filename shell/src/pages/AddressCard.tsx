import { type AddressChange, LIMITS } from '@iodine/contracts'
import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { Button, Card, DateTime, FormGroup, InputGroup, LoadingPanel, useMissingField } from '@iodine/ui'
import { EnvelopeIcon } from '@iodine/ui/icons'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useShell } from '../app/HostProvider'
import { ItemRow, ItemRows } from './ItemRow'
import styles from './Profile.module.css'

const QUERY_KEY = ['address-change']
const POLL_MS = 5_000

/** The address that signs the user in, and its change. */
export function AddressCard() {
  return (
    <Card className={styles.card}>
      <h2 className={styles.cardTitle}>Address</h2>
      <p className={styles.muted}>
        Links to sign in go to your address. A new one has to be confirmed from it and from the old one.
      </p>
      <Change />
    </Card>
  )
}

function Change() {
  const { api, session } = useShell()
  const queryClient = useQueryClient()
  const [asking, setAsking] = useState(false)
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async ({ signal }) => {
      const change = await api.call('GET /profile/address-change', { signal })
      // It was confirmed from both, perhaps in another browser: the account has another address now.
      if (change === null && queryClient.getQueryData(QUERY_KEY)) await session.reload()
      return change
    },
    refetchInterval: ({ state: { data } }) => (data ? POLL_MS : false),
  })
  return (
    <>
      <LoadingPanel query={query} errorTitle="Unable to load the change of your address">
        {change => (
          <>
            {change && <Pending change={change} />}
            <div className={styles.row}>
              <Button
                text={change ? 'Change it to another one' : 'Change address'}
                onClick={() => setAsking(true)}
              />
            </div>
          </>
        )}
      </LoadingPanel>
      <Dialog
        isOpen={asking}
        onClose={() => setAsking(false)}
        title="Change your address"
        canOutsideClickClose={false}
      >
        <AddressForm onClose={() => setAsking(false)} />
      </Dialog>
    </>
  )
}

function Pending({ change }: { change: AddressChange }) {
  const { api } = useHost()
  const withdraw = useAction({
    mutationFn: () => api.call('DELETE /profile/address-change'),
    done: { title: 'Your address stays', duration: 3000 },
    failed: 'Unable to withdraw the change',
    invalidates: [QUERY_KEY],
  })
  return (
    <ItemRows>
      <ItemRow
        icon={<EnvelopeIcon />}
        name={change.new_email}
        about={
          <>
            {waitsFor(change)} Both links work until <DateTime value={change.expires_at} />.
          </>
        }
        actions={
          <Button
            variant="outlined"
            text="Withdraw"
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
    ? 'Waits for the new address to confirm.'
    : new_confirmed
      ? 'Waits for your present address to confirm.'
      : 'Waits for both addresses to confirm.'

function AddressForm({ onClose }: { onClose: () => void }) {
  const { api, notify } = useHost()
  const [email, setEmail] = useState('')
  const { groupProps, fieldProps, setMissing } = useMissingField<'email'>()
  const ask = useAction({
    mutationFn: () => api.call('POST /profile/address-change', { body: { email } }),
    done: { title: 'Check both mailboxes', description: 'Each has got a link.' },
    failed: 'Unable to change your address',
    invalidates: [QUERY_KEY],
  })
  const submit = async (): Promise<boolean> => {
    if (email.trim() !== '') return ask.run()
    notify(errorToast(null, 'The new address cannot be empty'))
    setMissing('email')
    return false
  }
  return (
    <DialogForm
      submitLabel="Send the links"
      onSubmit={submit}
      onClose={onClose}
      note={
        <p className={styles.muted}>
          A link goes to your present and to the new address. Your address changes once both are confirmed,
          within {LIMITS.addressChangeMs / 3_600_000} hours.
        </p>
      }
    >
      <FormGroup label="New address" {...groupProps('email')}>
        <InputGroup
          {...fieldProps('email')}
          type="email"
          autoComplete="email"
          autoFocus
          value={email}
          onValueChange={value => {
            setMissing()
            setEmail(value)
          }}
        />
      </FormGroup>
    </DialogForm>
  )
}
