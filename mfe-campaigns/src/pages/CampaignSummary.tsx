import { Card, CategoryTag, Tag } from '@iodine/ui'
import type { ReactNode } from 'react'
import type { Statistics } from '../model/iods'
import styles from './CampaignSummary.module.css'

export interface CampaignSummaryProps {
  description: string
  total: number
  /** Null while the IODs can't be read. */
  statistics: Statistics | null
}

/** What a campaign is about, in words and in numbers. */
export function CampaignSummary({ description, total, statistics }: CampaignSummaryProps) {
  return (
    <div className={styles.summary}>
      <Part title="Description">
        <p className={description ? styles.description : styles.none} dir="auto">
          {description || 'No description provided'}
        </p>
      </Part>
      <Part title="Statistics">
        <dl className={styles.counts}>
          <Count label="Total IODs" value={total} />
          <Count label="Categories" value={statistics?.categories.length} />
          <Count label="Sources" value={statistics?.sources.length} />
          <Count label="Total Votes" value={statistics?.votes} />
          <Count label="Total Comments" value={statistics?.comments} />
        </dl>
      </Part>
      {statistics && statistics.iods > 0 && (
        <>
          <Part title="Categories">
            <ul className={styles.list}>
              {statistics.categories.map(([category, count]) => (
                <li key={category}>
                  <CategoryTag category={category} />
                  <span>{count.toLocaleString('en-US')}</span>
                </li>
              ))}
            </ul>
          </Part>
          <Part title="Sources">
            <ul className={styles.list}>
              {statistics.sources.map(([source, count]) => (
                <li key={source}>
                  <Tag minimal>{source}</Tag>
                  <span>{count.toLocaleString('en-US')}</span>
                </li>
              ))}
            </ul>
          </Part>
        </>
      )}
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card className={styles.part} role="region" aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      {children}
    </Card>
  )
}

function Count({ label, value }: { label: string; value: number | undefined }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value?.toLocaleString('en-US') ?? '—'}</dd>
    </div>
  )
}
