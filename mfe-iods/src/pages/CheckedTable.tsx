import { type Category, LIMITS, paths } from '@iodine/contracts'
import { FORM_CATEGORIES, SOURCE_LABELS } from '@iodine/mfe-kit'
import { CategoryTag, Checkbox, HTMLSelect, Tag } from '@iodine/ui'
import { type CardColumn, useVirtualRows, VirtualTable } from '@iodine/ui/table'
import { createContext, use } from 'react'
import type { CheckedValue } from '../model/check-list'
import styles from './CheckedTable.module.css'
import selectStyles from './SelectBox.module.css'

interface Choices {
  ticked: ReadonlySet<string>
  tick: (id: string) => void
  setCategory: (id: string, category: Category) => void
}

/** What the user chose, as a context for the cells, so that a change renders only the controls. */
export const ChoicesContext = createContext<Choices>({
  ticked: new Set(),
  tick: () => {},
  setCategory: () => {},
})

function Tick({ id, value }: CheckedValue) {
  const { ticked, tick } = use(ChoicesContext)
  return (
    <Checkbox
      className={selectStyles.box ?? ''}
      aria-label={`Select ${value.slice(0, LIMITS.tooltipChars)}`}
      checked={ticked.has(id)}
      onChange={() => tick(id)}
    />
  )
}

function ChosenCategory({ id, category }: CheckedValue) {
  const { setCategory } = use(ChoicesContext)
  return (
    <HTMLSelect
      className={styles.category ?? ''}
      aria-label="Category"
      value={category}
      options={FORM_CATEGORIES}
      onChange={({ currentTarget }) => setCategory(id, currentTarget.value as Category)}
    />
  )
}

/** A link that keeps the checked list: it opens a new tab. */
const NEW_TAB = { target: '_blank', rel: 'noopener' } as const

const COLUMNS: CardColumn<CheckedValue>[] = [
  {
    name: 'Value',
    area: 'value',
    cell: row => (
      <div className={styles.value}>
        <Tick {...row} />
        <div className={styles.texts}>
          <div className={styles.text} dir="auto" title={row.value.slice(0, LIMITS.fieldMax / 10)}>
            {row.value.slice(0, LIMITS.searchMax)}
          </div>
          {row.problem && (
            <div className={styles.problem} title={row.problem}>
              {row.problem}
            </div>
          )}
        </div>
      </div>
    ),
  },
  {
    name: 'IOD',
    width: 88,
    area: 'iod',
    cell: ({ iods: [iod], isValid }) =>
      iod ? (
        <a href={paths.iod(iod.id)} {...NEW_TAB}>
          Known
        </a>
      ) : isValid ? (
        <Tag minimal intent="success">
          New
        </Tag>
      ) : (
        '—'
      ),
  },
  {
    name: 'Category',
    width: 176,
    area: 'category',
    cell: row =>
      row.iods.length > 0 ? (
        <span className={styles.categories}>
          {[...new Set(row.iods.map(({ category }) => category))].map(category => (
            <CategoryTag key={category} category={category} />
          ))}
        </span>
      ) : (
        row.isValid && <ChosenCategory {...row} />
      ),
  },
  {
    name: 'In my data',
    width: 176,
    area: 'data',
    isNamed: true,
    cell: ({ value, sources }) =>
      sources.length > 0 ? (
        <span className={styles.links}>
          {sources.map(source => (
            <a key={source} href={paths.data({ source, q: value.slice(0, LIMITS.searchMax) })} {...NEW_TAB}>
              {SOURCE_LABELS[source]}
            </a>
          ))}
        </span>
      ) : (
        '—'
      ),
  },
  {
    name: 'Campaigns',
    width: 200,
    area: 'campaigns',
    isNamed: true,
    cell: ({ campaigns: [first, ...others] }) =>
      first ? (
        <span className={styles.links} title={[first, ...others].map(({ name }) => name).join('\n')}>
          <a className={styles.name} dir="auto" href={paths.campaign(first.id)} {...NEW_TAB}>
            {first.name}
          </a>
          {others.length > 0 && <span className={styles.others}>+{others.length}</span>}
        </span>
      ) : (
        '—'
      ),
  },
]

const HEIGHTS = { row: 56, card: 168 }
const CARD_TEMPLATE =
  '"value value" 1fr "iod category" auto "data campaigns" auto / minmax(0, 1fr) minmax(0, 1fr)'

/** The checked values. */
export function CheckedTable({ values }: { values: readonly CheckedValue[] }) {
  const rows = useVirtualRows(values, HEIGHTS)
  return (
    <VirtualTable
      rows={rows}
      label="Checked values"
      columns={COLUMNS}
      minWidth={832}
      cardTemplate={CARD_TEMPLATE}
    />
  )
}
