import {
  levelIn,
  type Matrix,
  type MatrixCell,
  type Measure,
  shadesOf,
  sideOf,
} from '@iodine/exchange/disarm'
import { ChevronDownIcon, ChevronRightIcon } from '@iodine/ui/icons'
import { type KeyboardEvent, type MouseEvent, memo, useMemo, useState } from 'react'
import { type GridRow, gridRows, nextId, usedBelow } from '../model/matrix'
import styles from './MatrixGrid.module.css'

export interface MatrixGridProps {
  matrix: Matrix
  /** Accessible name. */
  label: string
  /** Count that shades the cells. A comparison is coloured by side. */
  measure: Measure
  /** Returns a count with its noun: '2 quotes'. */
  countText: (count: number) => string
  /** Names of the campaigns of a comparison. */
  names?: readonly [first: string, second: string] | undefined
  /** Ids of the techniques whose sub-techniques are displayed. */
  open: ReadonlySet<string>
  /** Searched text. */
  text: string
  /** Whether several cells can be chosen, which `onChoose` does. */
  isChoosing?: boolean | undefined
  onChoose?: ((cell: MatrixCell) => void) | undefined
  onOpen: (tid: string) => void
  onFold: (tid: string) => void
  /** Called with a key that types a character. */
  onType?: (() => void) | undefined
}

const SIDES = { first: '1', second: '2', both: '1+2' } as const

/**
 * DISARM's matrix as a grid with a row of techniques for each tactic, which wide windows draw as a column and phones one
 * below the other. Arrow keys move, Enter opens a technique, + and − fold its sub-techniques, Space chooses.
 */
export function MatrixGrid(props: MatrixGridProps) {
  const { matrix, label, measure, countText, names, open, text, isChoosing = false } = props
  const rows = useMemo(() => gridRows(matrix, { open, text }), [matrix, open, text])
  const shades = useMemo(() => shadesOf(matrix, measure), [matrix, measure])
  const styleOf = (cell: MatrixCell): string => {
    const side = matrix.isComparison ? sideOf(cell) : null
    if (side) return styles[side] ?? ''
    return cell.use ? (styles[`level${levelIn(shades, cell.use[measure])}`] ?? '') : ''
  }
  const { active, click, press } = useGridInput(props, rows)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table's rows cannot be drawn as columns
    <div
      role="grid"
      aria-label={label}
      aria-multiselectable={isChoosing || undefined}
      className={styles.grid}
      onClick={click}
      onKeyDown={press}
    >
      {rows.map(row => (
        <Row
          key={row.tactic.id}
          row={row}
          active={active}
          isComparison={matrix.isComparison}
          isChoosing={isChoosing}
          measure={measure}
          countText={countText}
          names={names}
          styleOf={styleOf}
        />
      ))}
    </div>
  )
}

/** The cell that the keyboard reaches, and the handlers of clicks and keys in a grid of these rows. */
function useGridInput(props: MatrixGridProps, rows: readonly GridRow[]) {
  const { isChoosing = false, onChoose, onOpen, onFold, onType } = props
  const [current, setCurrent] = useState<string>()
  const cellById = useMemo(
    () => new Map(rows.flatMap(({ cells }) => cells.map(each => [each.cell.technique.id, each]))),
    [rows],
  )
  const active = current && cellById.has(current) ? current : rows[0]?.cells[0]?.cell.technique.id
  const act = (id: string, isOpening: boolean) => {
    const shown = cellById.get(id)
    if (!shown) return
    if (isChoosing && !isOpening) onChoose?.(shown.cell)
    else onOpen(id)
  }
  const idAt = ({ target }: { target: EventTarget }) =>
    (target as Element).closest<HTMLElement>('[data-tid]')?.dataset.tid
  const click = (event: MouseEvent) => {
    const id = idAt(event)
    if (!id) return
    setCurrent(id)
    if ((event.target as Element).closest('[data-fold]')) onFold(id)
    else act(id, false)
  }
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.metaKey) return
    const id = idAt(event) ?? active
    const next = nextId(rows, id, event.key, event.ctrlKey)
    if (next !== undefined) {
      event.preventDefault()
      setCurrent(next)
      event.currentTarget.querySelector<HTMLElement>(`[data-tid="${next}"]`)?.focus()
      return
    }
    if (event.ctrlKey || id === undefined) return
    const fold = { '+': false, '-': true, '−': true }[event.key]
    const isHandled = fold !== undefined || event.key === 'Enter' || event.key === ' '
    if (isHandled) event.preventDefault()
    if (fold !== undefined) {
      if (cellById.get(id)?.isOpen === fold) onFold(id)
    } else if (isHandled) act(id, event.key === 'Enter')
    // The character goes to the field that has the focus when the key's input begins.
    else if (event.key.length === 1) onType?.()
  }
  return { active, click, press }
}

