import { findFolded, foldText, paths } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { createQueryClient, QueryClientProvider, useQueries } from '@iodine/mfe-kit/query'
import { formatAmount, formatCount, useDebounce, useDraft } from '@iodine/ui'
import { type ItemListRendererProps, type ItemRendererProps, Omnibar } from '@iodine/ui/omnibar'
import { type Ref, useEffect, useId, useMemo, useRef, useState } from 'react'
import { menuOf, type Section } from '../app/sections'
import { Marked } from './Marked'
import { KINDS, type Kind, type Result, SHOWN_MAX, TERM_MAX } from './results'
import styles from './SearchBar.module.css'

const REST_MS = 150
const CACHE_MS = 60_000
const RECENT_MAX = 5

export interface SearchBarProps {
  isOpen: boolean
  query: string
  onQuery: (query: string) => void
  onClose: () => void
}

/** The global search over the menu, shared data and the user's data. */
export function SearchBar(props: SearchBarProps) {
  const [queryClient] = useState(createQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <Bar {...props} />
    </QueryClientProvider>
  )
}

interface Group {
  label: string
  results: readonly Result[]
  /** Shown in place of results, or below them. */
  note?: string | undefined
}

/** Over 80 lines, as Blueprint takes the parts of the list as functions of one state. */
function Bar({ isOpen, query, onQuery, onClose }: SearchBarProps) {
  const { navigate } = useHost()
  const listId = useId()
  const [active, setActive] = useState<Result | null>(null)
  const { recent, remember } = useRecent()
  const term = query.trim()
  const groups = useGroups(term, recent)
  const found = groups.flatMap(group => group.results)
  // Blueprint resets its state if the list changes identity, so an equal list keeps its identity.
  const results = useStable(found)
  const optionId = (result: Result) => `${listId}-${results.indexOf(result)}`
  const activeIndex = active ? results.indexOf(active) : -1
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other results may be elsewhere
  useEffect(() => {
    if (activeIndex === 0) list.current?.scrollTo(0, 0)
    else list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [activeIndex, results])

  const open = (result: Result) => {
    remember(result)
    onClose()
    navigate(result.path)
  }
  const renderItem = (result: Result, { handleClick, modifiers, ref }: ItemRendererProps) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the combobox
    <div
      key={result.key}
      ref={ref as Ref<HTMLElement> as Ref<HTMLDivElement>}
      id={optionId(result)}
      role="option"
      aria-selected={modifiers.active}
      // The combobox keeps the focus.
      tabIndex={-1}
      className={modifiers.active ? `${styles.option} ${styles.active}` : styles.option}
      onClick={handleClick}
    >
      <span className={styles.text}>
        <Marked text={result.text} term={term} />
      </span>
      {result.detail && <span className={styles.detail}>{result.detail}</span>}
    </div>
  )
  const renderList = ({ renderItem: renderOne, itemsParentRef }: ItemListRendererProps<Result>) => (
    <div
      ref={list}
      className={styles.list}
      id={listId}
      // A list box must have options.
      {...(results.length > 0 && { role: 'listbox', 'aria-label': 'Results' })}
    >
      {/* Blueprint scrolls its list before the list has its final height: this element does not scroll. */}
      <div ref={itemsParentRef as Ref<HTMLElement> as Ref<HTMLDivElement>} role="presentation">
        {groups.map(({ label, results: shown, note }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options
          <div key={label} role="group" aria-label={label} className={styles.group}>
            <div className={styles.label} aria-hidden>
              {label}
            </div>
            {shown.map((result, index) => renderOne(result, index))}
            {note && <p className={styles.note}>{note}</p>}
          </div>
        ))}
      </div>
    </div>
  )
  return (
    <>
      <Omnibar<Result>
        className={styles.bar ?? ''}
        isOpen={isOpen}
        onClose={onClose}
        query={query}
        onQueryChange={onQuery}
        items={results}
        itemsEqual="key"
        itemListPredicate={keepAll}
        itemRenderer={renderItem}
        itemListRenderer={renderList}
        onItemSelect={open}
        onActiveItemChange={setActive}
        overlayProps={{ className: styles.overlay ?? '', shouldReturnFocusOnClose: true }}
        inputProps={{
          ...{ 'data-search-bar': '' },
          placeholder: 'Search everything…',
          'aria-label': 'Search everything',
          role: 'combobox',
          'aria-expanded': true,
          'aria-controls': listId,
          'aria-autocomplete': 'list',
          ...(active && activeIndex >= 0 && { 'aria-activedescendant': optionId(active) }),
        }}
      />
      <span className={styles.status} role="status">
        {isOpen && term !== '' && countText(results.length)}
      </span>
    </>
  )
}

