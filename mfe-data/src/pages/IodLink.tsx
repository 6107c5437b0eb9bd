import type { Iod } from '@iodine/contracts'
import { useSections } from '@iodine/mfe-kit'
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import styles from './FieldText.module.css'

/** A second click within this time selects a word, in milliseconds. */
const DOUBLE_CLICK_MS = 300

/**
 * An IOD's place in a text, which a click leads to. Its text can be selected as any other; for the keyboard, the
 * selection's bubble has the link.
 */
export function IodLink({ iod, children }: { iod: Iod; children: ReactNode }) {
  const { link } = useSections()
  const { href, onClick } = link(`iods/${iod.id}`)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const follow = (event: MouseEvent) => {
    clearTimeout(timer.current)
    const isByKey = event.detail === 0
    if (isByKey || event.ctrlKey || event.metaKey || event.shiftKey) return onClick(event)
    event.preventDefault()
    if (event.detail > 1) return
    timer.current = setTimeout(() => {
      if (window.getSelection()?.isCollapsed !== false) onClick(event)
    }, DOUBLE_CLICK_MS)
  }
  return (
    <a className={styles.iod} href={href} draggable={false} tabIndex={-1} onClick={follow}>
      {children}
    </a>
  )
}
