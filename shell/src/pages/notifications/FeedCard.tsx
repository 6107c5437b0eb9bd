import { type FeedKey, LIMITS } from '@iodine/contracts'
import { CopyField } from '@iodine/ui'
import { FeedIcon } from '@iodine/ui/icons'
import { DialogForm } from '@iodine/ui/overlays'
import { loadFeedKeys } from '../FeedKeysCard'
import { DAY_MS, ExpiryField, NameField, useKeyForm } from '../KeyForm'
import { type FormProps, KeyList } from '../KeyList'
import { ProfileCard } from '../ProfileCard'

/** The keys of the feed of the user's notifications. */
export function FeedCard() {
  return (
    <ProfileCard
      title="Atom feed"
      about="A feed reader or a chat tool shows your notifications with a key. The key reads nothing else. To replace a key, create one and revoke the old one."
    >
      <KeyList<FeedKey, string>
        noun="Atom feed key"
        aNoun="an Atom feed key"
        short="key"
        max={LIMITS.feedKeysMax}
        icon={<FeedIcon />}
        load={(api, signal) => loadFeedKeys(api, 'notifications', signal)}
        revoke={(api, id) => api.call('DELETE /profile/feed-keys/:id', { params: { id } })}
        nameOf={({ label }) => label}
        tagOf={() => null}
        revoked="readers can no longer read your notifications with it."
        Form={KeyForm}
        Made={NewKey}
      />
    </ProfileCard>
  )
}

function KeyForm({ create, onClose }: FormProps<string>) {
  const form = useKeyForm()
  const { name: label, days, refuse } = form
  const make = async () => {
    if (label === '') return refuse('name', 'A label is required')
    const expires_at = days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString()
    // The level limits feeds of campaigns only.
    const body = { label, reads: 'notifications', tlp: 'clear', expires_at } as const
    return create(async api => (await api.call('POST /profile/feed-keys', { body })).key)
  }
  return (
    <DialogForm submitLabel="Create" onSubmit={make} onClose={onClose}>
      <NameField form={form} label="Label" placeholder="My reader" maxLength={LIMITS.feedKeyLabelMax} />
      <ExpiryField form={form} id="atom-key-life" last="Never" />
    </DialogForm>
  )
}

/** A new key, and the values to paste into a feed reader. */
function NewKey({ made: key }: { made: string }) {
  const url = new URL('/atom/notifications', window.location.origin)
  const withKey = Object.assign(new URL(url), { username: 'iodine', password: key })
  return (
    <>
      <CopyField label="Feed URL" value={url.href} />
      <CopyField label="User name" value="iodine" />
      <CopyField label="Password" value={key} />
      <CopyField
        label="Feed URL with the key"
        value={withKey.href}
        hint="For readers without fields for a user name and a password."
      />
    </>
  )
}
