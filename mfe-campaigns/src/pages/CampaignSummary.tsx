import { type Category, type Iod, showsIndependence } from '@iodine/contracts'
import { paths, SectionLink } from '@iodine/mfe-kit'
import { useListConsensus } from '@iodine/mfe-kit/consensus'
import { Button, CategoryTag, DayBars, Facts, formatCount, Tag } from '@iodine/ui'
import { type CSSProperties, type ReactNode, useMemo } from 'react'
import { overTime, type Statistics, sumVotes } from '../model/iods'
import styles from './CampaignSummary.module.css'
import { SummaryBlock } from './SummaryBlock'

export interface CampaignSummaryProps {
  id: string
  description: string
  total: number
  /** Null while they load. */
  statistics: Statistics | null
  /** Null until all IODs have loaded. */
  iods: Iod[] | null
  /** Called with the category to filter by. */
  onCategory: (category: Category) => void
}

/** A campaign's description and statistics. */
export function CampaignSummary(props: CampaignSummaryProps) {
  const { id, description, total, statistics, iods, onCategory } = props
  return (
    <>
      <SummaryBlock title="Description">
        {description ? (
          /* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it, too */
          <section className={styles.description} tabIndex={0} aria-label="Text of the description">
            {description}
          </section>
        ) : (
          <p className={styles.none}>No description provided</p>
        )}
      </SummaryBlock>
      <SummaryBlock title="Statistics">
        <Facts
          className={styles.counts}
          facts={{
            'Total IODs': formatCount(total),
            Categories: countOf(statistics?.categories.length),
            Sources: countOf(statistics?.sources.length),
            'Total Votes': countOf(statistics?.votes),
            'Total Comments': countOf(statistics?.comments),
          }}
        />
        {iods && <VotesBar iods={iods} />}
      </SummaryBlock>
      {total > 0 && (
        <p className={styles.lead}>
          <SectionLink
            to={paths.coShares({ campaign: id })}
            title="Finds accounts that share the campaign’s IODs within a short time of each other"
          >
            Show co-shares
          </SectionLink>
        </p>
      )}
      {statistics && statistics.iods > 0 && (
        <>
          {iods && <OverTime iods={iods} />}
          <SummaryBlock title="Categories">
            <ul className={styles.list}>
              {statistics.categories.map(([category, count]) => (
                <CountBar key={category} count={count} of={statistics.iods}>
                  <Button
                    className={styles.filter}
                    variant="minimal"
                    size="small"
                    title={`Show the IODs of ${category}`}
                    onClick={() => onCategory(category)}
                  >
                    <CategoryTag category={category} />
                  </Button>
                </CountBar>
              ))}
            </ul>
          </SummaryBlock>
          <SummaryBlock title="Sources">
            <ul className={styles.list}>
              {statistics.sources.map(([source, count]) => (
                <CountBar key={source} count={count} of={statistics.iods}>
                  <Tag minimal>{source}</Tag>
                </CountBar>
              ))}
            </ul>
          </SummaryBlock>
        </>
      )}
    </>
  )
}

const countOf = (count: number | undefined) => (count === undefined ? '—' : formatCount(count))

interface CountBarProps {
  count: number
  of: number
  children: ReactNode
}

/** A labelled count, with a bar of its share. */
function CountBar({ count, of, children }: CountBarProps) {
  return (
    <li className={styles.share} style={{ '--share': count / of } as CSSProperties}>
      {children}
      <span>{formatCount(count)}</span>
    </li>
  )
}

/** A chart of the IODs' creation times. */
function OverTime({ iods }: { iods: Iod[] }) {
  const days = useMemo(() => overTime(iods), [iods])
  return (
    <SummaryBlock title="Over time">
      <DayBars label="IODs by creation date" series={['IODs']} days={days} />
    </SummaryBlock>
  )
}

/** Maximum number of IODs with votes for which the consensus is requested. */
const WEIGHED_MAX = 500

/**
 * A bar of negative votes on the left and positive ones on the right. If few votes are independent, it is solid for
 * these and pale for the others.
 */
function VotesBar({ iods }: { iods: Iod[] }) {
  const { positive, negative } = useMemo(() => sumVotes(iods), [iods])
  const ids = useMemo(() => iods.flatMap(({ id, votes }) => (votes.length > 0 ? id : [])), [iods])
  const weighed = ids.length <= WEIGHED_MAX ? ids : []
  const consensus = useListConsensus(weighed, 0, weighed.length)
  const weights = weighed.map(id => consensus[id])
  const isKnown = weighed.length > 0 && weights.every(each => each !== undefined)
  const [against, forIt] = (['against', 'for'] as const).map(side =>
    weights.reduce((sum, each) => sum + (each?.[side] ?? 0), 0),
  ) as [number, number]
  const votes = positive + negative
  const isWeighted = isKnown && showsIndependence(votes, { for: forIt, against })
  const most = Math.max(positive, negative)
  if (most === 0) return null
  const label = `Votes: ${formatCount(negative)} negative, ${formatCount(positive)} positive`
  const bar = (votes: number, independent: number) =>
    ({
      width: `${(votes / most) * 100}%`,
      '--solid': `${isWeighted && votes > 0 ? Math.min(1, independent / votes) * 100 : 100}%`,
    }) as CSSProperties
  return (
    <>
      <div className={styles.votes} role="img" aria-label={label} title={label}>
        <span className={styles.number}>−{formatCount(negative)}</span>
        <span className={styles.half}>
          <span className={styles.negative} style={bar(negative, against)} />
        </span>
        <span className={styles.half}>
          <span className={styles.positive} style={bar(positive, forIt)} />
        </span>
        <span className={styles.number}>+{formatCount(positive)}</span>
      </div>
      <p className={styles.legend}>
        Left: votes against. Right: votes for.
        {isWeighted &&
          ` Only about ${formatCount(Math.round(against + forIt))} of ${formatCount(votes)} votes are independent. The pale votes come from accounts that often vote together.`}
      </p>
    </>
  )
}
