import { CATEGORIES, type Category, SOURCE_TYPES, type SourceType } from '@iodine/contracts'
import { Button, SearchInput, toggled, truncate, useSearchText } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import { FilterMenu } from '@iodine/ui/overlays'
import { type IodFilters, isFiltered, NO_FILTERS } from '../model/filters'
import styles from './FilterBar.module.css'

const CHIP_CHARS = 40

export interface FilterBarProps {
  filters: IodFilters
  counts: {
    categories: MenuCounts<Category> | undefined
    sourceTypes: MenuCounts<SourceType> | undefined
  }
  onChange: (filters: IodFilters) => void
}

interface MenuCounts<T extends string> {
  total: number
  counts: Partial<Record<T, number>>
}

/** The search field and two filter menus; below them, the active filters as removable chips. */
export function FilterBar({ filters, counts, onChange }: FilterBarProps) {
  const [text, setText] = useSearchText(filters.q, q => onChange({ ...filters, q }))
  const { q, categories, sourceTypes } = filters
  const chips = [
    ...(q ? [{ label: `Search: ${truncate(q, CHIP_CHARS)}`, without: { ...filters, q: '' } }] : []),
    ...categories.map(category => ({
      label: category,
      without: { ...filters, categories: toggled(categories, category) },
    })),
    ...sourceTypes.map(type => ({
      label: `Source: ${type}`,
      without: { ...filters, sourceTypes: toggled(sourceTypes, type) },
    })),
  ]
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
          chosen={categories}
          total={counts.categories?.total}
          counts={counts.categories?.counts}
          onChange={next => onChange({ ...filters, categories: next })}
        />
        <FilterMenu
          label="Sources"
          choices={SOURCE_TYPES}
          chosen={sourceTypes}
          total={counts.sourceTypes?.total}
          counts={counts.sourceTypes?.counts}
          onChange={next => onChange({ ...filters, sourceTypes: next })}
        />
      </div>
      {isFiltered(filters) && (
        <fieldset className={styles.chips} aria-label="Active filters">
          {chips.map(({ label, without }) => (
            <Button
              key={label}
              className={styles.chip}
              size="small"
              endIcon={<CrossIcon size={14} />}
              text={label}
              aria-label={`Remove filter ${label}`}
              onClick={() => onChange(without)}
            />
          ))}
          <Button variant="minimal" size="small" text="Clear all" onClick={() => onChange(NO_FILTERS)} />
        </fieldset>
      )}
    </div>
  )
}
