import { FormGroup, TextArea, TextField, type useMissingField } from '@iodine/ui'

interface CampaignText {
  name: string
  description: string
}

export interface CampaignFieldsProps {
  draft: CampaignText
  /** Marks the name if it is missing. */
  missing: ReturnType<typeof useMissingField<keyof CampaignText>>
  disabled?: boolean
  onChange: (draft: CampaignText) => void
}

/** The fields of a campaign: its name, which is required, and its description. */
export function CampaignFields({ draft, missing, disabled = false, onChange }: CampaignFieldsProps) {
  const { groupProps, fieldProps, setMissing } = missing
  return (
    <>
      <TextField
        {...fieldProps('name')}
        label="Campaign Name"
        labelInfo="(required)"
        autoFocus
        dir="auto"
        disabled={disabled}
        value={draft.name}
        onValueChange={name => {
          setMissing()
          onChange({ ...draft, name })
        }}
      />
      <FormGroup label="Description" {...groupProps('description')}>
        <TextArea
          {...fieldProps('description')}
          fill
          rows={4}
          dir="auto"
          disabled={disabled}
          value={draft.description}
          onChange={event => onChange({ ...draft, description: event.target.value })}
        />
      </FormGroup>
    </>
  )
}
