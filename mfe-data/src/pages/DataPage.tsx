import { CATEGORIES, type Category, SOURCES, type Source } from '@iodine/contracts'
import { suggestCategory } from '@iodine/known-iods'
import { errorDetail, hasStatus, useHost } from '@iodine/mfe-kit'
import { Button, Callout, EmptyState, Loading, Page, PageHeader, Tab, Tabs } from '@iodine/ui'
import { DatabaseIcon, RefreshIcon } from '@iodine/ui/icons'
import { ConfirmDialog, IodDialog, type IodDraft } from '@iodine/ui/overlays'
import { useSearchParams } from '@iodine/ui/router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { RecordView } from '../model/record-view'
import { useCreateIod, useOwnIods, useReloadIods } from '../queries/iods'
import { type Records, useAllRecords, useDeleteRecord, useReloadRecords } from '../queries/records'
import styles from './DataPage.module.css'
import { ReadFailure } from './ReadFailure'
import { RecordGrid } from './RecordGrid'

const TAB_LABELS: Record<Source, string> = {
  tiktok: 'Short videos',
  telegram: 'Messaging channels',
  blog: 'Blogs',
}
const SUCCESS_MS = 3000
const ERROR_MS = 5000
const UNAUTHORIZED = 401
/** The category of triplets, which are made in Narratives. */
const FIELD_CATEGORIES = CATEGORIES.filter(category => category !== 'NARRATIVE_TRIPLET')

/** What the open IOD form is about. */
interface StartedIod {
  view: RecordView
  value: string
  suggested: Category
}

/** 'My Data': the signed-in user's records by source. */
export function DataPage() {
  const all = useAllRecords()
  const { isError: isMarkingDown } = useOwnIods()
  const [source, setSource] = useTab()
  const notifyError = useNotifyError()
  const { reload, isReloading } = useReload()
  const [started, setStarted] = useState<StartedIod | null>(null)
  const [doomed, setDoomed] = useState<RecordView | null>(null)

  const failed = SOURCES.filter(candidate => all[candidate].error && !all[candidate].isFetching).join()
  const isSignedOut = SOURCES.some(candidate => hasStatus(all[candidate].error, UNAUTHORIZED))
  useEffect(() => {
    if (failed && !isSignedOut) notifyError('Failed to fetch data')
  }, [failed, isSignedOut, notifyError])

  const startIod = useCallback(
    (view: RecordView, path: string, value: string) =>
      setStarted({ view, value, suggested: suggestCategory(path, value) }),
    [],
  )
  return (
    <Page>
      <PageHeader
        title="My Data"
        subtitle="Data collected from your browser extension. Click the add icon on a field, or select text in it, to create an IOD."
        actions={<Button icon={<RefreshIcon />} text="Refresh" onClick={reload} loading={isReloading} />}
      />
      {isMarkingDown && (
        <Callout className={styles.notice} intent="warning" compact>
          IODs can’t be marked in your data right now. Refresh to try again.
        </Callout>
      )}
      <Tabs
        id="my-data"
        className={styles.tabs}
        selectedTabId={source}
        onChange={id => setSource(id as Source)}
        renderActiveTabPanelOnly
      >
        {SOURCES.map(candidate => (
          <Tab
            key={candidate}
            id={candidate}
            title={TAB_LABELS[candidate]}
            tagContent={all[candidate].total?.toLocaleString('en-US')}
            panel={
              <RecordPanel
                source={candidate}
                records={all[candidate]}
                onStartIod={startIod}
                onDelete={setDoomed}
              />
            }
          />
        ))}
      </Tabs>
      <CreateIod started={started} onClose={() => setStarted(null)} reload={reload} />
      <DeleteRecord doomed={doomed} onClose={() => setDoomed(null)} reload={reload} />
    </Page>
  )
}

interface RecordPanelProps {
  source: Source
  records: Records
  onStartIod: (view: RecordView, path: string, value: string) => void
  onDelete: (view: RecordView) => void
}

