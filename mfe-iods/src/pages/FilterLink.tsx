import { Link, useSearchParams } from '@iodine/ui/router'
import type { ReactNode } from 'react'
import { type IodFilters, NO_FILTERS, readFilters, readSort, writeSearch } from '../model/filters'
import styles from './IodLink.module.css'

export interface FilterLinkProps {
  /** The filters that the link sets. */
  filters: Partial<IodFilters>
  /** Whether the link removes all other filters; by default it keeps them. */
  alone?: boolean
  className?: string | undefined
  tabIndex?: number
  children: ReactNode
}

/** A link that filters the list. */
export function FilterLink({ filters, alone = false, className = '', ...anchor }: FilterLinkProps) {
  const [search] = useSearchParams()
  const next = writeSearch(
    { ...(alone ? NO_FILTERS : readFilters(search)), ...filters },
    { sort: readSort(search) },
  )
  return (
    <Link
      {...anchor}
      className={`${styles.link} ${className}`}
      to={{ pathname: '/', search: next.toString() }}
    />
  )
}
