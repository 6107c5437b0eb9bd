import { CATEGORIES, type Category, SOURCE_TYPES, type SourceType } from '@iodine/contracts'
import { Button, SearchInput, truncate } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import { useEffect, useRef, useState } from 'react'
import { type IodFilters, isFiltered, NO_FILTERS, toggled } from '../model/filters'
import styles from './FilterBar.module.css'
import { FilterMenu } from './FilterMenu'

const SEARCH_AFTER_MS = 250
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

/** Search and the two filter menus, and below them what is chosen as removable chips. */
export function FilterBar({ filters, counts, onChange }: FilterBarProps) {
  const [text, setText] = useDelayedSearch(filters.q, q => onChange({ ...filters, q }))
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

/** A field's text, applied once typing rests; follows the filters where these change otherwise. */
function useDelayedSearch(applied: string, apply: (text: string) => void) {
  const [text, setText] = useState(applied)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latestApply = useRef(apply)
  latestApply.current = apply
  useEffect(() => {
    if (timer.current === undefined) setText(applied)
  }, [applied])
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      timer.current = undefined
      latestApply.current(next)
    }, SEARCH_AFTER_MS)
  }
  return [text, change] as const
}
