import { type DataExport, formatQuota, LIMITS } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { Button, Callout, DateTime, LoadingPanel, ProgressBar, saveFile } from '@iodine/ui'
import { DownloadIcon } from '@iodine/ui/icons'
import styles from './Profile.module.css'
import { ProfileCard } from './ProfileCard'

const QUERY_KEY = ['data-export']
const POLL_MS = 1_000

/** Exports all stored data of the user as a file. */
export function YourDataCard() {
  const { api } = useHost()
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => api.call('GET /profile/data-export', { signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'working' ? POLL_MS : false),
  })
  return (
    <ProfileCard
      title="Your data"
      about={
        <>
          Export everything that is stored about you as a JSON file: your account and all that you collected,
          created and published, without keys. We email you when the file is ready. It is deleted after a day.
        </>
      }
    >
      <LoadingPanel query={query} errorTitle="Unable to load the state of the export" compact>
        {found => (
          <>
            {found?.state === 'working' && <Progress of={found} />}
            {found?.state === 'failed' && (
              <Callout role="alert" intent="warning" compact>
                Your data is larger than {formatQuota('record_bytes', LIMITS.dataExportBytes)}, the limit of
                an export. Write to us, and we will send it to you.
              </Callout>
            )}
            <div className={styles.row}>
              {found?.state === 'ready' && <Download of={found} />}
              {found?.state !== 'working' && <Begin again={found?.state === 'ready'} />}
            </div>
          </>
        )}
      </LoadingPanel>
    </ProfileCard>
  )
}

function Progress({ of: { done, total, waiting_for } }: { of: DataExport }) {
  return (
    <div role="status">
      <ProgressBar value={done / total} intent="primary" stripes={false} aria-label="Export progress" />
      <p className={styles.progress}>
        {done} of {total} services exported.
        {waiting_for !== null &&
          ' One service is not available right now. The export continues once it is back.'}
      </p>
    </div>
  )
}

function Begin({ again }: { again: boolean }) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const begin = useAction({
    mutationFn: () => api.call('POST /profile/data-export'),
    onSuccess: started =>
      writeOver(queryClient, [QUERY_KEY], () => queryClient.setQueryData(QUERY_KEY, started)),
    onError: () => queryClient.invalidateQueries({ queryKey: QUERY_KEY }),
    failed: 'Unable to export your data',
  })
  return (
    <Button
      intent={again ? 'none' : 'primary'}
      text={again ? 'Export again' : 'Export my data'}
      loading={begin.isPending}
      onClick={() => void begin.run()}
    />
  )
}

function Download({ of: { id, created_at, bytes, expires_at } }: { of: DataExport }) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const download = useAction({
    mutationFn: async () => {
      const content = await api.download('GET /profile/data-export/:id', { params: { id } })
      saveFile(`iodine-data-${created_at.slice(0, 10)}.json`, content)
    },
    onError: () => queryClient.invalidateQueries({ queryKey: QUERY_KEY }),
    failed: 'Unable to download your data',
  })
  return (
    <>
      <Button
        intent="primary"
        icon={<DownloadIcon />}
        text={`Download (${formatQuota('record_bytes', bytes)})`}
        loading={download.isPending}
        onClick={() => void download.run()}
      />
      {expires_at && (
        <span className={styles.muted}>
          Kept until <DateTime value={expires_at} />
        </span>
      )}
    </>
  )
}
