import { hasStatus } from '@iodine/mfe-kit'
import { WatchButton } from '@iodine/mfe-kit/watches'
import {
  Button,
  Classes,
  EmptyState,
  LoadingPanel,
  truncate,
  useKeyDown,
  useLatest,
  useMedia,
  useTitle,
} from '@iodine/ui'
import { CrossIcon, FolderNewIcon, TagIcon } from '@iodine/ui/icons'
import { Drawer } from '@iodine/ui/overlays'
import { useEffect, useId, useMemo, useRef } from 'react'
import { useIod } from '../queries/iod'
import { AddToCampaignDialog } from './AddToCampaignDialog'
import { IodDetails } from './IodDetails'
import styles from './IodPanel.module.css'
import { focusRow, PANEL } from './panel-focus'
import { usePanel } from './use-panel'

const FULL_SCREEN = '(max-width: 599px)'
/** Maximum characters of the value in the title of the browser tab. */
const TITLE_CHARS = 60

/** The side panel of an IOD. The list beside it remains usable; on phones the panel covers it. */
export function IodPanel({ id }: { id: string }) {
  const isFullScreen = useMedia(FULL_SCREEN)
  const { close, isAdding, setAdding } = usePanel()
  const { data } = useIod(id)
  const added = useMemo(() => (isAdding && data ? [id] : null), [isAdding, data, id])
  useKeyDown(({ key, defaultPrevented }) => {
    // An overlay in front of the panel handles the key first.
    if (key === 'Escape' && !defaultPrevented && !document.querySelector(`.${Classes.DIALOG_CONTAINER}`))
      close()
  })
  useTitle(data && truncate(data.value, TITLE_CHARS))
  return (
    <>
      <Drawer
        isOpen
        className={styles.panel ?? ''}
        hasBackdrop={isFullScreen}
        enforceFocus={isFullScreen}
        autoFocus={false}
        shouldReturnFocusOnClose={false}
        canEscapeKeyClose={false}
        canOutsideClickClose={false}
        transitionDuration={0}
      >
        <PanelFrame id={id} isModal={isFullScreen} />
      </Drawer>
      <AddToCampaignDialog iodIds={added} onClose={() => setAdding(false)} />
    </>
  )
}

function PanelFrame({ id, isModal }: { id: string; isModal: boolean }) {
  const { close, setAdding } = usePanel()
  const query = useIod(id)
  const { data, error } = query
  const frame = useRef<HTMLDivElement>(null)
  const titleId = useId()
  useFocus(frame, id)
  const isMissing = hasStatus(error, 404) || hasStatus(error, 422)
  return (
    <div
      ref={frame}
      className={styles.frame}
      role="dialog"
      aria-modal={isModal || undefined}
      {...(!isModal && { [PANEL]: '' })}
      aria-labelledby={titleId}
      tabIndex={-1}
    >
      <header className={styles.header}>
        <h2 id={titleId} className={styles.title}>
          IOD
        </h2>
        {data && (
          <>
            <WatchButton subject={{ kind: 'iod', subject_id: id }} />
            <Button icon={<FolderNewIcon />} text="Add to campaign" onClick={() => setAdding(true)} />
          </>
        )}
        <Button variant="minimal" icon={<CrossIcon />} aria-label="Close" title="Close" onClick={close} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it only when it has the focus */}
      <section key={id} className={styles.body} tabIndex={0} aria-label="About this IOD">
        {isMissing && !data ? (
          <EmptyState
            icon={<TagIcon size={40} />}
            title="This IOD does not exist"
            description="The link may be incomplete."
            action={<Button text="Back to the list" onClick={close} />}
          />
        ) : (
          <LoadingPanel query={query} errorTitle="Error loading data">
            {iod => <IodDetails iod={iod} />}
          </LoadingPanel>
        )}
      </section>
    </div>
  )
}

/** Focuses the panel when it opens and when its focused control disappears. On close, focuses the row of its IOD. */
function useFocus(frame: { current: HTMLElement | null }, id: string): void {
  const latest = useLatest(id)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another IOD replaces what has the focus
  useEffect(() => {
    if (document.activeElement === document.body) frame.current?.focus({ preventScroll: true })
  }, [frame, id])
  useEffect(() => {
    frame.current?.focus({ preventScroll: true })
    return () => {
      if (document.activeElement === document.body) focusRow(latest.current)
    }
  }, [frame, latest])
}
