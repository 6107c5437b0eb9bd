import type { Iod, IodSort } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQueryClient } from '@iodine/mfe-kit/query'
import {
  Button,
  EmptyState,
  formatAmount,
  formatCount,
  LoadingPanel,
  Page,
  PageHeader,
  useLatest,
} from '@iodine/ui'
import { PlusIcon, RefreshIcon, SearchIcon, TagIcon, TickIcon } from '@iodine/ui/icons'
import { HotkeysProvider } from '@iodine/ui/overlays'
import { useLocation, useNavigate, useSearchParams } from '@iodine/ui/router'
import { TableSkeleton } from '@iodine/ui/table'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import {
  type IodFilters,
  isFiltered,
  NO_FILTERS,
  readFilters,
  readPage,
  readSort,
  writeSearch,
} from '../model/filters'
import { EMPTY_SELECTION, SELECTED_MAX, type Selection, withSelected } from '../model/selection'
import { FACETS_KEY, useIodCounts } from '../queries/facets'
import { IOD_KEY } from '../queries/iod'
import { type IodList, useIodList } from '../queries/list'
import { useReadMatching } from '../queries/select'
import { AddToCampaignDialog } from './AddToCampaignDialog'
import { CreateIodDialog } from './CreateIodDialog'
import { FilterBar } from './FilterBar'
import styles from './IodsPage.module.css'
import { IodTable } from './IodTable'
import { HEIGHTS, iodColumns } from './iod-columns'
import { focusPanel } from './panel-focus'
import { SelectionBar } from './SelectionBar'
import { useKeys, useKeysDialog } from './use-keys'
import { usePanel } from './use-panel'

const IodPanel = lazy(() => import('./IodPanel').then(module => ({ default: module.IodPanel })))

const BLANK_COLUMNS = iodColumns('', () => {})

const KEYS = { title: 'Keyboard shortcuts' }

/**
 * The shared list of IODs. The URL contains search, filters, order, page and the IOD of the open side panel, so that a
 * link shows the same view.
 */
export function IodsPage() {
  return (
    <HotkeysProvider dialogProps={KEYS}>
      <IodsList />
    </HotkeysProvider>
  )
}

function IodsList() {
  const { filters, setFilters, sort, setSort, page, setPage } = useViewParams()
  const list = useIodList(filters, sort)
  const counts = useIodCounts(filters)
  const { openId, open } = usePanel()
  const [isCreating, setCreating] = useState(false)
  const { refresh, isRefreshing, version } = useRefresh(list, () => setPage(1))
  const search = writeSearch(filters, { sort }).toString()
  const { selection, select, clear } = useSelection()
  const [adding, setAdding] = useState<readonly string[] | null>(null)
  const showKeys = useKeysDialog()

  useKeys('List', [
    { combo: 'c', label: 'Create an IOD', act: () => setCreating(true) },
    { combo: 'r', label: 'Refresh', act: () => void refresh() },
    { combo: '/', label: 'Search' },
    {
      combo: 'esc',
      label: 'Clear the selection',
      act: () => openId === undefined && selection.size > 0 && clear(),
    },
    { combo: '?', label: 'Show keyboard shortcuts' },
  ])
  return (
    <Page>
      <div className={selection.size > 0 ? `${styles.section} ${styles.selecting}` : styles.section}>
        <Header isRefreshing={isRefreshing} onRefresh={refresh} onCreate={() => setCreating(true)} />
        <FilterBar
          filters={filters}
          creator={creatorNamed(list.data, filters)}
          counts={counts}
          onChange={setFilters}
          sort={sort}
          onSortChange={setSort}
        />
        <SelectionBar
          selection={selection}
          list={list}
          search={search}
          readMatching={useReadMatching(filters, sort)}
          onSelect={found => select(found, true)}
          onClear={clear}
          onAddToCampaign={() => setAdding([...selection.keys()])}
          onShowKeys={showKeys}
        />
        <LoadingPanel
          // The table itself reports a failure to load its next page.
          query={{ ...list, refetch: refresh }}
          errorTitle="Error loading data"
          skeleton={<TableSkeleton columns={BLANK_COLUMNS} heights={HEIGHTS} />}
          empty={<EmptyList filters={filters} onClear={() => setFilters(NO_FILTERS)} />}
        >
          {rows => (
            <IodTable
              key={`${version} ${search}`}
              iods={rows}
              q={filters.q}
              list={list}
              page={page}
              startPage={version === 0 ? page : 1}
              onPageChange={setPage}
              selection={selection}
              onSelect={select}
              openId={openId}
              onOpen={({ id }) => (id === openId ? focusPanel() : open(id))}
            />
          )}
        </LoadingPanel>
        <Notes list={list} all={counts.total} />
      </div>
      <AddToCampaignDialog iodIds={adding} onClose={() => setAdding(null)} onAdded={clear} />
      <CreateIodDialog isOpen={isCreating} onClose={() => setCreating(false)} onCreated={refresh} />
      {openId !== undefined && (
        <Suspense fallback={null}>
          <IodPanel id={openId} />
        </Suspense>
      )}
    </Page>
  )
}

