import {
  type Matrix,
  type MatrixCell,
  type Measure,
  matrixOf,
  shadesOf,
  type TechniqueUse,
} from '@iodine/exchange/disarm'
import { Button, formatAmount, formatCount, HTMLSelect, SearchInput, Switch } from '@iodine/ui'
import { UndoIcon } from '@iodine/ui/icons'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { foldableIds } from '../model/matrix'
import type { CampaignTechniques } from '../queries/techniques'
import { MatrixExport } from './MatrixExport'
import { MatrixGrid } from './MatrixGrid'
import grid from './MatrixGrid.module.css'
import styles from './MatrixView.module.css'
import { TechniqueDrawer } from './TechniqueDrawer'

export interface MatrixViewProps {
  /** Name of the campaign or of the selection, for files. */
  title: string
  /** The campaign; undefined for all, and for two. */
  campaignId?: string | undefined
  uses: readonly TechniqueUse[]
  compareWith?: readonly TechniqueUse[] | undefined
  names?: readonly [first: string, second: string] | undefined
  /** Counts that may shade the cells, the first by default. */
  measures: readonly Measure[]
  /** Techniques of the campaign, which can be chosen. */
  techniques?: CampaignTechniques | undefined
}

const NOUNS: Record<Measure, readonly [one: string, label: string]> = {
  campaigns: ['campaign', 'Campaigns'],
  iods: ['IOD', 'IODs'],
  quotes: ['quote', 'Quotes'],
}

/** What the user has set. */
interface ViewState {
  text: string
  measure: Measure
  isUsedOnly: boolean
  isChoosing: boolean
  /** Ids of the techniques whose sub-techniques are displayed. */
  open: ReadonlySet<string>
}

/** DISARM's matrix with its tools: search, folding, colours, choice with undo, files, and a drawer of each technique. */
export function MatrixView(props: MatrixViewProps) {
  const { title, campaignId, uses, compareWith, names, measures, techniques } = props
  const [state, setState] = useState<ViewState>({
    text: '',
    measure: measures[0] ?? 'quotes',
    isUsedOnly: false,
    isChoosing: false,
    open: new Set(),
  })
  const { measure, isUsedOnly, open } = state
  const wanted = useDeferredValue(state.text)
  const [openId, setOpenId] = useState<string | null>(null)
  const tools = useRef<HTMLDivElement>(null)
  const matrix = useMemo(() => matrixOf(uses, { compareWith, isUsedOnly }), [uses, compareWith, isUsedOnly])
  const choice = useChoice(techniques)
  const fold = (tid: string) => {
    const next = new Set(open)
    if (!next.delete(tid)) next.add(tid)
    setState({ ...state, open: next })
  }
  // An obsolete technique cannot be chosen: its drawer replaces it.
  const choose = (cell: MatrixCell) =>
    cell.technique.until === null ? choice.toggle(cell) : setOpenId(cell.technique.id)
  return (
    <div className={styles.view}>
      <div className={styles.tools} ref={tools}>
        <Tools
          state={state}
          onChange={changes => setState({ ...state, ...changes })}
          measures={compareWith ? [] : measures}
          foldable={foldableIds(matrix)}
          choice={techniques && choice}
        />
        <MatrixExport {...{ matrix, title, campaignId, names, measure }} />
      </div>
      <Legend matrix={matrix} measure={measure} names={names} />
      <MatrixGrid
        matrix={matrix}
        label={`DISARM matrix: ${title}`}
        measure={measure}
        countText={count => formatAmount(count, NOUNS[measure][0])}
        names={names}
        open={open}
        text={wanted}
        isChoosing={state.isChoosing}
        onChoose={choose}
        onOpen={setOpenId}
        onFold={fold}
        onType={() => tools.current?.querySelector<HTMLInputElement>('input[type="search"]')?.focus()}
      />
      <TechniqueDrawer
        tid={openId}
        use={uses.find(({ id }) => id === openId)}
        campaignId={campaignId}
        techniques={techniques}
        onClose={() => setOpenId(null)}
      />
    </div>
  )
}

