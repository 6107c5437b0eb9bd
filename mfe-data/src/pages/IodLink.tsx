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
  const { open } = useSections()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const follow = (event: MouseEvent) => {
    clearTimeout(timer.current)
    if (event.detail > 1) return
    timer.current = setTimeout(() => {
      if (window.getSelection()?.isCollapsed !== false) open(`iods/${iod.id}`)
    }, DOUBLE_CLICK_MS)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: no selection can be dragged from inside an <a>
    // biome-ignore lint/a11y/useFocusableInteractive: the keyboard has the link of the selection's bubble
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same
    <span className={styles.iod} role="link" onClick={follow}>
      {children}
    </span>
  )
}
