import type { CampaignDetail, ExportFormat, ExportProfile } from '@iodine/contracts'
import { Button, ButtonGroup, Switch } from '@iodine/ui'
import { CaretDownIcon, ExportIcon } from '@iodine/ui/icons'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useExport } from '../queries/export'
import styles from './ExportButtons.module.css'

const OTHERS: { format: ExportFormat; label: string; profile?: ExportProfile }[] = [
  { format: 'stix', label: 'STIX 2.1 bundle' },
  { format: 'stix', label: 'STIX 2.1 bundle for OpenCTI', profile: 'opencti' },
  { format: 'misp', label: 'MISP event' },
  { format: 'csv', label: 'CSV' },
]

/** Saves the campaign as JSON, or in an exchange format: STIX, MISP or CSV; with the IODs' evidence if wanted. */
export function ExportButtons({ campaign, disabled }: { campaign: CampaignDetail; disabled: boolean }) {
  const { run: save } = useExport()
  const [withEvidence, setWithEvidence] = useState(false)
  return (
    <ButtonGroup>
      <Button
        icon={<ExportIcon />}
        text="Export JSON"
        disabled={disabled}
        onClick={() => void save({ campaign, format: 'json', withEvidence })}
      />
      <Popover
        placement="bottom-end"
        disabled={disabled}
        content={
          <div>
            <Switch
              className={styles.evidence}
              label="With evidence"
              checked={withEvidence}
              onChange={event => setWithEvidence(event.currentTarget.checked)}
            />
            <Menu>
              {OTHERS.map(({ format, label, profile }) => (
                <MenuItem
                  key={label}
                  text={withEvidence && format === 'csv' ? `${label}, without evidence` : label}
                  onClick={() => void save({ campaign, format, withEvidence, profile })}
                />
              ))}
            </Menu>
            <p className={styles.levels}>
              Each states the sharing level; Export JSON does unless it is green. CSV has no techniques.
            </p>
          </div>
        }
      >
        <Button
          icon={<CaretDownIcon />}
          aria-label="Export in another format"
          title="Export in another format"
          disabled={disabled}
        />
      </Popover>
    </ButtonGroup>
  )
}
