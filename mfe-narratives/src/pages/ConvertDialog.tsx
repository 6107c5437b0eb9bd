import type { Narrative, Triplet } from '@iodine/contracts'
import { IodForm } from '@iodine/mfe-kit'
import { useRetained } from '@iodine/ui'
import { quoteOf, tripletDescription, tripletValue } from '../model/triplets'
import { useReadCitations } from '../queries/citations'
import { useTripletIodCache } from '../queries/triplet-iods'

/** A triplet of a narrative. */
export interface Said {
  narrative: Narrative
  triplet: Triplet
}

export interface ConvertDialogProps {
  /** The triplet to convert; null closes the dialog. */
  said: Said | null
  onClose: () => void
  /** Called once an IOD that exists already has the triplet's sentence as its evidence. */
  onQuoted: (said: Said) => void
}

/** The dialog 'Convert to IOD'. */
export function ConvertDialog({ said, onClose, onQuoted }: ConvertDialogProps) {
  const readCitations = useReadCitations()
  const cache = useTripletIodCache()
  const shown = useRetained(said)
  if (!shown) return null
  const { narrative, triplet } = shown
  return (
    <IodForm
      key={triplet.id}
      isOpen={said !== null}
      title="Convert to IOD"
      initial={{ value: tripletValue(triplet), description: tripletDescription(triplet) }}
      labels={{ value: 'IOD Value' }}
      draftName={`triplet:${triplet.id}`}
      canSubmit={({ value }) => value.trim() !== ''}
      iodOf={({ value, description }) => ({
        value,
        category: 'NARRATIVE_TRIPLET',
        description,
        source_type: 'NARRATIVES',
        source: triplet.narrative_data.src,
        source_id: triplet.id,
      })}
      failed={{ description: 'Unable to create IOD' }}
      // The triplet's sentence.
      readQuote={async () => quoteOf(narrative, triplet, await readCitations(narrative.id))}
      onCreated={cache.add}
      onRefused={cache.refresh}
      onQuoted={() => onQuoted(shown)}
      onClose={onClose}
    />
  )
}