function RecordPanel({ source, records: list, onStartIod, onDelete }: RecordPanelProps) {
  const { slots, total = 0, error, isFetching, hasMore, fetchMore, retry } = list
  const failure = error && <ReadFailure error={error} onRetry={retry} isRetrying={isFetching} />
  if (!slots) return failure ?? <Loading />
  if (slots.length === 0 && !hasMore) {
    return (
      <EmptyState
        icon={<DatabaseIcon size={40} />}
        title="No data collected yet"
        description="Open a page of this kind with the browser extension to collect it: it will appear here."
      />
    )
  }
  return (
    <>
      <RecordGrid
        source={source}
        label={TAB_LABELS[source]}
        slots={slots}
        total={total}
        hasMore={hasMore}
        isFetching={isFetching}
        fetchMore={fetchMore}
        onStartIod={onStartIod}
        onDelete={onDelete}
      />
      {failure}
      {hasMore && <Loading />}
    </>
  )
}

interface FollowUpProps {
  onClose: () => void
  /** Reads again what the change may have touched. */
  reload: () => Promise<void>
}

function CreateIod({ started, onClose, reload }: FollowUpProps & { started: StartedIod | null }) {
  const { notify } = useHost()
  const notifyError = useNotifyError()
  const createIod = useCreateIod()
  const submit = async ({ value, category, description }: IodDraft): Promise<boolean> => {
    if (!started || category === '') return false
    const { sourceType, iodSource } = started.view
    try {
      await createIod({ value, category, description, source_type: sourceType, source: iodSource })
    } catch (error) {
      notifyError(errorDetail(error, 'Failed to create IOD'))
      return false
    }
    notify({ title: 'Success', description: 'IOD created', status: 'success', duration: SUCCESS_MS })
    void reload()
    return true
  }
  return (
    <IodDialog
      isOpen={started !== null}
      title="Create IOD from Data Field"
      {...(started && { initial: { value: started.value, category: started.suggested } })}
      categories={FIELD_CATEGORIES}
      labels={{ category: 'IOD Category' }}
      canSubmit={({ value, category }) => value.trim() !== '' && category !== ''}
      onSubmit={submit}
      onClose={onClose}
    />
  )
}

function DeleteRecord({ doomed, onClose, reload }: FollowUpProps & { doomed: RecordView | null }) {
  const { notify } = useHost()
  const notifyError = useNotifyError()
  const deleteRecord = useDeleteRecord()
  const confirm = async () => {
    if (!doomed) return
    try {
      await deleteRecord(doomed.source, doomed.id)
    } catch {
      notifyError('Failed to delete data')
      return
    }
    notify({
      title: 'Deleted',
      description: 'Data deleted successfully',
      status: 'success',
      duration: SUCCESS_MS,
    })
    void reload()
  }
  return (
    <ConfirmDialog
      isOpen={doomed !== null}
      title="Delete data"
      confirmLabel="Delete"
      onConfirm={confirm}
      onClose={onClose}
    >
      Are you sure you want to delete this data?
    </ConfirmDialog>
  )
}

/** The chosen tab, kept in the address. */
function useTab(): [Source, (source: Source) => void] {
  const [search, setSearch] = useSearchParams()
  const source = SOURCES.find(candidate => candidate === search.get('source')) ?? SOURCES[0]
  return [source, next => setSearch(next === SOURCES[0] ? {} : { source: next }, { replace: true })]
}

/** Reads records and IODs again; a failure is told. */
function useReload(): { reload: () => Promise<void>; isReloading: boolean } {
  const notifyError = useNotifyError()
  const reloadRecords = useReloadRecords()
  const reloadIods = useReloadIods()
  const [isReloading, setReloading] = useState(false)
  const running = useRef(0)
  const reload = useCallback(async () => {
    running.current += 1
    setReloading(true)
    try {
      await Promise.all([reloadRecords(), reloadIods()])
    } catch (error) {
      if (!hasStatus(error, UNAUTHORIZED)) notifyError('Failed to refresh data')
    } finally {
      running.current -= 1
      setReloading(running.current > 0)
    }
  }, [reloadRecords, reloadIods, notifyError])
  return { reload, isReloading }
}

function useNotifyError(): (description: string) => void {
  const { notify } = useHost()
  return useCallback(
    description => notify({ title: 'Error', description, status: 'error', duration: ERROR_MS }),
    [notify],
  )
}
