import { Button } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import { Drawer } from '@iodine/ui/overlays'
import { createContext, type ReactNode, use, useCallback, useEffect, useId, useRef } from 'react'
import styles from './side-drawer.module.css'

const KeepFocus = createContext(() => {})

/** Focuses the drawer after the component was unmounted with the focus, unless that is in the drawer or a dialog. */
export function useKeptFocus(): void {
  const keepFocus = use(KeepFocus)
  useEffect(() => keepFocus, [keepFocus])
}

export interface SideDrawerProps {
  isOpen: boolean
  title: string
  /** The subject: one line. */
  about?: string | undefined
  onClose: () => void
  children: ReactNode
}

/** A modal drawer at the right edge, full width in narrow windows. Its content is mounted while it is open. */
export function SideDrawer({ isOpen, onClose, ...frame }: SideDrawerProps) {
  return (
    <Drawer isOpen={isOpen} onClose={onClose} className={styles.drawer ?? ''} transitionDuration={0}>
      <Frame {...frame} onClose={onClose} />
    </Drawer>
  )
}

function Frame({ title, about, onClose, children }: Omit<SideDrawerProps, 'isOpen'>) {
  const frame = useRef<HTMLDivElement>(null)
  const titleId = useId()
  const keepFocus = useCallback(() => {
    // Blueprint may have focused its focus trap, which screen readers do not announce.
    if (!document.activeElement?.closest('[role="dialog"]')) frame.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => frame.current?.focus({ preventScroll: true }), [])
  return (
    <div
      ref={frame}
      className={styles.frame}
      role="dialog"
      aria-modal="true"
      aria-labelledby={titleId}
      tabIndex={-1}
    >
      <header className={styles.header}>
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        <Button variant="minimal" icon={<CrossIcon />} aria-label="Close" title="Close" onClick={onClose} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it only when it has the focus */}
      <section className={styles.body} tabIndex={0} aria-label={`${title}: content`}>
        {about && (
          <p className={styles.about} dir="auto" title={about}>
            {about}
          </p>
        )}
        <KeepFocus value={keepFocus}>{children}</KeepFocus>
      </section>
    </div>
  )
}
