import type { Narrative, Triplet } from '@iodine/contracts'
import { IodForm } from '@iodine/mfe-kit'
import { useRetained } from '@iodine/ui'
import { quoteOf, tripletDescription, tripletValue } from '../model/triplets'
import { useReadCitations } from '../queries/citations'
import { useTripletIodCache } from '../queries/triplet-iods'

/** A triplet and its narrative. */
export interface NarrativeTriplet {
  narrative: Narrative
  triplet: Triplet
}

export interface ConvertDialogProps {
  /** The triplet to convert; null closes the dialog. */
  target: NarrativeTriplet | null
  onClose: () => void
  /** Called once the triplet's sentence is evidence of an existing IOD. */
  onQuoted: (target: NarrativeTriplet) => void
}

/** The dialog 'Convert to IOD'. */
export function ConvertDialog({ target, onClose, onQuoted }: ConvertDialogProps) {
  const readCitations = useReadCitations()
  const cache = useTripletIodCache()
  const shown = useRetained(target)
  if (!shown) return null
  const { narrative, triplet } = shown
  return (
    <IodForm
      key={triplet.id}
      isOpen={target !== null}
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
      readQuote={async () => quoteOf(narrative, triplet, await readCitations(narrative.id))}
      onCreated={cache.add}
      onRefused={cache.refresh}
      onQuoted={() => onQuoted(shown)}
      onClose={onClose}
    />
  )
}
