import { LIMITS } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { Card, Classes, DayBars, ErrorCallout, formatAmount, formatCount } from '@iodine/ui'
import { useLoaded } from '../app/use-loaded'
import styles from './Overview.module.css'

/** A chart of the IODs created in the last days, by the user and by all users. */
export function ActivityCard() {
  const { api } = useHost()
  const [days, again] = useLoaded(signal => api.call('GET /iods/days', { signal }))
  const sum = (key: 'all' | 'own') =>
    Array.isArray(days) ? days.reduce((total, each) => total + each[key], 0) : 0
  return (
    <Card className={`${styles.card} ${styles.wide}`}>
      <h2 className={styles.cardTitle}>The last {LIMITS.countedDays} days</h2>
      <div className={styles.activity}>
        {days === null && <div className={`${Classes.SKELETON} ${styles.activity}`} aria-hidden />}
        {days === 'failed' && <ErrorCallout title="Unable to load the IODs of each day" onRetry={again} />}
        {Array.isArray(days) && (
          <>
            <p className={styles.muted}>
              {formatAmount(sum('all'), 'IOD')} by all users, {formatCount(sum('own'))} by you.
            </p>
            <DayBars
              label={`IODs of the last ${LIMITS.countedDays} days`}
              series={['all users', 'you']}
              days={days.map(({ day, all, own }) => ({ day, values: [all, own] }))}
            />
          </>
        )}
      </div>
    </Card>
  )
}
