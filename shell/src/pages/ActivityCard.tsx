import { LIMITS } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { Card, Classes, DayBars, formatAmount, formatCount, LoadingPanel } from '@iodine/ui'
import { useLoaded } from '../app/use-loaded'
import styles from './Overview.module.css'

const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0)

/** A chart of the IODs created in the last days, by the user and by all users. */
export function ActivityCard() {
  const { api } = useHost()
  const query = useLoaded(signal => api.call('GET /iods/days', { signal }))
  return (
    <Card className={`${styles.card} ${styles.wide}`}>
      <h2 className={styles.cardTitle}>The last {LIMITS.countedDays} days</h2>
      <div className={styles.activity}>
        <LoadingPanel
          query={query}
          errorTitle="Unable to load the IODs of each day"
          skeleton={<div className={`${Classes.SKELETON} ${styles.activity}`} aria-hidden />}
        >
          {days => (
            <>
              <p className={styles.muted}>
                {formatAmount(sumOf(days.map(({ all }) => all)), 'IOD')} by all users,{' '}
                {formatCount(sumOf(days.map(({ own }) => own)))} by you.
              </p>
              <DayBars
                label={`IODs of the last ${LIMITS.countedDays} days`}
                series={['all users', 'you']}
                days={days.map(({ day, all, own }) => ({ day, values: [all, own] }))}
              />
            </>
          )}
        </LoadingPanel>
      </div>
    </Card>
  )
}
