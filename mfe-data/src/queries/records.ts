import type { Source, Stored } from '@iodine/contracts'
import { type ApiClient, useHost } from '@iodine/mfe-kit'
import { usePagedQuery, useQueries, useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Analyzed } from '../model/analyzed'
import {
  flattenPages,
  replaceFirstPage,
  type Slot,
  type SlotPage,
  withoutRecords,
} from '../model/record-pages'

const PAGE_SIZE = 20
/** Time after which contents outside the viewport are dropped, to bound memory. They are refetched when needed. */
const CONTENTS_KEPT_MS = 15_000

interface Pages {
  pages: SlotPage[]
  pageParams: (string | null)[]
}
type Contents = Awaited<ReturnType<typeof readPage>>

const PAGES = ['record-page']
const HAS_POSTS = ['has-posts']
/** Records by a searched term, all for an empty one, and by the filters of a link from Analytics. */
export interface Wanted {
  term: string
  analyzed: Analyzed
}
export interface Selection extends Wanted {
  source: Source
}

const listKey = ({ source, term, analyzed }: Selection) => ['records', source, term, analyzed]
const pageKey = ({ source, term, analyzed }: Selection, cursor: string | null) => [
  ...PAGES,
  source,
  term,
  analyzed,
  cursor,
]

const readPage = (api: ApiClient, { source, term, analyzed }: Selection, cursor: string | null) =>
  api.page('GET /:source/data', {
    params: { source },
    query: { ...analyzed, limit: PAGE_SIZE, ...(term && { q: term }), ...(cursor !== null && { cursor }) },
  })

/** Returns the query of a page's records. The list keeps all slots, but contents only near the viewport. */
const contentsOf = (api: ApiClient, selection: Selection, cursor: string | null) => ({
  queryKey: pageKey(selection, cursor),
  queryFn: () => readPage(api, selection, cursor),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: CONTENTS_KEPT_MS,
})

const slotsOf = ({ items, total, nextCursor }: Contents, cursor: string | null): SlotPage => ({
  slots: items.map(({ id }) => ({ id, cursor })),
  total,
  nextCursor,
})

export interface Records {
  /** The slots of the records listed so far; undefined before the first page. */
  data: Slot[] | undefined
  /** Number of all records; undefined before the first page. */
  total: number | undefined
  error: Error | null
  isFetching: boolean
  hasMore: boolean
  fetchMore: () => void
  refetch: () => void
}

function useRecords(source: Source, wanted: Wanted): Records {
  const selection = { source, ...wanted }
  const { api } = useHost()
  const queryClient = useQueryClient()
  const query = usePagedQuery({
    queryKey: listKey(selection),
    readPage: async ({ cursor = null }) =>
      slotsOf(await queryClient.fetchQuery({ ...contentsOf(api, selection, cursor), staleTime: 0 }), cursor),
    // TanStack would refetch every loaded page; `useReloadRecords` refetches the first page and those in
    // view.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // The query of the page's contents already retries.
    retry: false,
  })
  // Keeps the first page cached: refetched alone, it could contain records that the list lacks.
  useQuery({ ...contentsOf(api, selection, null), enabled: false })
  const { pages, more, isFetching, refetch } = query
  const { hasNextPage, fetchNextPage, nextPageError } = more
  const error = query.error ?? (nextPageError as Error | null)
  return useMemo(() => {
    const slots = pages && flattenPages(pages)
    return {
      data: slots,
      total: pages ? (pages[0]?.total ?? slots?.length) : undefined,
      error,
      isFetching,
      hasMore: hasNextPage && !nextPageError,
      fetchMore: () => {
        if (!isFetching) void fetchNextPage()
      },
      refetch: () => void (nextPageError ? fetchNextPage() : refetch()),
    }
  }, [pages, error, isFetching, nextPageError, hasNextPage, fetchNextPage, refetch])
}

/** Reads the wanted records of each source, paginated. */
export function useAllRecords(wanted: Wanted): Record<Source, Records> {
  const tiktok = useRecords('tiktok', wanted)
  const telegram = useRecords('telegram', wanted)
  const blog = useRecords('blog', wanted)
  const post = useRecords('post', wanted)
  return { tiktok, telegram, blog, post }
}

/**
 * Returns whether the user has posts of other platforms, whatever is searched; undefined while unknown.
 * @param isFiltered whether `found` are not all of them
 */
