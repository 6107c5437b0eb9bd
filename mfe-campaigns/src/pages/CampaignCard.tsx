import type { Campaign } from '@iodine/contracts'
import { Card, DateTime, formatAmount, Tag } from '@iodine/ui'
import { Link, useLocation } from '@iodine/ui/router'
import { memo } from 'react'
import { creatorOf, nameOf } from '../model/campaigns'
import styles from './CampaignCard.module.css'
import { type CampaignActions, CampaignMenu } from './CampaignMenu'

/** A campaign in the list; a click anywhere on it opens its details. */
export const CampaignCard = memo(function CampaignCard(props: { campaign: Campaign } & CampaignActions) {
  const { campaign, ...actions } = props
  const { search } = useLocation()
  const name = nameOf(campaign)
  return (
    <Card className={styles.card} role="article" aria-label={name}>
      <header className={styles.header}>
        <h2 className={styles.name} dir="auto">
          <Link className={styles.link} to={{ pathname: `/${campaign.id}`, search }}>
            {name}
          </Link>
        </h2>
        <div className={styles.menu}>
          <CampaignMenu campaign={campaign} {...actions} />
        </div>
      </header>
      <p className={styles.meta}>
        <Tag minimal round intent="primary">
          {formatAmount(campaign.iod_count, 'IOD')}
        </Tag>
        {campaign.comment_count && (
          <Tag minimal round>
            {formatAmount(campaign.comment_count, 'comment')}
          </Tag>
        )}
        <span>
          Created <DateTime value={campaign.created_at} />
        </span>
      </p>
      {campaign.description && (
        <p className={styles.description} dir="auto">
          {campaign.description}
        </p>
      )}
      <p className={styles.creator}>Created by {creatorOf(campaign)}</p>
    </Card>
  )
})
