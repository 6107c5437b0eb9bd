import type { Iod, VoteType } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { ConsensusContext, useListConsensus } from '@iodine/mfe-kit/consensus'
import { EvidenceCountsContext, useEvidenceCounts } from '@iodine/mfe-kit/evidence'
import { Button, Spinner, useDebouncedCallback, useLatest } from '@iodine/ui'
import { type RowFocus, useRowFocus, useVirtualRows, type VirtualRows, VirtualTable } from '@iodine/ui/table'
import { type FocusEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { rangeOf, type Selection } from '../model/selection'
import { ownVote } from '../model/votes'
import { useCachedIod } from '../queries/iod'
import { type IodList, PAGE_SIZE } from '../queries/list'
import { useVote } from '../queries/vote'
import styles from './IodTable.module.css'
import { CARD_TEMPLATE, HEIGHTS, iodColumns } from './iod-columns'
import { RowSelectionContext } from './SelectBox'
import { useKeys } from './use-keys'

const MIN_WIDTH = 832
const PAGE_AFTER_MS = 300
/** Number of rows before the last loaded one at which the next page is fetched. */
const READ_AHEAD_ROWS = 6

export interface IodTableProps {
  iods: Iod[]
  /** The searched text, highlighted in the rows; may be empty. */
  q: string
  list: IodList
  /** The page in the URL, from 1. */
  page: number
  /** The page to scroll to on mount. */
  startPage: number
  onPageChange: (page: number) => void
  selection: Selection
  onSelect: (iods: readonly Iod[], isSelected: boolean) => void
  /** Id of the IOD whose side panel is open. The panel follows the focused row. */
  openId: string | undefined
  onOpen: (iod: Iod) => void
}

/** A virtualized table that fetches the next page near the end of the loaded rows. */
export function IodTable(props: IodTableProps) {
  const { iods, q, selection, onSelect, openId, onOpen } = props
  const { total = null, isExact, isFetching, isPlaceholderData: isOutdated, more } = props.list
  const vote = useVote()
  const columns = useMemo(() => iodColumns(q, vote), [q, vote])
  const rows = useVirtualRows(iods, HEIGHTS)
  const ids = useMemo(() => iods.map(({ id }) => id), [iods])
  const evidence = useEvidenceCounts(ids, rows.from, rows.to)
  const consensus = useListConsensus(ids, rows.from, rows.to)

  const lastChosen = useRef<string>(undefined)
  const latest = useLatest({ iods, onSelect })
  const choose = useCallback(
    (iod: Iod, isSelected: boolean, isRange: boolean) => {
      const { iods, onSelect } = latest.current
      onSelect(isRange ? rangeOf(iods, lastChosen.current, iod) : [iod], isSelected)
      lastChosen.current = iod.id
    },
    [latest],
  )
  const rowSelection = useMemo(() => ({ selection, choose }), [selection, choose])

  const focus = useRowFocus(rows, more.hasNextPage)
  const follow = (event: FocusEvent) => {
    focus.onFocus(event)
    const iod = iods[focus.focused()]
    const isRow = event.target instanceof HTMLTableRowElement
    if (isRow && iod && openId !== undefined && iod.id !== openId) onOpen(iod)
  }
  const onKeyDown = useRowKeys(props, focus, vote, iod => choose(iod, !selection.has(iod.id), false))
  usePages(props, rows)

  return (
    <RowSelectionContext value={rowSelection}>
      <EvidenceCountsContext value={evidence}>
        <ConsensusContext value={consensus}>
          <VirtualTable
            rows={rows}
            focus={{ ...focus, onFocus: follow }}
            selected={selection}
            // Popovers of the rows handle their keys themselves.
            onKeyDown={event => rows.frame.current?.contains(event.target as Node) && onKeyDown(event)}
            label="IODs"
            columns={columns}
            minWidth={MIN_WIDTH}
            cardTemplate={CARD_TEMPLATE}
            total={isExact ? total : null}
            isBusy={isFetching}
            isOutdated={isOutdated}
            footer={more.hasNextPage && <NextPage more={more} />}
          />
        </ConsensusContext>
      </EvidenceCountsContext>
    </RowSelectionContext>
  )
}

/** The state of the next page, at the end of the rows. */
const NextPage = ({ more }: Pick<IodList, 'more'>) => (
  <div className={styles.more}>
    {more.nextPageError ? (
      <>
        More IODs could not be loaded.{' '}
        <Button size="small" text="Retry" onClick={() => void more.fetchNextPage()} />
      </>
    ) : (
      <>
        <Spinner size={16} aria-hidden /> Loading...
      </>
    )}
  </div>
)

/** Binds the keys of the rows. Returns the handler of those that apply only in the table. */
function useRowKeys(
  { iods, openId, onOpen }: IodTableProps,
  focus: RowFocus,
  vote: (iod: Iod, voteType: VoteType) => void,
  toggle: (iod: Iod) => void,
) {
  const { notify, session } = useHost()
  const cached = useCachedIod()
  /** Acts on the focused row, otherwise on the row whose panel is open. */
  const onRow = (act: (iod: Iod) => unknown) => () => {
    const iod = iods[focus.focused()] ?? (openId === undefined ? undefined : cached(openId))
    return iod ? act(iod) : false
  }
  const voteByKey = (voteType: VoteType) =>
    onRow(iod => {
      if (ownVote(iod, session.user)) notify({ title: 'You already voted', status: 'info' })
      else void vote(iod, voteType)
    })
  return useKeys('Rows', [
    { combo: 'j', label: 'Next row', mayRepeat: true, act: () => focus.move(1) },
    { combo: 'k', label: 'Previous row', mayRepeat: true, act: () => focus.move(-1) },
    { combo: 'down', label: 'Next row', mayRepeat: true, isLocal: true, act: () => focus.move(1) },
    { combo: 'up', label: 'Previous row', mayRepeat: true, isLocal: true, act: () => focus.move(-1) },
    { combo: 'right', label: 'Next button of the row', isLocal: true, act: () => focus.moveInRow(1) },
    { combo: 'left', label: 'Previous button of the row', isLocal: true, act: () => focus.moveInRow(-1) },
    { combo: 'u', label: 'Upvote', act: voteByKey('POSITIVE') },
    { combo: 'd', label: 'Downvote', act: voteByKey('NEGATIVE') },
    { combo: 'x', label: 'Select or deselect', act: onRow(toggle) },
    {
      combo: 'enter',
      label: 'Open',
      isLocal: true,
      // On a control, Enter activates the control.
      act: event => event.target instanceof HTMLTableRowElement && onRow(onOpen)(),
    },
  ])
}

/** Scrolls to the page of the URL, fetches the next page near the end of the rows, and reports the page in view. */
function usePages(props: IodTableProps, { to, rowHeight, offset, scrollTo }: VirtualRows<Iod>) {
  const { iods, page, startPage, onPageChange } = props
  const { isFetching, isPlaceholderData: isOutdated, more } = props.list
  const { hasNextPage: hasMore, fetchNextPage: fetchMore } = more
  const hasFailed = Boolean(more.nextPageError)
  // A link may name a later page: load all pages up to it by their cursors, then scroll to it.
  const [target, setTarget] = useState(startPage > 1 ? startPage : null)
  const targetRow = target === null ? 0 : (target - 1) * PAGE_SIZE
  const mayFetch = hasMore && !isFetching && !hasFailed
  useEffect(() => {
    if (target === null || isOutdated) return
    if (iods.length <= targetRow && mayFetch) fetchMore()
    if (iods.length > targetRow || !hasMore || hasFailed) {
      scrollTo(Math.min(targetRow, iods.length - 1))
      setTarget(null)
    }
  }, [target, targetRow, isOutdated, iods.length, mayFetch, hasMore, hasFailed, fetchMore, scrollTo])

  useEffect(() => {
    if (mayFetch && !isOutdated && to >= iods.length - READ_AHEAD_ROWS) fetchMore()
  }, [mayFetch, isOutdated, to, iods.length, fetchMore])

  const shownPage = Math.floor(offset / rowHeight / PAGE_SIZE) + 1
  const changePageSoon = useDebouncedCallback(onPageChange, PAGE_AFTER_MS)
  useEffect(() => {
    if (target !== null || isOutdated || shownPage === page) changePageSoon.cancel()
    else changePageSoon(shownPage)
  }, [target, isOutdated, shownPage, page, changePageSoon])
}
