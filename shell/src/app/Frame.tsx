import { useHost } from '@iodine/mfe-kit'
import { Button, useElapsed, useMedia } from '@iodine/ui'
import { MenuIcon } from '@iodine/ui/icons'
import { NavigationType, useNavigationType } from '@iodine/ui/router'
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { BellButton } from '../notifications/BellButton'
import styles from './Frame.module.css'
import { Sidebar } from './Sidebar'
import { useScrollPosition } from './use-scroll-position'

/** Time until the bell is loaded, in milliseconds: the page is loaded first. */
const BELL_AFTER_MS = 1_000

const Bell = lazy(() =>
  import('../notifications/Bell').then(
    module => ({ default: module.Bell }),
    // The pages work without it.
    () => ({ default: BellButton }),
  ),
)

/** The sidebar and the content. In narrow windows the sidebar is a drawer behind a menu button. */
export function Frame({ section, children }: { section: string; children: ReactNode }) {
  const { config } = useHost()
  const narrow = useMedia('(max-width: 899px)')
  const main = useRef<HTMLElement>(null)
  const shownSection = useRef(section)
  const navigationType = useNavigationType()
  const isBellDue = useElapsed(BELL_AFTER_MS)
  useScrollPosition()

  // When the section changes, scroll to its top and focus it.
  useEffect(() => {
    if (shownSection.current === section) return
    shownSection.current = section
    if (navigationType !== NavigationType.Pop) window.scrollTo(0, 0)
    main.current?.focus({ preventScroll: true })
  }, [section, navigationType])

  const bell = <Suspense fallback={<BellButton />}>{isBellDue ? <Bell /> : <BellButton />}</Suspense>
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      {narrow ? (
        <header className={styles.bar}>
          <MenuDrawer key={section} />
          <span className={styles.brand}>{config.product_name}</span>
          {bell}
        </header>
      ) : (
        <div className={styles.side}>
          <Sidebar bell={bell} />
        </div>
      )}
      <main className={styles.main} id="content" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** The menu button and its drawer, which closes when the section changes: the section is its key. */
function MenuDrawer() {
  const drawer = useRef<HTMLDialogElement>(null)
  return (
    <>
      <Button
        variant="minimal"
        size="large"
        icon={<MenuIcon />}
        aria-label="Open menu"
        aria-haspopup="dialog"
        onClick={() => drawer.current?.showModal()}
      />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a modal dialog; the click is on its backdrop */}
      <dialog
        ref={drawer}
        className={styles.drawer}
        aria-label="Menu"
        onClick={event => event.target === drawer.current && drawer.current.close()}
      >
        <Sidebar onNavigate={() => drawer.current?.close()} />
      </dialog>
    </>
  )
}
