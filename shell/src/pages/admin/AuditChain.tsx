import { useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { Callout, ErrorCallout, formatAmount, formatDate, formatRelative } from '@iodine/ui'
import styles from './AuditLog.module.css'
import { faultOf } from './audit-words'

/** Key of the queries that read the audit log. */
export const AUDIT = ['audit']

/** Shows whether the audit log is intact: no entry changed, moved or removed. */
export function AuditChain() {
  const { api } = useHost()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...AUDIT, 'state'],
    queryFn: () => api.call('GET /admin/audit/state'),
  })
  if (error)
    return (
      <div className={styles.state}>
        <ErrorCallout
          title="Unable to verify the log"
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      </div>
    )
  if (!data)
    return (
      <Callout className={styles.state} compact role="status">
        Verifying the log…
      </Callout>
    )
  const { fault, entries, since, checked_at } = data
  return (
    <Callout className={styles.state} compact intent={fault ? 'danger' : 'success'} role="status">
      {fault
        ? faultOf(fault)
        : `Log verified: no entry was changed or removed. ${formatAmount(entries, 'entry', 'entries')}${since ? ` since ${formatDate(since)}` : ''}.`}{' '}
      Checked {formatRelative(checked_at)}.
    </Callout>
  )
}
