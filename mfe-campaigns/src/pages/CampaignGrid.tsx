import type { Campaign } from '@iodine/contracts'
import { Card, Classes, LoadMore, useElapsed } from '@iodine/ui'
import { useState } from 'react'
import { CampaignCard } from './CampaignCard'
import styles from './CampaignGrid.module.css'
import type { CampaignActions } from './CampaignMenu'

/** Number of cards shown at first, and added by each click on the button. */
const STEP = 60

/** Campaigns as cards. */
export function CampaignGrid({ campaigns, ...actions }: { campaigns: Campaign[] } & CampaignActions) {
  const [shown, setShown] = useState(STEP)
  return (
    <>
      <ul className={styles.grid} aria-label="Campaigns">
        {campaigns.slice(0, shown).map(campaign => (
          <li key={campaign.id}>
            <CampaignCard campaign={campaign} {...actions} />
          </li>
        ))}
      </ul>
      <LoadMore
        text="Show more campaigns"
        query={{
          hasNextPage: campaigns.length > shown,
          isFetchingNextPage: false,
          fetchNextPage: () => setShown(count => count + STEP),
        }}
      />
    </>
  )
}

const BLANKS = [1, 2, 3, 4, 5, 6]
const BLANKS_AFTER_MS = 150

/** Blank cards while the campaigns are loaded. */
export function BlankGrid() {
  if (!useElapsed(BLANKS_AFTER_MS)) return null
  return (
    <div role="status">
      <span className="visually-hidden">Loading...</span>
      <div className={styles.grid} aria-hidden>
        {BLANKS.map(blank => (
          <Card key={blank} className={styles.blank}>
            <div className={Classes.SKELETON} />
          </Card>
        ))}
      </div>
    </div>
  )
}
