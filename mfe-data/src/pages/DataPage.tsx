import { type Category, COLLECTED_SOURCES, LIMITS, SOURCES, type Source } from '@iodine/contracts'
import { suggestCategory } from '@iodine/known-iods'
import {
  errorToast,
  FORM_CATEGORIES,
  IodForm,
  isUnauthorized,
  paths,
  useAction,
  useHost,
  useSections,
} from '@iodine/mfe-kit'
import {
  Button,
  Callout,
  formatAmount,
  Page,
  PageHeader,
  SearchInput,
  toggled,
  useRetained,
  useSearchText,
} from '@iodine/ui'
import { ImportIcon, RefreshIcon } from '@iodine/ui/icons'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { useSearchParams } from '@iodine/ui/router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { analyzedText, readAnalyzed } from '../model/analyzed'
import { quoteOf, type RecordView, type TextSelection } from '../model/record-view'
import { useAddOwnIod, useOwnIods, useReloadIods } from '../queries/iods'
import {
  type Records,
  useAllRecords,
  useDeleteRecord,
  useHasPosts,
  useReloadRecords,
  type Wanted,
} from '../queries/records'
import styles from './DataPage.module.css'
import { ExportButton } from './ExportButton'
import { RecordTabs } from './RecordTabs'
import { SelectedRecords, WantedRecords } from './record-context'
import { ShareBar } from './ShareBar'

const NONE: ReadonlySet<string> = new Set()
const SUCCESS_MS = 3000
const ERROR_MS = 5000

/** The selected text from which the open form creates an IOD. */
interface FormSelection extends TextSelection {
  view: RecordView
  suggested: Category
}

/** 'My Data': the signed-in user's records by source. */
export function DataPage() {
  const { requested, wanted, setSource, setTerm, showAll } = useView()
  const { term, analyzed } = wanted
  const filters = analyzedText(analyzed)
  const [text, setText] = useSearchText(term, setTerm)
  const all = useAllRecords(wanted)
  // Posts of other platforms have a tab once the user has such a record.
  const hasPosts = useHasPosts(term !== '' || filters !== '', all.post) ?? requested === 'post'
  const tabs: readonly Source[] = hasPosts ? SOURCES : COLLECTED_SOURCES
  const source = tabs.includes(requested) ? requested : SOURCES[0]
  const { isError: isMarkingDown } = useOwnIods()
  const reloading = useReload(wanted)
  const [picked, setPicked] = useState<FormSelection | null>(null)
  const [deleting, setDeleting] = useState<RecordView | null>(null)
  const { chosen, setChosen, choosing } = useChosen()
  useFailureToast(all)

  const startIod = useCallback(
    (view: RecordView, words: TextSelection) =>
      setPicked({ ...words, view, suggested: suggestCategory(words.path, words.value) }),
    [],
  )
  return (
    <Page>
      <Header source={source} wanted={wanted} chosen={chosen} onChosen={setChosen} reloading={reloading} />
      <div className={styles.search}>
        <SearchInput
          value={text}
          onChange={next => setText(next.slice(0, LIMITS.searchMax))}
          placeholder="Search your data..."
        />
        <Hits term={term} all={all} />
      </div>
      {isMarkingDown && !all[source].error && (
        <Callout className={styles.notice} intent="warning" compact>
          Known IODs can’t be highlighted right now. Press Refresh to try again.
        </Callout>
      )}
      {chosen && <ShareBar source={source} ids={chosen} onDone={() => setChosen(null)} />}
      {filters && (
        <Callout className={styles.notice} icon={false} compact>
          Only records {filters}. <Button size="small" variant="minimal" text="Show all" onClick={showAll} />
        </Callout>
      )}
      <WantedRecords value={wanted}>
        <SelectedRecords value={choosing}>
          <RecordTabs
            tabs={tabs}
            source={source}
            all={all}
            onSource={next => {
              setSource(next)
              if (chosen) setChosen(NONE)
            }}
            onStartIod={startIod}
            onDelete={setDeleting}
          />
        </SelectedRecords>
      </WantedRecords>
      <CreateIod
        picked={picked}
        onClose={() => setPicked(null)}
        onQuoted={quoted => setPicked(current => (current === quoted ? null : current))}
        onCreated={reloading.afterCreation}
      />
      <DeleteRecord
        wanted={wanted}
        record={deleting}
        onClose={() => setDeleting(null)}
        onDeleted={reloading.afterDeletion}
      />
    </Page>
  )
}

/** The records selected for sharing; null while the page is not in selection mode. */
function useChosen() {
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const choosing = useMemo(
    () =>
      chosen && {
        ids: chosen,
        toggle: (id: string) => setChosen(current => current && new Set(toggled([...current], id))),
      },
    [chosen],
  )
  return { chosen, setChosen, choosing }
}

interface HeaderProps {
  source: Source
  wanted: Wanted
  chosen: ReadonlySet<string> | null
  onChosen: (chosen: ReadonlySet<string> | null) => void
  reloading: ReturnType<typeof useReload>
}

function Header({ source, wanted, chosen, onChosen, reloading }: HeaderProps) {
  const sections = useSections()
  return (
    <PageHeader
      title="My Data"
      subtitle="Data collected from your browser extension. Click the add icon on a field, or select text in it, to create an IOD."
      actions={
        <>
          <Button
            text={chosen ? 'End selection' : 'Select to share'}
            active={chosen !== null}
            title="Select several records, to share them with other members or stop sharing them"
            onClick={() => onChosen(chosen ? null : NONE)}
          />
          <Button
            icon={<ImportIcon />}
            text="Import"
            title="Bring posts that you collected with other tools"
            onClick={() => sections.open(paths.importData())}
          />
          <ExportButton source={source} {...wanted} chosen={chosen} />
          <Button
            icon={<RefreshIcon />}
            text="Refresh"
            onClick={reloading.reload}
            loading={reloading.isReloading}
          />
        </>
      }
    />
  )
}

