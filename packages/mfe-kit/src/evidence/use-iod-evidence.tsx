import type { Iod } from '@iodine/contracts'
import { Button, formatAmount, formatCount } from '@iodine/ui'
import { CitationIcon } from '@iodine/ui/icons'
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import styles from './evidence.module.css'

const EvidenceDrawer = lazy(() =>
  import('./EvidenceDrawer').then(module => ({ default: module.EvidenceDrawer })),
)

export interface IodEvidence {
  /** A button that opens the evidence; null if there is none. */
  button: ReactNode
  /** The drawer that the button opens. Render it outside the button's popover, so that it stays mounted. */
  drawer: ReactNode
}

/** Returns the evidence button and drawer of an IOD with `count` pieces. The drawer's code is loaded on first use. */
export function useIodEvidence(iod: Pick<Iod, 'id' | 'value'>, count: number): IodEvidence {
  const { open, drawer } = useDrawer(iod)
  return {
    button:
      count > 0 ? (
        <Button
          className={styles.button}
          size="small"
          icon={<CitationIcon size={14} />}
          text={`Evidence (${formatCount(count)})`}
          onClick={open}
        />
      ) : null,
    drawer,
  }
}

/** The evidence count in an IOD's row, as a button that opens the evidence. Renders nothing for 0. */
export function EvidenceMark({ iod, count }: { iod: Pick<Iod, 'id' | 'value'>; count: number }) {
  const { open, drawer } = useDrawer(iod)
  const quotes = formatAmount(count, 'quote')
  return (
    <>
      {count > 0 && (
        <Button
          className={styles.mark}
          variant="minimal"
          size="small"
          // A row is one Tab stop: the arrow keys reach its controls.
          tabIndex={-1}
          icon={<CitationIcon size={12} />}
          text={quotes}
          aria-label={`Evidence: ${quotes}`}
          title="Evidence"
          onClick={open}
        />
      )}
      {drawer}
    </>
  )
}

function useDrawer(iod: Pick<Iod, 'id' | 'value'>) {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused')
  const open = useCallback(() => setState('open'), [])
  const drawer = state !== 'unused' && (
    <Suspense fallback={null}>
      <EvidenceDrawer iod={iod} isOpen={state === 'open'} onClose={() => setState('closed')} />
    </Suspense>
  )
  return { open, drawer }
}
