import type { Iod } from '@iodine/contracts'
import { EmptyState, formatAmount, LoadingPanel, LoadMore } from '@iodine/ui'
import { CitationIcon } from '@iodine/ui/icons'
import { SideDrawer } from '../side-drawer'
import { EvidencePiece } from './EvidencePiece'
import styles from './evidence.module.css'
import { useEvidence } from './queries'

export interface EvidenceDrawerProps {
  iod: Pick<Iod, 'id' | 'value'>
  isOpen: boolean
  onClose: () => void
}

/** The evidence of an IOD: each quote in its context, with its proof. */
export function EvidenceDrawer({ iod, isOpen, onClose }: EvidenceDrawerProps) {
  return (
    <SideDrawer isOpen={isOpen} title="Evidence" about={iod.value} onClose={onClose}>
      <Pieces iodId={iod.id} />
    </SideDrawer>
  )
}

function Pieces({ iodId }: { iodId: string }) {
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
          <p className={styles.meta}>{formatAmount(query.total ?? pieces.length, 'quote')}, oldest first</p>
          {pieces.map((piece, index) => (
            <EvidencePiece key={piece.id} piece={piece} number={index + 1} />
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
