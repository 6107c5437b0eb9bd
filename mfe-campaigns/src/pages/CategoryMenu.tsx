import type { Category } from '@iodine/contracts'
import { Button, Checkbox, Tag } from '@iodine/ui'
import { CaretDownIcon } from '@iodine/ui/icons'
import { Popover } from '@iodine/ui/overlays'
import { toggled } from '../model/iods'
import styles from './CategoryMenu.module.css'

export interface CategoryMenuProps {
  counts: [Category, number][]
  /** None means all. */
  chosen: readonly Category[]
  onChange: (chosen: Category[]) => void
}

/** A menu of categories to choose several of. */
export function CategoryMenu({ counts, chosen, onChange }: CategoryMenuProps) {
  return (
    <Popover
      placement="bottom-end"
      content={
        <fieldset className={styles.menu} aria-label="Categories">
          <Checkbox checked={chosen.length === 0} label="All" onChange={() => onChange([])} />
          {counts.map(([category, count]) => (
            <Checkbox
              key={category}
              checked={chosen.includes(category)}
              onChange={() => onChange(toggled(chosen, category))}
            >
              {category} <span className={styles.count}>{count.toLocaleString('en-US')}</span>
            </Checkbox>
          ))}
        </fieldset>
      }
    >
      <Button endIcon={<CaretDownIcon />} aria-haspopup="dialog">
        Categories
        {chosen.length > 0 && (
          <Tag className={styles.chosen} intent="primary" round>
            {chosen.length}
          </Tag>
        )}
      </Button>
    </Popover>
  )
}
