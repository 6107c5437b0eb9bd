import { CopyField } from '@iodine/ui'
import { FeedKeyList } from '../FeedKeysCard'
import { ProfileCard } from '../ProfileCard'

/** The keys of the feed of the user's notifications. */
export function FeedCard() {
  return (
    <ProfileCard
      title="Atom feed"
      about="A feed reader or a chat tool shows your notifications with a key. The key reads nothing else. To replace a key, create one and revoke the old one."
    >
      <FeedKeyList
        reads="notifications"
        noun="Atom feed key"
        aNoun="an Atom feed key"
        placeholder="My reader"
        revoked="readers can no longer read your notifications with it."
        Made={NewKey}
      />
    </ProfileCard>
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
