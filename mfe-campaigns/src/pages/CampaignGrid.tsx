import type { Campaign } from '@iodine/contracts'
import { LoadMore, SkeletonCards } from '@iodine/ui'
import { useState } from 'react'
import { CampaignCard } from './CampaignCard'
import styles from './CampaignGrid.module.css'
import type { CampaignActions } from './CampaignMenu'

/** Initial number of cards, and number of cards added by each click on the button. */
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

const BLANK_CARDS = 6

/** A skeleton of the campaigns. */
export function BlankGrid() {
  return <SkeletonCards count={BLANK_CARDS} className={styles.grid} />
}
