import { ChevronDownIcon, ChevronRightIcon } from '@blueprintjs/icons'
import { type ReactNode, useId, useState } from 'react'
import { Button, Collapse, Tag } from '../blueprint'
import styles from './Disclosure.module.css'

export interface DisclosureProps {
  label: string
  /** Number of settings inside that differ from their defaults; shown as a tag, and open at first. */
  active?: number
  /** Keeps it open, for example while a field inside is invalid. */
  forceOpen?: boolean
  children: ReactNode
}

/** Hides settings that most people never change behind a button. */
export function Disclosure({ label, active = 0, forceOpen = false, children }: DisclosureProps) {
  const [open, setOpen] = useState(active > 0)
  const isOpen = open || forceOpen
  const id = useId()
  return (
    <>
      <Button
        className={styles.toggle}
        variant="minimal"
        icon={isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
        {active > 0 && (
          <>
            {' '}
            <Tag round minimal intent="primary">
              {active} active
            </Tag>
          </>
        )}
      </Button>
      <div id={id}>
        <Collapse isOpen={isOpen}>
          <div className={styles.content}>{children}</div>
        </Collapse>
      </div>
    </>
  )
}