interface ToolsProps {
  state: ViewState
  onChange: (changes: Partial<ViewState>) => void
  /** Empty if the cells are not shaded. */
  measures: readonly Measure[]
  /** Ids of the techniques with sub-techniques. */
  foldable: readonly string[]
  /** Undefined if techniques cannot be chosen. */
  choice: ReturnType<typeof useChoice> | undefined
}

function Tools({ state, onChange, measures, foldable, choice }: ToolsProps) {
  const { text, measure, isUsedOnly, isChoosing, open } = state
  const isUnfolded = foldable.length > 0 && foldable.every(id => open.has(id))
  return (
    <>
      <SearchInput
        className={styles.search}
        value={text}
        onChange={next => onChange({ text: next })}
        placeholder="Search techniques..."
        hotkey={false}
      />
      {measures.length > 0 && (
        <HTMLSelect
          aria-label="Colour by"
          value={measure}
          onChange={event => onChange({ measure: event.currentTarget.value as Measure })}
          options={measures.map(each => ({ value: each, label: `Colour: ${NOUNS[each][1]}` }))}
        />
      )}
      <Switch
        className={styles.switch}
        label="Used only"
        checked={isUsedOnly}
        onChange={() => onChange({ isUsedOnly: !isUsedOnly })}
      />
      <Button
        text={isUnfolded ? 'Fold all' : 'Unfold all'}
        disabled={foldable.length === 0}
        onClick={() => onChange({ open: new Set(isUnfolded ? [] : foldable) })}
      />
      {choice && (
        <Switch
          className={styles.switch}
          label="Choose"
          title="A click or Space adds a technique to the campaign, or removes it"
          checked={isChoosing}
          onChange={() => onChange({ isChoosing: !isChoosing })}
        />
      )}
      {choice && isChoosing && (
        <Button icon={<UndoIcon />} text="Undo" disabled={!choice.canUndo} onClick={choice.undo} />
      )}
    </>
  )
}

interface Step {
  tid: string
  isUsed: boolean
}

/** Adds and removes techniques, and undoes the last changes. */
function useChoice(techniques: CampaignTechniques | undefined) {
  const [steps, setSteps] = useState<readonly Step[]>([])
  const apply = ({ tid, isUsed }: Step) => (isUsed ? techniques?.add(tid) : techniques?.remove(tid))
  return {
    toggle: ({ technique: { id: tid }, use }: MatrixCell) => {
      const step = { tid, isUsed: use === null }
      setSteps([...steps, step])
      apply(step)
    },
    undo: () => {
      const last = steps.at(-1)
      if (last) apply({ tid: last.tid, isUsed: !last.isUsed })
      setSteps(steps.slice(0, -1))
    },
    canUndo: steps.length > 0,
  }
}

interface LegendProps {
  matrix: Matrix
  measure: Measure
  names: readonly [first: string, second: string] | undefined
}

/** Meaning of the colours, with the number of used techniques. */
function Legend({ matrix, measure, names }: LegendProps) {
  const used = matrix.columns.reduce((sum, column) => sum + column.used, 0)
  const marks = matrix.isComparison
    ? ([
        ['first', `1: ${names?.[0]}`],
        ['second', `2: ${names?.[1]}`],
        ['both', '1+2: both'],
      ] as const)
    : shadesOf(matrix, measure).map(({ level, from, to }) => {
        const range = from === to ? formatCount(from) : `${formatCount(from)}–${formatCount(to)}`
        return [
          `level${level}`,
          `${range} ${NOUNS[measure][0]}${to === 1 && from === to ? '' : 's'}`,
        ] as const
      })
  return (
    <p className={styles.legend}>
      <span role="status">{formatAmount(used, 'technique')} used</span>
      {marks.map(([look, label]) => (
        <span key={look} className={styles.mark}>
          <span className={`${styles.swatch} ${grid[look]}`} aria-hidden="true" />
          <span dir="auto" className={styles.name}>
            {label}
          </span>
        </span>
      ))}
      {matrix.unknown.length > 0 && <span>Not in DISARM’s list: {matrix.unknown.join(', ')}</span>}
    </p>
  )
}
