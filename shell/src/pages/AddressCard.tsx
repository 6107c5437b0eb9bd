import { type AddressChange, LIMITS } from '@iodine/contracts'
import { errorToast } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { Button, Card, DateTime, FormGroup, InputGroup, LoadingPanel, useMissingField } from '@iodine/ui'
import { EnvelopeIcon } from '@iodine/ui/icons'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useHost } from '../app/HostProvider'
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
  const { api, session } = useHost()
  const queryClient = useQueryClient()
  const [asking, setAsking] = useState(false)
  const reload = () => queryClient.invalidateQueries({ queryKey: QUERY_KEY })
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
            {change && <Pending change={change} onWithdrawn={reload} />}
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
        <AddressForm onAsked={reload} onClose={() => setAsking(false)} />
      </Dialog>
    </>
  )
}

function Pending({ change, onWithdrawn }: { change: AddressChange; onWithdrawn: () => Promise<void> }) {
  const { api, notify } = useHost()
  const [working, setWorking] = useState(false)
  const withdraw = async () => {
    setWorking(true)
    try {
      await api.call('DELETE /profile/address-change')
      notify({ title: 'Your address stays', status: 'success', duration: 3000 })
    } catch (error) {
      notify(errorToast(error, 'Unable to withdraw the change'))
    }
    await onWithdrawn()
    setWorking(false)
  }
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
        actions={<Button variant="outlined" text="Withdraw" loading={working} onClick={withdraw} />}
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

function AddressForm({ onAsked, onClose }: { onAsked: () => Promise<void>; onClose: () => void }) {
  const { api, notify } = useHost()
  const [email, setEmail] = useState('')
  const { groupProps, fieldProps, setMissing } = useMissingField<'email'>()
  const ask = async (): Promise<boolean> => {
    if (email.trim() === '') {
      notify(errorToast(null, 'The new address cannot be empty'))
      setMissing('email')
      return false
    }
    try {
      await api.call('POST /profile/address-change', { body: { email } })
    } catch (error) {
      notify(errorToast(error, 'Unable to change your address'))
      return false
    }
    notify({ title: 'Check both mailboxes', description: 'Each has got a link.', status: 'success' })
    await onAsked()
    return true
  }
  return (
    <DialogForm
      submitLabel="Send the links"
      onSubmit={ask}
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
