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

/** The email address of the account, and its change. */
export function AddressCard() {
  return (
    <Card className={styles.card}>
      <h2 className={styles.cardTitle}>Email address</h2>
      <p className={styles.muted}>
        We send sign-in links to your email address. You confirm a new address from the old and the new
        mailbox.
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
      // Both addresses have confirmed the change, perhaps in another browser: reload the account.
      if (change === null && queryClient.getQueryData(QUERY_KEY)) await session.reload()
      return change
    },
    refetchInterval: ({ state: { data } }) => (data ? POLL_MS : false),
  })
  return (
    <>
      <LoadingPanel query={query} errorTitle="Unable to load the pending change" compact>
        {change => (
          <>
            {change && <Pending change={change} />}
            <div className={styles.row}>
              <Button
                text={change ? 'Use another address' : 'Change email address'}
                onClick={() => setAsking(true)}
              />
            </div>
          </>
        )}
      </LoadingPanel>
      <Dialog
        isOpen={asking}
        onClose={() => setAsking(false)}
        title="Change your email address"
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
  const { api, notify } = useHost()
  const [email, setEmail] = useState('')
  const { groupProps, fieldProps, setMissing } = useMissingField<'email'>()
  const ask = useAction({
    mutationFn: () => api.call('POST /profile/address-change', { body: { email } }),
    done: { title: 'Check both mailboxes', description: 'We sent a link to each address.' },
    failed: 'Unable to change your email address',
    invalidates: [QUERY_KEY],
  })
  const submit = async (): Promise<boolean> => {
    if (email.trim() !== '') return ask.run()
    notify(errorToast(null, 'The new email address cannot be empty'))
    setMissing('email')
    return false
  }
  return (
    <DialogForm
      submitLabel="Send links"
      onSubmit={submit}
      onClose={onClose}
      note={
        <p className={styles.muted}>
          We send a link to your current and to the new address. Your email address changes once you open and
          confirm both links within {LIMITS.addressChangeMs / 3_600_000} hours.
        </p>
      }
    >
      <FormGroup label="New email address" {...groupProps('email')}>
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
