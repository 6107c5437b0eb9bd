import { FEED_TLP_LEVELS, type FeedKey, type FeedTlp, LIMITS } from '@iodine/contracts'
import { errorToast } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import {
  Button,
  Card,
  CopyField,
  FormGroup,
  formatDate,
  formatRelative,
  HTMLSelect,
  InputGroup,
  LoadingPanel,
  Tag,
  useMissingField,
  useRetained,
} from '@iodine/ui'
import { FeedIcon } from '@iodine/ui/icons'
import { ConfirmDialog, Dialog, DialogBody, DialogFooter, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useHost } from '../app/HostProvider'
import { ItemRow, ItemRows } from './ItemRow'
import styles from './Profile.module.css'

const QUERY_KEY = ['feed-keys']
const DAY_MS = 24 * 3_600_000
/** How long a key lives, in days; 0: it does not expire. */
const LIVES = [
  [90, '90 days'],
  [365, 'A year'],
  [30, '30 days'],
  [0, 'Until it is revoked'],
] as const

/** A key as it is shown once. */
interface NewKey {
  label: string
  key: string
}

/** The user's keys for feeds: other systems pull published campaigns with them. */
export function FeedKeysCard() {
  return (
    <Card className={styles.card}>
      <h2 className={styles.cardTitle}>Feed keys</h2>
      <p className={styles.muted}>
        Other systems, such as OpenCTI and MISP, pull published campaigns with a key of yours. A key reads
        feeds, up to its level, and nothing else.
      </p>
      <Keys />
    </Card>
  )
}

function Keys() {
  const { api, notify } = useHost()
  const queryClient = useQueryClient()
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => api.call('GET /profile/feed-keys', { signal }),
  })
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<NewKey | null>(null)
  const [revoked, setRevoked] = useState<FeedKey | null>(null)
  const asked = useRetained(revoked)
  const reload = () => queryClient.invalidateQueries({ queryKey: QUERY_KEY })
  const revoke = async () => {
    if (!revoked) return
    try {
      await api.call('DELETE /profile/feed-keys/:id', { params: { id: revoked.id } })
      notify({ title: 'Feed key revoked', status: 'success', duration: 3000 })
    } catch (error) {
      notify(errorToast(error, 'Unable to revoke the feed key'))
    }
    await reload()
  }
  return (
    <>
      <LoadingPanel query={query} errorTitle="Unable to load feed keys">
        {keys => (
          <>
            <ItemRows>
              {keys.map(key => (
                <Key key={key.id} feedKey={key} onRevoke={() => setRevoked(key)} />
              ))}
            </ItemRows>
            <div className={styles.row}>
              <Button
                intent={keys.length === 0 ? 'primary' : 'none'}
                text="Make a key"
                disabled={keys.length >= LIMITS.feedKeysMax}
                onClick={() => setMaking(true)}
              />
              {keys.length >= LIMITS.feedKeysMax && (
                <span className={styles.muted}>You have {LIMITS.feedKeysMax} keys: revoke one first.</span>
              )}
            </div>
          </>
        )}
      </LoadingPanel>
      <Dialog
        isOpen={making}
        onClose={() => setMaking(false)}
        title="Make a feed key"
        canOutsideClickClose={false}
      >
        <KeyForm
          onMade={key => {
            setMade(key)
            void reload()
          }}
          onClose={() => setMaking(false)}
        />
      </Dialog>
      <NewKeyDialog made={made} onClose={() => setMade(null)} />
      <ConfirmDialog
        isOpen={revoked !== null}
        title="Revoke the feed key"
        confirmLabel="Revoke"
        onConfirm={revoke}
        onClose={() => setRevoked(null)}
      >
        “<bdi>{asked?.label}</bdi>”: nothing can be pulled with it any more.
      </ConfirmDialog>
    </>
  )
}