/** Refetches the list from its start. A new `version` remounts the table, which scrolls it to its top. */
function useRefresh(list: IodList, onStart: () => void) {
  const queryClient = useQueryClient()
  const [isRefreshing, setRefreshing] = useState(false)
  const [version, setVersion] = useState(0)
  const refresh = async () => {
    setRefreshing(true)
    onStart()
    setVersion(current => current + 1)
    const others = [FACETS_KEY, IOD_KEY].map(queryKey => queryClient.invalidateQueries({ queryKey }))
    await Promise.all([list.refresh(), ...others])
    setRefreshing(false)
  }
  return { refresh, isRefreshing, version }
}

interface HeaderProps {
  isRefreshing: boolean
  onRefresh: () => unknown
  onCreate: () => void
}

function Header({ isRefreshing, onRefresh, onCreate }: HeaderProps) {
  const navigate = useNavigate()
  return (
    <PageHeader
      title="Indicators of Disinformation"
      subtitle="IODs created by all members. Vote on IODs that you can assess."
      actions={
        <>
          <Button
            icon={<RefreshIcon />}
            text="Refresh"
            onClick={() => void onRefresh()}
            loading={isRefreshing}
          />
          <Button icon={<TickIcon />} text="Check a list" onClick={() => navigate('/check')} />
          <Button intent="primary" icon={<PlusIcon />} text="Create IOD" onClick={onCreate} />
        </>
      }
    />
  )
}

const EmptyList = ({ filters, onClear }: { filters: IodFilters; onClear: () => void }) =>
  isFiltered(filters) ? (
    <EmptyState
      icon={<SearchIcon size={40} />}
      title="No IODs match these filters"
      description="Try other words, or clear the filters."
      action={<Button text="Clear filters" onClick={onClear} />}
    />
  ) : (
    <EmptyState
      icon={<TagIcon size={40} />}
      title="No IODs yet"
      description="Create the first one, here or from a field of your data."
    />
  )

/** The number of IODs in the list, and a help text for their votes. `all`: the number without filters. */
function Notes({
  list: { data: iods, total = 0, isExact },
  all,
}: {
  list: IodList
  all: number | undefined
}) {
  // `all` is exact, but may be older than the total, or still loading.
  const ofAll = all === undefined || all < total ? formatCount(total, isExact) : formatCount(all)
  return (
    <>
      <p className={styles.count} role="status">
        {iods && `Showing ${formatCount(total, isExact)} of ${ofAll} IODs`}
      </p>
      {iods && iods.length > 0 && (
        <p className={styles.votes}>
          Votes of accounts that often vote together count less: they are the pale part of a bar. “≈
          independent” estimates how many votes count.
        </p>
      )}
    </>
  )
}

/** Returns the name of the creator in the filter, read from the rows. */
const creatorNamed = (iods: readonly Iod[] | undefined, { createdBy }: IodFilters) =>
  iods?.find(({ created_by_id }) => created_by_id === createdBy)?.created_by ?? undefined

/** Holds the selected IODs. The selection survives other filters and pages, but not a change of section. */
function useSelection() {
  const { notify } = useHost()
  const [selection, setSelection] = useState<Selection>(EMPTY_SELECTION)
  const latest = useLatest(selection)
  const select = (iods: readonly Iod[], isSelected: boolean) => {
    const { selection, omitted } = withSelected(latest.current, iods, isSelected)
    setSelection(selection)
    if (omitted > 0)
      notify({
        title: `At most ${formatCount(SELECTED_MAX)} IODs can be selected`,
        description: `${formatAmount(omitted, 'IOD')} not selected.`,
        status: 'warning',
      })
  }
  const clear = () => setSelection(EMPTY_SELECTION)
  return { selection, select, clear }
}

function useViewParams() {
  const [search, setSearch] = useSearchParams()
  const query = search.toString()
  const { filters, sort, page } = useMemo(() => {
    const params = new URLSearchParams(query)
    return { filters: readFilters(params), sort: readSort(params), page: readPage(params) }
  }, [query])
  const { state } = useLocation()
  /** The latest query written to the URL: a click may precede the render of the previous one. */
  const latestQuery = useRef(query)
  useEffect(() => {
    latestQuery.current = query
  }, [query])
  const write = (
    change: (now: URLSearchParams) => URLSearchParams,
    options?: Parameters<typeof setSearch>[1],
  ) => {
    const next = change(new URLSearchParams(latestQuery.current))
    latestQuery.current = next.toString()
    setSearch(next, options)
  }
  const setFilters = (changes: Partial<IodFilters>) =>
    write(now => writeSearch({ ...readFilters(now), ...changes }, { sort: readSort(now) }))
  const setSort = (sort: IodSort) => write(now => writeSearch(readFilters(now), { sort }))
  const setPage = (next: number) =>
    write(
      now => {
        if (next > 1) now.set('page', String(next))
        else now.delete('page')
        return now
      },
      { replace: true, state },
    )
  return { filters, setFilters, sort, setSort, page, setPage }
}
