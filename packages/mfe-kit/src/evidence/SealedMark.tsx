import type { CaptureSummary } from '@iodine/contracts'
import { Button } from '@iodine/ui'
import { EndorsedIcon } from '@iodine/ui/icons'
import { lazy, Suspense, useState } from 'react'
import styles from './evidence.module.css'
import { SEAL_HELP } from './seal-texts'

const CapturesDrawer = lazy(() =>
  import('./CapturesDrawer').then(module => ({ default: module.CapturesDrawer })),
)

export interface SealedMarkProps {
  /** Sealed captures of a record, newest first. */
  captures: readonly CaptureSummary[]
  /** Title of the record. */
  about: string
}

/** A button on a record with sealed captures, which opens their details. The drawer's code is loaded on first use. */
export function SealedMark({ captures, about }: SealedMarkProps) {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused')
  return (
    <>
      {captures.length > 0 && (
        <Button
          className={styles.mark}
          variant="minimal"
          size="small"
          intent="success"
          icon={<EndorsedIcon size={14} />}
          text="Sealed"
          title={SEAL_HELP}
          onClick={() => setState('open')}
        />
      )}
      {state !== 'unused' && (
        <Suspense fallback={null}>
          <CapturesDrawer
            captures={captures}
            about={about}
            isOpen={state === 'open'}
            onClose={() => setState('closed')}
          />
        </Suspense>
      )}
    </>
  )
}
