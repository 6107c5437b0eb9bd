import { formatQuota, type Quota, type QuotaUsage, type Usage } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { LoadingPanel, ProgressBar } from '@iodine/ui'
import { useId } from 'react'
import { ProfileCard } from './ProfileCard'
import { QUOTA_LABELS } from './quota-labels'
import styles from './UsageCard.module.css'

const NEARLY_FULL = 0.8
const REFETCH_MS = 5_000

/** The user's usage of each quota. */
export function UsageCard() {
  const { api } = useHost()
  const query = useQuery({
    queryKey: ['usage'],
    queryFn: () => api.call('GET /profile/usage'),
    // A null quota means that its service was unavailable: the request is repeated.
    refetchInterval: ({ state: { data } }) =>
      data && Object.values(data).includes(null) ? REFETCH_MS : false,
  })
  return (
    <ProfileCard title="Usage and limits">
      <LoadingPanel
        query={query}
        errorTitle="Unable to load usage"
        skeleton={
          <div aria-hidden>
            <QuotaRows usage={{}} />
          </div>
        }
      >
        {usage => (
          <>
            <QuotaRows usage={usage} />
            {QUOTA_LABELS.some(([name]) => usage[name] === null) && (
              <p className={styles.muted}>— not available right now</p>
            )}
          </>
        )}
      </LoadingPanel>
    </ProfileCard>
  )
}

function QuotaRows({ usage }: { usage: Partial<Usage> }) {
  return (
    <ul className={styles.rows}>
      {QUOTA_LABELS.map(([name, label]) => (
        <Row key={name} name={name} label={label} usage={usage[name] ?? null} />
      ))}
    </ul>
  )
}

function Row({ name, label, usage }: { name: Quota; label: string; usage: QuotaUsage | null }) {
  const id = useId()
  const share = usage ? Math.min(1, usage.used / usage.limit) : 0
  const intent = share >= 1 ? 'danger' : share >= NEARLY_FULL ? 'warning' : 'primary'
  return (
    <li className={styles.row}>
      <span id={id}>{label}</span>
      <span className={styles.amount}>
        {usage ? (
          <>
            <span className={share >= 1 ? styles.full : undefined}>{formatQuota(name, usage.used)}</span>
            {` of ${formatQuota(name, usage.limit)}`}
          </>
        ) : (
          '—'
        )}
      </span>
      <ProgressBar
        className={styles.bar}
        aria-labelledby={id}
        aria-hidden={usage === null}
        animate={false}
        stripes={false}
        intent={usage ? intent : 'none'}
        value={share}
      />
    </li>
  )
}