const countText = (count: number) => formatAmount(count, 'result')

/** Keeps all items: the services have already filtered them. */
const keepAll = (_query: string, items: Result[]) => items

/** Returns the previous value while the new one is equal to it as JSON. */
function useStable<T>(value: T): T {
  const json = JSON.stringify(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: stands for the value
  return useMemo(() => value, [json])
}

/** Returns the groups of results for a term; without a term, the recent results. */
function useGroups(term: string, recent: readonly Result[]): Group[] {
  const { api, config } = useHost()
  const menu = menuOf(config, useHost().session.user)
  const [wanted] = useDebounce(term, REST_MS)
  const isSearched = wanted !== '' && wanted.length <= TERM_MAX
  const answers = useQueries({
    queries: KINDS.map(({ id, termMin, find }) => ({
      queryKey: [id, wanted],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(api, wanted, signal),
      enabled: isSearched && wanted.length >= termMin,
      retry: false,
      staleTime: CACHE_MS,
    })),
  })
  if (term === '') return recent.length > 0 ? [{ label: 'Recent', results: recent }] : [pages(menu)]
  const matching = menu.filter(({ label }) => foldText(label).includes(foldText(term)))
  const groups = matching.length > 0 ? [pages(matching)] : []
  if (term.length > TERM_MAX) {
    const note = `At most ${TERM_MAX} characters are searched.`
    return [...groups, { label: 'Too long', results: [], note }]
  }
  groups.push(
    ...KINDS.flatMap((kind, index): Group | [] => {
      const answer = answers[index]
      if (term.length < kind.termMin)
        return { label: kind.label, results: [], note: `Type at least ${kind.termMin} characters.` }
      if (answer?.isError && wanted === term)
        return { label: kind.label, results: [], note: `${kind.label} can’t be searched right now.` }
      const { results = [], total = 0 } = answer?.data ?? {}
      // While the next term is requested, results of the previous term that also match it remain.
      const shown =
        wanted === term ? results : results.filter(({ text }) => findFolded(text, term, 1).length > 0)
      if (shown.length === 0) return []
      return { label: kind.label, results: [...shown, ...moreOf(kind, wanted, total)] }
    }),
  )
  if (groups.length > 0 || wanted !== term || answers.some(({ isFetching }) => isFetching)) return groups
  return [{ label: 'Results', results: [], note: 'Nothing found.' }]
}

const pages = (menu: readonly Section[]): Group => ({
  label: 'Pages',
  results: menu.map(({ id, label }) => ({ key: `page ${id}`, text: label, path: paths.section(id) })),
})

const moreOf = (kind: Kind, term: string, total: number | null): Result[] =>
  total !== null && total <= SHOWN_MAX
    ? []
    : [
        {
          key: `all ${kind.id}`,
          text: `All in ${kind.label}`,
          path: kind.all(term),
          ...(total && { detail: formatCount(total) }),
        },
      ]

/** Holds the results that were opened last, newest first. Stored in this tab until the logout. */
function useRecent() {
  const user = useHost().session.user
  const [{ recent }, set] = useDraft<{ recent: Result[] }>(`${user.id}:found`, { recent: [] })
  const kept = useRef(recent)
  const remember = (result: Result) => {
    if (result.key.startsWith('all ')) return
    kept.current = [result, ...kept.current.filter(({ key }) => key !== result.key)].slice(0, RECENT_MAX)
    set({ recent: kept.current })
  }
  return { recent, remember }
}
