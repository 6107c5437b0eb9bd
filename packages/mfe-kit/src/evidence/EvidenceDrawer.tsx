import type { Iod } from '@iodine/contracts'
import { EmptyState, formatCount, LoadingPanel, LoadMore } from '@iodine/ui'
import { CitationIcon } from '@iodine/ui/icons'
import { useCallback, useRef } from 'react'
import { EvidencePiece } from './EvidencePiece'
import styles from './evidence.module.css'
import { useEvidence } from './queries'
import { SideDrawer, type SideDrawerHandle } from './SideDrawer'

export interface EvidenceDrawerProps {
  iod: Pick<Iod, 'id' | 'value'>
  isOpen: boolean
  onClose: () => void
}

/** The evidence of an IOD: each quote in its context, with its proof. */
export function EvidenceDrawer({ iod, isOpen, onClose }: EvidenceDrawerProps) {
  const drawer = useRef<SideDrawerHandle>(null)
  const keepFocus = useCallback(() => drawer.current?.keepFocus(), [])
  return (
    <SideDrawer handle={drawer} isOpen={isOpen} title="Evidence" about={iod.value} onClose={onClose}>
      <Pieces iodId={iod.id} onGone={keepFocus} />
    </SideDrawer>
  )
}

function Pieces({ iodId, onGone }: { iodId: string; onGone: () => void }) {
  const query = useEvidence(iodId)
  return (
    <LoadingPanel
      query={query}
      errorTitle="Unable to load the evidence"
      empty={
        <EmptyState
          icon={<CitationIcon size={40} />}
          title="No evidence yet"
          description="To add a quote, select text in My data, or on a page with the browser extension."
        />
      }
    >
      {pieces => (
        <>
          <p className={styles.meta}>
            {formatCount(query.total ?? pieces.length)}{' '}
            {(query.total ?? pieces.length) === 1 ? 'quote' : 'quotes'}, oldest first
          </p>
          {pieces.map((piece, index) => (
            <EvidencePiece key={piece.id} piece={piece} number={index + 1} onGone={onGone} />
          ))}
          <LoadMore query={query.more} text="Show more evidence" />
          {pieces.some(({ open, seal }) => open && seal) && (
            <p className={styles.meta}>
              Downloaded a capture? Check the file in your browser:{' '}
              <a href="/verify" target="_blank" rel="noopener noreferrer">
                Verify a capture
              </a>
            </p>
          )}
        </>
      )}
    </LoadingPanel>
  )
}
