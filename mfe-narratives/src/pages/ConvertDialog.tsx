import type { Narrative, Triplet } from '@iodine/contracts'
import { IodForm } from '@iodine/mfe-kit'
import { useRetained } from '@iodine/ui'
import { useState } from 'react'
import { quoteOf, tripletDescription, tripletValue } from '../model/triplets'
import { useReadCitations } from '../queries/citations'
import { useTripletIodCache } from '../queries/triplet-iods'

/** A triplet and its narrative. */
interface NarrativeTriplet {
  narrative: Narrative
  triplet: Triplet
}

interface ConvertDialogProps {
  /** The triplet to convert; null closes the dialog. */
  target: NarrativeTriplet | null
  onClose: () => void
  /** Called once the triplet's sentence is evidence of an existing IOD. */
  onQuoted: (target: NarrativeTriplet) => void
}

/** Returns the dialog 'Convert to IOD', and a function that opens it. */
export function useConvertDialog() {
  const [target, setTarget] = useState<NarrativeTriplet | null>(null)
  const dialog = (
    <ConvertDialog
      target={target}
      onClose={() => setTarget(null)}
      onQuoted={quoted => setTarget(current => (current === quoted ? null : current))}
    />
  )
  return { dialog, convert: (narrative: Narrative, triplet: Triplet) => setTarget({ narrative, triplet }) }
}

function ConvertDialog({ target, onClose, onQuoted }: ConvertDialogProps) {
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
