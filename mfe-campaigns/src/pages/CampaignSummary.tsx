import { Card, CategoryTag, formatCount, Tag } from '@iodine/ui'
import type { ReactNode } from 'react'
import type { Statistics } from '../model/iods'
import styles from './CampaignSummary.module.css'

export interface CampaignSummaryProps {
  description: string
  total: number
  /** Null until they are known. */
  statistics: Statistics | null
}

/** A campaign's description and statistics. */
export function CampaignSummary({ description, total, statistics }: CampaignSummaryProps) {
  return (
    <div className={styles.summary}>
      <Block title="Description">
        {description ? (
          /* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it, too */
          <section className={styles.description} tabIndex={0} aria-label="Text of the description">
            {description}
          </section>
        ) : (
          <p className={styles.none}>No description provided</p>
        )}
      </Block>
      <Block title="Statistics">
        <dl className={styles.counts}>
          <Count label="Total IODs" value={total} />
          <Count label="Categories" value={statistics?.categories.length} />
          <Count label="Sources" value={statistics?.sources.length} />
          <Count label="Total Votes" value={statistics?.votes} />
          <Count label="Total Comments" value={statistics?.comments} />
        </dl>
      </Block>
      {statistics && statistics.iods > 0 && (
        <>
          <Block title="Categories">
            <ul className={styles.list}>
              {statistics.categories.map(([category, count]) => (
                <li key={category}>
                  <CategoryTag category={category} />
                  <span>{formatCount(count)}</span>
                </li>
              ))}
            </ul>
          </Block>
          <Block title="Sources">
            <ul className={styles.list}>
              {statistics.sources.map(([source, count]) => (
                <li key={source}>
                  <Tag minimal>{source}</Tag>
                  <span>{formatCount(count)}</span>
                </li>
              ))}
            </ul>
          </Block>
        </>
      )}
    </div>
  )
}

function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card className={styles.block} role="region" aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      {children}
    </Card>
  )
}

function Count({ label, value }: { label: string; value: number | undefined }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value === undefined ? '—' : formatCount(value)}</dd>
    </div>
  )
}
