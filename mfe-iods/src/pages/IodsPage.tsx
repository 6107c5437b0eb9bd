import { errorDetail, hasStatus } from '@iodine/mfe-kit'
import { Button, EmptyState, ErrorCallout, Loading, Page, PageHeader } from '@iodine/ui'
import { PlusIcon, RefreshIcon, SearchIcon, TagIcon } from '@iodine/ui/icons'
import { useSearchParams } from '@iodine/ui/router'
import { useCallback, useMemo, useRef, useState } from 'react'
import { type IodFilters, isFiltered, NO_FILTERS, readFilters, readPage, writeSearch } from '../model/filters'
import { useIodCounts, useRefreshCounts } from '../queries/facets'
import { useIodList } from '../queries/list'
import { CreateIodDialog } from './CreateIodDialog'
import { FilterBar } from './FilterBar'
import styles from './IodsPage.module.css'
import { IodTable } from './IodTable'

const UNAUTHORIZED = 401

/** The shared list of IODs. Filters, search and page live in the address, so that a link shows the same list. */
export function IodsPage() {
  const { filters, setFilters, page, setPage } = useAddress()
  const list = useIodList(filters)
  const counts = useIodCounts(filters)
  const refreshCounts = useRefreshCounts()
  const [isCreating, setCreating] = useState(false)
  const [isRefreshing, setRefreshing] = useState(false)
  // A new version shows the table from its top.
  const [version, setVersion] = useState(0)

  const refresh = async () => {
    setRefreshing(true)
    setPage(1)
    setVersion(current => current + 1)
    await Promise.all([list.refresh(), refreshCounts()])
    setRefreshing(false)
  }
  const { iods, total = 0, error, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  const createButton = (
    <Button intent="primary" icon={<PlusIcon />} text="Create IOD" onClick={() => setCreating(true)} />
  )
  const content = () => {
    if (error && !isFetchNextPageError && !hasStatus(error, UNAUTHORIZED)) {
      return (
        <ErrorCallout title="Error loading data" onRetry={() => void refresh()} retrying={isFetching}>
          {errorDetail(error, 'Check your connection, then try again.')}
        </ErrorCallout>
      )
    }
    if (!iods) return <Loading />
    if (iods.length === 0) {
      return isFiltered(filters) ? (
        <EmptyState
          icon={<SearchIcon size={40} />}
          title="No IODs match these filters"
          description="Try other words, or clear the filters."
          action={<Button text="Clear filters" onClick={() => setFilters(NO_FILTERS)} />}
        />
      ) : (
        <EmptyState
          icon={<TagIcon size={40} />}
          title="No IODs yet"
          description="Create the first one, here or from a field of your data."
          action={createButton}
        />
      )
    }
    return (
      <IodTable
        key={`${version} ${writeSearch(filters)}`}
        iods={iods}
        total={total}
        page={page}
        startPage={version === 0 ? page : 1}
        onPageChange={setPage}
        hasMore={hasNextPage}
        isFetching={isFetching}
        isOutdated={list.isPlaceholderData}
        hasFailed={isFetchNextPageError}
        fetchMore={() => void fetchNextPage()}
      />
    )
  }
  return (
    <Page>
      <div className={styles.section}>
        <PageHeader
          title="Indicators of Disinformation"
          subtitle="Everyone’s IODs, newest first. Vote on those you can judge."
          actions={
            <>
              <Button
                icon={<RefreshIcon />}
                text="Refresh"
                onClick={() => void refresh()}
                loading={isRefreshing}
              />
              {createButton}
            </>
          }
        />
        <FilterBar filters={filters} counts={counts} onChange={setFilters} />
        {content()}
        <p className={styles.count} role="status">
          {iods &&
            `Showing ${total.toLocaleString('en-US')} of ${Math.max(total, counts.total ?? 0).toLocaleString('en-US')} IODs`}
        </p>
      </div>
      <CreateIodDialog isOpen={isCreating} onClose={() => setCreating(false)} onCreated={refresh} />
    </Page>
  )
}

function useAddress() {
  const [search, setSearch] = useSearchParams()
  const query = search.toString()
  const { filters, page } = useMemo(() => {
    const params = new URLSearchParams(query)
    return { filters: readFilters(params), page: readPage(params) }
  }, [query])
  const latest = useRef({ filters, setSearch })
  latest.current = { filters, setSearch }
  const setFilters = useCallback((next: IodFilters) => latest.current.setSearch(writeSearch(next)), [])
  const setPage = useCallback(
    (next: number) => latest.current.setSearch(writeSearch(latest.current.filters, next), { replace: true }),
    [],
  )
  return { filters, setFilters, page, setPage }
}
