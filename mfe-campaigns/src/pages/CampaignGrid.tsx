import type { Campaign } from '@iodine/contracts'
import { Button } from '@iodine/ui'
import { useState } from 'react'
import { CampaignCard } from './CampaignCard'
import styles from './CampaignGrid.module.css'
import type { CampaignActions } from './CampaignMenu'

/** Cards drawn at once; the rest follow on demand. */
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
      {campaigns.length > shown && (
        <div className={styles.more}>
          <Button text="Show more campaigns" onClick={() => setShown(count => count + STEP)} />
        </div>
      )}
    </>
  )
}
