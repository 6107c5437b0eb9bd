import type { AdminFailedWork } from '@iodine/contracts'
import { errorToast } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { Button, ButtonGroup, DateTime, formatCount, formatRelative, LoadingPanel } from '@iodine/ui'
import { RefreshIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { type Column, Table } from '@iodine/ui/table'
import { useState } from 'react'
import { useHost } from '../../app/HostProvider'
import styles from './System.module.css'

const REFETCH_MS = 5_000

/** Work that the services have given up, which can be tried again or removed; nothing where there is none. */
export function FailedWork() {
  const { api, notify } = useHost()
  const queryClient = useQueryClient()
  const query = useQuery({
    queryKey: ['failed-work'],
    queryFn: () => api.call('GET /admin/failed-work'),
    refetchInterval: REFETCH_MS,
  })
  const [leaving, setLeaving] = useState<AdminFailedWork | null>(null)
  const settle = async ({ service, id }: AdminFailedWork, action: 'retry' | 'drop'): Promise<void> => {
    const isRetry = action === 'retry'
    try {
      await api.call('POST /admin/failed-work/:service/:id', { params: { service, id }, body: { action } })
      notify({
        title: isRetry ? 'The work is tried again' : 'The work is removed',
        status: 'success',
        duration: 3000,
      })
    } catch (error) {
      notify(
        errorToast(error, isRetry ? 'The work could not be tried again' : 'The work could not be removed'),
      )
    }
    await queryClient.invalidateQueries({ queryKey: ['failed-work'] })
  }
  const columns = columnsOf({ retry: work => void settle(work, 'retry'), remove: setLeaving })
  if (query.data?.length === 0) return null
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>Failed work</h2>
      <p className={styles.notice}>Each is tried again once a day. Other work goes on meanwhile.</p>
      <LoadingPanel query={query} errorTitle="Unable to load the failed work">
        {all => <Table items={all} label="Failed work" columns={columns} minWidth={880} />}
      </LoadingPanel>
      <ConfirmDialog
        isOpen={leaving !== null}
        title="Remove failed work"
        confirmLabel="Remove"
        onConfirm={() => (leaving ? settle(leaving, 'drop') : Promise.resolve())}
        onClose={() => setLeaving(null)}
      >
        <p className={styles.text}>
          {leaving?.kind} of {leaving?.service} is never done then. This cannot be undone.
        </p>
      </ConfirmDialog>
    </section>
  )
}

interface Actions {
  retry: (work: AdminFailedWork) => void
  remove: (work: AdminFailedWork) => void
}

const columnsOf = ({ retry, remove }: Actions): readonly Column<AdminFailedWork>[] => [
  { name: 'Service', width: 112, isNamed: true, cell: ({ service }) => service },
  {
    name: 'Work',
    width: 184,
    isNamed: true,
    cell: ({ kind }) => <span className={styles.text}>{kind}</span>,
  },
  { name: 'Reason', isNamed: true, cell: ({ error }) => <span className={styles.text}>{error}</span> },
  {
    name: 'Attempts',
    width: 88,
    isNumber: true,
    isNamed: true,
    cell: ({ attempts }) => formatCount(attempts),
  },
  {
    name: 'Failed',
    width: 136,
    isNamed: true,
    cell: ({ failed_at }) => <DateTime value={failed_at} format={formatRelative} />,
  },
  {
    name: 'Actions',
    width: 96,
    cell: work => (
      <ButtonGroup variant="minimal">
        <Button
          icon={<RefreshIcon />}
          aria-label={`Try ${work.kind} again`}
          title="Try again"
          onClick={() => retry(work)}
        />
        <Button
          icon={<TrashIcon />}
          aria-label={`Remove ${work.kind}`}
          title="Remove"
          intent="danger"
          onClick={() => remove(work)}
        />
      </ButtonGroup>
    ),
  },
]
