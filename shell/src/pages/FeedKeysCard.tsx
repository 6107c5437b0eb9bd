import {
  FEED_TLP_LEVELS,
  type FeedKey,
  type FeedKeyReads,
  type FeedTlp,
  LIMITS,
  TLP_MEANINGS,
} from '@iodine/contracts'
import { CopyField, FormGroup, HTMLSelect, Tag } from '@iodine/ui'
import { FeedIcon } from '@iodine/ui/icons'
import { DialogForm } from '@iodine/ui/overlays'
import { useCallback, useState } from 'react'
import { DAY_MS, ExpiryField, NameField, useKeyForm } from './KeyForm'
import { type FormProps, KeyList, type KeyListProps } from './KeyList'
import styles from './Profile.module.css'
import { ProfileCard } from './ProfileCard'

/** The user's feed keys of campaigns, with which other systems pull published campaigns. */
export function FeedKeysCard() {
  return (
    <ProfileCard
      title="Feed keys"
      about={
        <>
          Other systems, such as OpenCTI and MISP, pull published campaigns with your feed keys. A key reads
          only feeds, up to its level.
        </>
      }
    >
      <FeedKeyList
        reads="campaigns"
        noun="feed key"
        aNoun="a feed key"
        placeholder="Our OpenCTI"
        revoked="other systems can no longer pull feeds with it."
        Made={NewKey}
      />
    </ProfileCard>
  )
}

type FeedKeyListProps = Pick<KeyListProps<FeedKey, string>, 'noun' | 'aNoun' | 'revoked' | 'Made'> &
  FeedKeyFormOptions

interface FeedKeyFormOptions {
  reads: FeedKeyReads
  /** Example of a label. */
  placeholder: string
}

/** The user's feed keys that read one kind of feed. */
export function FeedKeyList({ reads, placeholder, ...texts }: FeedKeyListProps) {
  const Form = useCallback(
    (props: FormProps<string>) => <KeyForm {...props} reads={reads} placeholder={placeholder} />,
    [reads, placeholder],
  )
  return (
    <KeyList<FeedKey, string>
      {...texts}
      short="key"
      max={LIMITS.feedKeysMax}
      icon={<FeedIcon />}
      load={async (api, signal) =>
        (await api.call('GET /profile/feed-keys', { signal })).filter(key => key.reads === reads)
      }
      revoke={(api, id) => api.call('DELETE /profile/feed-keys/:id', { params: { id } })}
      nameOf={({ label }) => label}
      tagOf={({ tlp }) => <Tag minimal>Up to {tlpName(tlp)}</Tag>}
      Form={Form}
    />
  )
}

const tlpName = (tlp: FeedTlp) => `TLP:${tlp.toUpperCase()}`

function KeyForm({ create, onClose, reads, placeholder }: FormProps<string> & FeedKeyFormOptions) {
  const form = useKeyForm()
  const { name: label, days, refuse } = form
  const [tlp, setTlp] = useState<FeedTlp>('green')
  const make = async () => {
    if (label === '') return refuse('name', 'A label is required')
    const expires_at = days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString()
    const body = { label, reads, tlp, expires_at }
    return create(async api => (await api.call('POST /profile/feed-keys', { body })).key)
  }
  return (
    <DialogForm submitLabel="Create" onSubmit={make} onClose={onClose}>
      <NameField form={form} label="Label" placeholder={placeholder} maxLength={LIMITS.feedKeyLabelMax} />
      <FormGroup
        label="Reads up to"
        labelFor="feed-key-tlp"
        helperText={`The strictest level that the key reads. ${tlpName(tlp)}: ${TLP_MEANINGS[tlp]}`}
      >
        <HTMLSelect
          id="feed-key-tlp"
          fill
          value={tlp}
          onChange={event => setTlp(event.currentTarget.value as FeedTlp)}
          options={FEED_TLP_LEVELS.map(value => ({ value, label: tlpName(value) }))}
        />
      </FormGroup>
      <ExpiryField form={form} id="feed-key-life" last="Never" />
    </DialogForm>
  )
}

/** A new key, and the values to paste into other systems. */
function NewKey({ made: key }: { made: string }) {
  const { origin } = window.location
  return (
    <>
      <CopyField label="Key" value={key} />
      <h3 className={styles.group}>OpenCTI: a TAXII feed</h3>
      <CopyField label="TAXII server URL" value={`${origin}/taxii2/iodine/`} />
      <CopyField
        label="Collection"
        value="all"
        hint="Or the id of one campaign’s collection, shown in the campaign under Sharing, Feed URLs."
      />
      <CopyField label="Basic authentication" value={`iodine:${key}`} />
      <h3 className={styles.group}>MISP: a feed</h3>
      <CopyField label="Feed URL" value={`${origin}/feeds/misp/`} />
      <CopyField label="Any headers to be passed" value={`Authorization: Bearer ${key}`} />
    </>
  )
}
