import type { CampaignSharing } from '@iodine/contracts'
import { Button, Callout, formatCount, formatRelative, Switch, useRetained } from '@iodine/ui'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { useState } from 'react'
import { FeedDialog } from './FeedDialog'
import styles from './SharingBlock.module.css'

export interface FeedBlockProps {
  sharing: CampaignSharing
  /** Whether the user may publish the campaign. */
  mine: boolean
  onPublish: (published: boolean) => Promise<unknown>
}

const stateOf = ({ published, feed }: CampaignSharing): string | null => {
  if (!feed) return null
  if (feed.state === 'due' && !feed.problem) return published ? 'Being published…' : 'Being withdrawn…'
  if (!published) return feed.revoked > 0 ? 'Withdrawn: revoked where it was pulled.' : null
  const at = feed.at ? `, ${formatRelative(feed.at)}` : ''
  return `${formatCount(feed.objects)} object(s) published${at}`
}

/** Whether a campaign is published in feeds, and where other systems find it. */
export function FeedBlock({ sharing, mine, onPublish }: FeedBlockProps) {
  const [asks, setAsks] = useState<'publish' | 'withdraw' | null>(null)
  const asked = useRetained(asks)
  const [isOpen, setOpen] = useState(false)
  const { published, feed, tlp } = sharing
  const isRed = tlp === 'red' && !published
  const state = stateOf(sharing)
  return (
    <div className={styles.feed}>
      {mine ? (
        <Switch
          className={styles.publish}
          label="Publish in feeds"
          checked={published}
          disabled={isRed}
          onChange={() => setAsks(published ? 'withdraw' : 'publish')}
        />
      ) : (
        <p className={styles.note}>{published ? 'Published in feeds.' : 'Not published in feeds.'}</p>
      )}
      {mine && isRed && <p className={styles.note}>What is TLP:RED is never published.</p>}
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
          <Button className={styles.kept} text="Addresses" onClick={() => setOpen(true)} />
          <FeedDialog collection={feed.collection} isOpen={isOpen} onClose={() => setOpen(false)} />
        </>
      )}
      <ConfirmDialog
        isOpen={asks !== null}
        title={asked === 'withdraw' ? 'Withdraw the campaign' : 'Publish the campaign'}
        confirmLabel={asked === 'withdraw' ? 'Withdraw' : 'Publish'}
        intent={asked === 'withdraw' ? 'danger' : 'primary'}
        onConfirm={() => onPublish(asked === 'publish')}
        onClose={() => setAsks(null)}
      >
        {asked === 'withdraw' ? (
          <p>
            Systems that pulled it are told that it is revoked. What they or their users have copied elsewhere
            can’t be taken back.
          </p>
        ) : (
          <>
            <p>
              Other systems can pull it with feed keys of members, up to the level of each key: its IODs, its
              techniques and kept objects, and votes and comments with the usernames of who made them.
              Evidence stays here.
            </p>
            <p>Later changes are published, too. You can withdraw it at any time.</p>
          </>
        )}
      </ConfirmDialog>
    </div>
  )
}
