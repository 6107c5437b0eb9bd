import { CATEGORIES, type Category, type IodSort, SOURCE_TYPES, type SourceType } from '@iodine/contracts'
import { WatchButton } from '@iodine/mfe-kit/watches'
import { Button, HTMLSelect, SearchInput, toggled, truncate, useSearchText } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import { FilterMenu } from '@iodine/ui/overlays'
import { useId } from 'react'
import { analyzedChips, type IodFilters, isFiltered, NO_FILTERS, toSearch } from '../model/filters'
import styles from './FilterBar.module.css'

const CHIP_CHARS = 40

const SORTS: { value: IodSort; label: string }[] = [
  { value: 'created', label: 'Newest' },
  { value: 'votes', label: 'Most votes' },
  { value: 'disputed', label: 'Most disputed' },
]

export interface FilterBarProps {
  filters: IodFilters
  /** Name of the creator in the filter, if it is known. */
  creator: string | undefined
  counts: {
    categories: MenuCounts<Category> | undefined
    sourceTypes: MenuCounts<SourceType> | undefined
  }
  onChange: (changes: Partial<IodFilters>) => void
  sort: IodSort
  onSortChange: (sort: IodSort) => void
}

interface MenuCounts<T extends string> {
  total: number
  counts: Partial<Record<T, number>>
  isExact: boolean
}

/** The search field, two filter menus and the order; below them, the active filters as removable chips. */
export function FilterBar({ filters, creator, counts, onChange, sort, onSortChange }: FilterBarProps) {
  const sortId = useId()
  const [text, setText] = useSearchText(filters.q, q => onChange({ q }))
  return (
    <div className={styles.bar}>
      <div className={styles.controls}>
        <SearchInput
          className={styles.search ?? ''}
          placeholder="Search by value or description..."
          value={text}
          onChange={setText}
        />
        <FilterMenu
          label="Categories"
          choices={CATEGORIES}
          chosen={filters.categories}
          {...counts.categories}
          onChange={next => onChange({ categories: next })}
        />
        <FilterMenu
          label="Sources"
          choices={SOURCE_TYPES}
          chosen={filters.sourceTypes}
          {...counts.sourceTypes}
          onChange={next => onChange({ sourceTypes: next })}
        />
        <div className={styles.sort}>
          <label htmlFor={sortId}>Sort</label>
          <HTMLSelect
            id={sortId}
            iconName="caret-down"
            options={SORTS}
            value={sort}
            onChange={event => onSortChange(event.target.value as IodSort)}
          />
        </div>
      </div>
      {isFiltered(filters) && (
        <fieldset className={styles.chips} aria-label="Active filters">
          {chipsOf(filters, creator).map(({ label, without }) => (
            <Button
              key={label}
              className={styles.chip}
              size="small"
              ellipsizeText
              endIcon={<CrossIcon size={14} />}
              text={label}
              aria-label={`Remove filter ${label}`}
              onClick={() => onChange(without)}
            />
          ))}
          <Button variant="minimal" size="small" text="Clear all" onClick={() => onChange(NO_FILTERS)} />
          {Object.keys(filters.analyzed).length === 0 && (
            <WatchButton
              subject={{ kind: 'search', search: toSearch(filters) }}
              about="this search"
              variant="minimal"
              size="small"
            />
          )}
        </fieldset>
      )}
    </div>
  )
}

/** Returns the active filters, each with the change that removes it. */
function chipsOf(filters: IodFilters, creator: string | undefined) {
  const { q, categories, sourceTypes, source, createdBy } = filters
  const cut = (text: string) => truncate(text, CHIP_CHARS)
  return [
    q && { label: `Search: ${cut(q)}`, without: { q: '' } },
    ...categories.map(category => ({
      label: category,
      without: { categories: toggled(categories, category) },
    })),
    ...sourceTypes.map(type => ({
      label: `Source: ${type}`,
      without: { sourceTypes: toggled(sourceTypes, type) },
    })),
    source && { label: `Source: ${cut(source)}`, without: { source: '' } },
    createdBy && { label: `Created By: ${cut(creator ?? createdBy)}`, without: { createdBy: '' } },
    ...analyzedChips(filters).map(chip => ({ ...chip, label: cut(chip.label) })),
  ].filter(chip => chip !== '')
}