/** The number of records that contain the term, once all tabs have loaded theirs. */
function Hits({ term, all }: { term: string; all: Record<Source, Records> }) {
  const totals = SOURCES.map(source => all[source].total)
  const isKnown = totals.every(total => total !== undefined)
  const found = totals.reduce<number>((sum, total) => sum + (total ?? 0), 0)
  return (
    <p className={styles.hits} aria-live="polite">
      {term && isKnown && `${formatAmount(found, 'record contains', 'records contain')} this text`}
    </p>
  )
}

interface CreateIodProps {
  picked: FormSelection | null
  onClose: () => void
  onCreated: () => Promise<unknown>
  /** Called once the text is evidence of an existing IOD. */
  onQuoted: (picked: FormSelection) => void
}

function CreateIod({ picked, onClose, onQuoted, onCreated }: CreateIodProps) {
  const addOwn = useAddOwnIod()
  const shown = useRetained(picked)
  if (!shown) return null
  const { view, value, suggested } = shown
  return (
    <IodForm
      isOpen={picked !== null}
      title="Create IOD from Data Field"
      initial={{ value, category: suggested }}
      draftName={`record:${view.id}:${value}`}
      categories={FORM_CATEGORIES}
      labels={{ category: 'IOD Category' }}
      canSubmit={({ value, category }) => value.trim() !== '' && category !== ''}
      iodOf={({ value, category, description }) => ({
        value,
        category,
        description,
        source_type: view.sourceType,
        source: view.iodSource,
      })}
      done={ways => ({ title: 'Success', description: 'IOD created', duration: SUCCESS_MS, ...ways })}
      failed={{ description: 'Failed to create IOD', duration: ERROR_MS }}
      readQuote={() => quoteOf(view, shown)}
      onCreated={iod => {
        addOwn(iod)
        void onCreated()
      }}
      onQuoted={() => onQuoted(shown)}
      onClose={onClose}
    />
  )
}

interface DeleteRecordProps {
  wanted: Wanted
  record: RecordView | null
  onClose: () => void
  onDeleted: (source: Source) => Promise<unknown>
}

function DeleteRecord({ wanted, record, onClose, onDeleted }: DeleteRecordProps) {
  const deleteRecord = useDeleteRecord(wanted)
  const { run } = useAction({
    mutationFn: ({ source, id }: RecordView) => deleteRecord(source, id),
    onSuccess: (_, { source }) => void onDeleted(source),
    done: { title: 'Deleted', description: 'Data deleted successfully', duration: SUCCESS_MS },
    failed: () => errorToast(null, 'Failed to delete data', { duration: ERROR_MS }),
  })
  return (
    <ConfirmDialog
      isOpen={record !== null}
      title="Delete data"
      confirmLabel="Delete"
      onConfirm={async () => record && run(record)}
      onClose={onClose}
    >
      Are you sure you want to delete this data?
    </ConfirmDialog>
  )
}

/** The requested tab and the searched term, stored in the URL. */
function useView() {
  const [search, setSearch] = useSearchParams()
  const text = search.toString()
  const requested = SOURCES.find(candidate => candidate === search.get('source')) ?? SOURCES[0]
  const term = (search.get('q') ?? '').slice(0, LIMITS.searchMax).trim()
  const wanted = useMemo(() => ({ term, analyzed: readAnalyzed(new URLSearchParams(text)) }), [term, text])
  const set = ({ source, term, analyzed }: { source: Source } & Wanted) =>
    setSearch(
      {
        ...Object.fromEntries(Object.entries(analyzed).map(([name, value]) => [name, String(value)])),
        ...(source !== SOURCES[0] && { source }),
        ...(term && { q: term }),
      },
      { replace: true },
    )
  return {
    requested,
    wanted,
    setSource: (source: Source) => set({ ...wanted, source }),
    setTerm: (next: string) => set({ ...wanted, source: requested, term: next.trim() }),
    showAll: () => set({ source: requested, term, analyzed: {} }),
  }
}

/** Shows one toast for all failed sources, once all have loaded or failed. Sources that failed before show none. */
function useFailureToast(all: Record<Source, Records>): void {
  const { notify } = useHost()
  const reported = useRef<readonly Source[]>([])
  useEffect(() => {
    const failed = SOURCES.filter(source => all[source].error && !all[source].isFetching)
    reported.current = reported.current.filter(source => all[source].error)
    const isPending = SOURCES.some(source => !all[source].data && all[source].isFetching)
    const isNew = failed.some(source => !reported.current.includes(source))
    if (isPending || !isNew || SOURCES.some(source => isUnauthorized(all[source].error))) return
    reported.current = failed
    notify(errorToast(null, 'Failed to fetch data', { duration: ERROR_MS }))
  })
}

/** Returns functions that refetch everything, or the data that a change may have affected. */
function useReload(wanted: Wanted) {
  const records = useReloadRecords(wanted)
  const iods = useReloadIods()
  const { run, isPending } = useAction({
    mutationFn: (refetch: () => Promise<unknown>) => refetch(),
    failed: () => errorToast(null, 'Failed to refresh data', { duration: ERROR_MS }),
  })
  return {
    isReloading: isPending,
    reload: () => void run(() => Promise.all([records(SOURCES), iods.all()])),
    /** A new IOD affects only the user's IODs. */
    afterCreation: () => run(iods.own),
    /** A deletion affects only records: IODs created from the record remain. */
    afterDeletion: (source: Source) => run(() => records([source])),
  }
}