function Key({ feedKey, onRevoke }: { feedKey: FeedKey; onRevoke: () => void }) {
  const { label, tlp, expires_at, last_used_at } = feedKey
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return (
    <ItemRow
      icon={<FeedIcon />}
      name={label}
      tag={
        <Tag minimal intent={isOver ? 'danger' : 'none'}>
          {isOver ? 'Expired' : `Up to ${tlpName(tlp)}`}
        </Tag>
      }
      about={
        <>
          {last_used_at ? `Used ${formatRelative(last_used_at)}` : 'Never used'}
          {' · '}
          {expires_at === null
            ? 'does not expire'
            : `${isOver ? 'expired' : 'expires'} ${formatDate(expires_at)}`}
        </>
      }
      actions={
        <Button
          variant="outlined"
          intent="danger"
          text="Revoke"
          aria-label={`Revoke ${label}`}
          onClick={onRevoke}
        />
      }
    />
  )
}

const tlpName = (tlp: FeedTlp) => `TLP:${tlp.toUpperCase()}`

function KeyForm({ onMade, onClose }: { onMade: (key: NewKey) => void; onClose: () => void }) {
  const { api, notify } = useHost()
  const [label, setLabel] = useState('')
  const [tlp, setTlp] = useState<FeedTlp>('green')
  const [days, setDays] = useState<number>(LIVES[0][0])
  const { groupProps, fieldProps, setMissing } = useMissingField<'label'>()
  const make = async (): Promise<boolean> => {
    if (label.trim() === '') {
      notify(errorToast(null, 'A label is required'))
      setMissing('label')
      return false
    }
    const expires_at = days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString()
    try {
      const body = { label: label.trim(), tlp, expires_at }
      const made = await api.call('POST /profile/feed-keys', { body })
      onMade({ label: made.label, key: made.key })
      return true
    } catch (error) {
      notify(errorToast(error, 'Unable to make a feed key'))
      return false
    }
  }
  return (
    <DialogForm submitLabel="Make" onSubmit={make} onClose={onClose}>
      <FormGroup label="Label" {...groupProps('label')}>
        <InputGroup
          {...fieldProps('label')}
          placeholder="Our OpenCTI"
          maxLength={LIMITS.feedKeyLabelMax}
          autoComplete="off"
          autoFocus
          value={label}
          onValueChange={value => {
            setMissing()
            setLabel(value)
          }}
        />
      </FormGroup>
      <FormGroup
        label="Reads up to"
        labelFor="feed-key-tlp"
        helperText="The strictest level of the Traffic Light Protocol that it reads. TLP:RED is never published."
      >
        <HTMLSelect
          id="feed-key-tlp"
          fill
          value={tlp}
          onChange={event => setTlp(event.currentTarget.value as FeedTlp)}
          options={FEED_TLP_LEVELS.map(value => ({ value, label: tlpName(value) }))}
        />
      </FormGroup>
      <FormGroup label="Lives for" labelFor="feed-key-life">
        <HTMLSelect
          id="feed-key-life"
          fill
          value={days}
          onChange={event => setDays(Number(event.currentTarget.value))}
          options={LIVES.map(([value, name]) => ({ value, label: name }))}
        />
      </FormGroup>
    </DialogForm>
  )
}

/** Shows a new key, and what to paste into which system. */
function NewKeyDialog({ made, onClose }: { made: NewKey | null; onClose: () => void }) {
  const shown = useRetained(made)
  const { origin } = window.location
  return (
    <Dialog isOpen={made !== null} onClose={onClose} title="Your feed key" canOutsideClickClose={false}>
      {shown && (
        <>
          <DialogBody>
            <p>Copy it now: it is not shown again.</p>
            <CopyField label="Key" value={shown.key} />
            <h3 className={styles.group}>OpenCTI: a TAXII feed</h3>
            <CopyField label="TAXII server URL" value={`${origin}/taxii2/iodine/`} />
            <CopyField
              label="Collection"
              value="all"
              hint="Or the id of one campaign’s collection, which the campaign shows under Addresses."
            />
            <CopyField label="Basic authentication" value={`iodine:${shown.key}`} />
            <h3 className={styles.group}>MISP: a feed</h3>
            <CopyField label="Feed URL" value={`${origin}/feeds/misp/`} />
            <CopyField label="Any headers to be passed" value={`Authorization: Bearer ${shown.key}`} />
          </DialogBody>
          <DialogFooter actions={<Button intent="primary" text="Done" onClick={onClose} />} />
        </>
      )}
    </Dialog>
  )
}