export function useHasPosts(isFiltered: boolean, found: Records): boolean | undefined {
  const { api } = useHost()
  const [known, setKnown] = useState<boolean>()
  const any = useQuery({
    queryKey: HAS_POSTS,
    queryFn: ({ signal }) =>
      api.page('GET /:source/data', { params: { source: 'post' }, query: { limit: 1 }, signal }),
    enabled: isFiltered && found.total === 0,
  }).data
  const total = found.total || !isFiltered ? found.total : any?.items.length
  const hasPosts = total === undefined ? known : total > 0
  if (hasPosts !== known) setKnown(hasPosts)
  return hasPosts
}

function useRemoveFromList() {
  const queryClient = useQueryClient()
  return (selection: Selection, ids: string[], total?: number | null) =>
    queryClient.setQueryData<Pages>(
      listKey(selection),
      current => current && { ...current, pages: withoutRecords(current.pages, ids, total) },
    )
}

export interface ShownRecords {
  /** The fetched records, by id. */
  contents: ReadonlyMap<string, Stored>
  /** The error of a page that is not being refetched. */
  error: Error | null
  retry: () => void
}

/** Reads the records near the viewport. Refetches dropped ones, and removes deleted ones from the list. */
export function useShownRecords(selection: Selection, slots: readonly Slot[]): ShownRecords {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const removeFromList = useRemoveFromList()
  const cursors = [...new Set(slots.map(({ cursor }) => cursor))]
  const pages = useQueries({ queries: cursors.map(cursor => contentsOf(api, selection, cursor)) })
  const contents = new Map(pages.flatMap(({ data }) => data?.items.map(item => [item.id, item]) ?? []))
  const pageOf = ({ cursor }: Slot) => pages[cursors.indexOf(cursor)]?.data
  const missing = slots.filter(slot => pageOf(slot) && !contents.has(slot.id))
  useEffect(() => {
    // A refresh may have moved a record to another page since this render.
    const listed = queryClient.getQueryData<Pages>(listKey(selection))?.pages.flatMap(page => page.slots)
    const gone = missing.filter(slot => listed?.includes(slot))
    const [first] = gone
    if (first)
      removeFromList(
        selection,
        gone.map(({ id }) => id),
        pageOf(first)?.total,
      )
  })
  const failed = pages.filter(({ error, data, isFetching }) => error && !data && !isFetching)
  return {
    contents,
    error: failed[0]?.error ?? null,
    retry: () => {
      for (const { refetch } of failed) void refetch()
    },
  }
}

/** Refetches the first page of the sources and the pages in view. Rejects if one of them fails. */
export function useReloadRecords(wanted: Wanted): (sources: readonly Source[]) => Promise<void> {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const reloads = useRef(0)
  return async sources => {
    reloads.current += 1
    const current = reloads.current
    const reload = async (source: Source) => {
      const selection = { source, ...wanted }
      const first = await readPage(api, selection, null)
      const listed = () => queryClient.getQueryData<Pages>(listKey(selection))?.pages ?? []
      const isIn = new Set(first.items.map(({ id }) => id))
      const movesOut = listed()[0]?.slots.some(({ id }) => !isIn.has(id))
      // Fetches this page before the list changes, so that records that move to the second page stay on screen.
      if (movesOut && first.nextCursor !== null)
        await queryClient.fetchQuery(contentsOf(api, selection, first.nextCursor))
      // A later reload has newer data.
      if (current !== reloads.current) return
      await writeOver(queryClient, [listKey(selection)], () => {
        const pages = replaceFirstPage(listed(), slotsOf(first, null))
        queryClient.setQueryData(pageKey(selection, null), first)
        queryClient.setQueryData<Pages>(listKey(selection), {
          pages,
          pageParams: pages.map((_, index) => pages[index - 1]?.nextCursor ?? null),
        })
      })
    }
    const inSight = queryClient.refetchQueries(
      {
        queryKey: PAGES,
        type: 'active',
        predicate: ({ queryKey }) =>
          queryKey.at(-1) !== null && sources.some(source => source === queryKey[1]),
      },
      { throwOnError: true },
    )
    const posts =
      sources.includes('post') && queryClient.refetchQueries({ queryKey: HAS_POSTS, type: 'active' })
    await Promise.all([inSight, posts, ...sources.map(reload)])
  }
}

/** Deletes a record on the server, then from the displayed list. */
export function useDeleteRecord(wanted: Wanted): (source: Source, id: string) => Promise<void> {
  const { api } = useHost()
  const removeFromList = useRemoveFromList()
  return async (source, id) => {
    await api.call('DELETE /:source/data/:id', { params: { source, id } })
    removeFromList({ source, ...wanted }, [id])
  }
}
