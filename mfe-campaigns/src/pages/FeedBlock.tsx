import type { CampaignSharing } from '@iodine/contracts'
import { Button, Callout, formatAmount, formatRelative, Switch, useRetained } from '@iodine/ui'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { useState } from 'react'
import { FeedDialog } from './FeedDialog'
import styles from './SharingBlock.module.css'

export interface FeedBlockProps {
  sharing: CampaignSharing
  /** Whether the user may publish the campaign. */
  isOwner: boolean
  onPublish: (published: boolean) => Promise<unknown>
}

const stateOf = ({ published, feed }: CampaignSharing): string | null => {
  if (!feed) return null
  if (feed.state === 'due' && !feed.problem) return published ? 'Publishing…' : 'Withdrawing…'
  if (!published) return feed.revoked > 0 ? 'Withdrawn. Systems that pulled it receive a revocation.' : null
  const at = feed.at ? `, ${formatRelative(feed.at)}` : ''
  return `${formatAmount(feed.objects, 'object')} published${at}`
}

/** The publication of a campaign in feeds: its state, its switch for the creator, and its URLs. */
export function FeedBlock({ sharing, isOwner, onPublish }: FeedBlockProps) {
  const [confirming, setConfirming] = useState<'publish' | 'withdraw' | null>(null)
  const shown = useRetained(confirming)
  const [isOpen, setOpen] = useState(false)
  const { published, feed, tlp } = sharing
  const isRed = tlp === 'red' && !published
  const state = stateOf(sharing)
  return (
    <div className={styles.feed}>
      {isOwner ? (
        <Switch
          className={styles.publish}
          label="Publish in feeds"
          checked={published}
          disabled={isRed}
          onChange={() => setConfirming(published ? 'withdraw' : 'publish')}
        />
      ) : (
        <p className={styles.note}>{published ? 'Published in feeds.' : 'Not published in feeds.'}</p>
      )}
      {isOwner && !published && (
        <p className={styles.note}>
          {isRed
            ? 'TLP:RED campaigns cannot be published.'
            : 'Other systems, such as OpenCTI and MISP, can pull published campaigns.'}
        </p>
      )}
      {state && (
        <p className={styles.note} role="status">
          {state}
        </p>
      )}
      {published && feed?.problem && (
        <Callout className={styles.problem} compact intent="warning">
          {feed.problem}
        </Callout>
      )}
      {published && feed && (
        <>
          <Button className={styles.kept} text="Feed URLs" onClick={() => setOpen(true)} />
          <FeedDialog collection={feed.collection} isOpen={isOpen} onClose={() => setOpen(false)} />
        </>
      )}
      <ConfirmDialog
        isOpen={confirming !== null}
        title={shown === 'withdraw' ? 'Withdraw the campaign' : 'Publish the campaign'}
        confirmLabel={shown === 'withdraw' ? 'Withdraw' : 'Publish'}
        intent={shown === 'withdraw' ? 'danger' : 'primary'}
        onConfirm={() => onPublish(shown === 'publish')}
        onClose={() => setConfirming(null)}
      >
        {shown === 'withdraw' ? (
          <p>Systems that pulled it receive a revocation. Copies outside those systems cannot be removed.</p>
        ) : (
          <>
            <p>
              Other systems can pull it with members’ feed keys, up to the level of each key. They receive its
              IODs, techniques and imported objects, and votes and comments with usernames. Evidence is not
              published.
            </p>
            <p>Later changes are also published. You can withdraw it at any time.</p>
          </>
        )}
      </ConfirmDialog>
    </div>
  )
}