interface RowProps extends Pick<MatrixGridProps, 'measure' | 'countText' | 'names'> {
  row: GridRow
  active: string | undefined
  isComparison: boolean
  isChoosing: boolean
  styleOf: (cell: MatrixCell) => string
}

function Row({ row: { tactic, used, cells }, active, isComparison, isChoosing, ...looks }: RowProps) {
  const { measure, countText, names, styleOf } = looks
  /** Returns the visible and the spoken count of a cell. */
  const countOf = (cell: MatrixCell): readonly [string, string] => {
    if (isComparison) {
      const side = sideOf(cell)
      if (!side) return ['', '']
      const [first = '1', second = '2'] = names ?? []
      return [SIDES[side], { first, second, both: `${first}, ${second}` }[side]]
    }
    const count = cell.use?.[measure] ?? 0
    return cell.use ? [count > 0 ? String(count) : '', `used, ${countText(count)}`] : ['', '']
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useFocusableInteractive: its cells have the focus
    <div role="row" className={styles.row} aria-label={tactic.name}>
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: it is no control */}
      <div role="rowheader" className={styles.tactic}>
        <span className={styles.phase}>{tactic.phase}</span>
        <span>{tactic.name}</span>
        {used > 0 && (
          <span className={styles.used} title={`${used} used`}>
            {used}
          </span>
        )}
      </div>
      {cells.map(({ cell, isSub, isOpen }) => {
        const [count, spoken] = countOf(cell)
        return (
          <Cell
            key={cell.technique.id}
            id={cell.technique.id}
            name={cell.technique.name}
            until={cell.technique.until}
            look={styleOf(cell)}
            count={count}
            spoken={spoken}
            isUsed={cell.use !== null || cell.other !== null}
            below={isOpen === undefined ? 0 : cell.below.length}
            usedBelow={isOpen === false ? usedBelow(cell) : 0}
            isSub={isSub}
            isOpen={isOpen}
            isActive={cell.technique.id === active}
            isChoosing={isChoosing}
          />
        )
      })}
    </div>
  )
}

interface CellProps {
  id: string
  name: string
  until: string | null
  look: string
  count: string
  spoken: string
  isUsed: boolean
  below: number
  usedBelow: number
  isSub: boolean
  isOpen: boolean | undefined
  isActive: boolean
  isChoosing: boolean
}

/** Memoized with plain values, because the matrix has hundreds of cells, of which a choice changes one. */
const Cell = memo(function Cell(cell: CellProps) {
  const { id, name, until, look, count, spoken, isUsed, isSub, isOpen, isActive, isChoosing } = cell
  const spokenParts = [
    spoken,
    cell.below > 0 && `${cell.below} sub-techniques${cell.usedBelow > 0 ? `, ${cell.usedBelow} used` : ''}`,
  ].filter(Boolean)
  const classes = [styles.cell, look, isSub && styles.sub, until !== null && styles.obsolete]
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div
      role="gridcell"
      data-tid={id}
      tabIndex={isActive ? 0 : -1}
      className={classes.filter(Boolean).join(' ')}
      aria-expanded={isOpen}
      aria-selected={isChoosing ? isUsed : undefined}
    >
      <span className={styles.text}>
        <span className={styles.id}>{id}</span> {name}
        {until !== null && ` · until ${until}`}
        {spokenParts.length > 0 && <span className="visually-hidden">, {spokenParts.join(', ')}</span>}
      </span>
      {count !== '' && (
        <span className={styles.count} aria-hidden="true">
          {count}
        </span>
      )}
      {isOpen !== undefined && (
        <span className={styles.fold} data-fold aria-hidden="true" title={isOpen ? 'Fold' : 'Unfold'}>
          {!isOpen && (cell.usedBelow > 0 ? `${cell.usedBelow}/${cell.below}` : `+${cell.below}`)}
          {isOpen ? <ChevronDownIcon size={12} /> : <ChevronRightIcon size={12} />}
        </span>
      )}
    </div>
  )
})
