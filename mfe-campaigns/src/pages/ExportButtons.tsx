import type { CampaignDetail, ExportFormat, ExportProfile } from '@iodine/contracts'
import { Button, ButtonGroup, Switch } from '@iodine/ui'
import { CaretDownIcon, ExportIcon } from '@iodine/ui/icons'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'
import { useState } from 'react'
import { takesEvidence, useExport } from '../queries/export'
import styles from './ExportButtons.module.css'

const FORMATS: { format: ExportFormat; label: string; profile?: ExportProfile }[] = [
  { format: 'json', label: 'JSON' },
  { format: 'stix', label: 'STIX 2.1 bundle' },
  { format: 'stix', label: 'STIX 2.1 bundle for OpenCTI', profile: 'opencti' },
  { format: 'misp', label: 'MISP event' },
  { format: 'csv', label: 'CSV' },
  { format: 'navigator', label: 'DISARM Navigator layer' },
]

/** Buttons that save the campaign as JSON, STIX, MISP, CSV or a Navigator layer, optionally with the IODs' evidence. */
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
              {FORMATS.map(({ format, label, profile }) => (
                <MenuItem
                  key={label}
                  text={withEvidence && !takesEvidence(format) ? `${label}, without evidence` : label}
                  onClick={() => void save({ campaign, format, withEvidence, profile })}
                />
              ))}
            </Menu>
            <p className={styles.levels}>
              All formats but the layer state the sharing level; JSON omits TLP:GREEN. CSV contains no
              techniques, a Navigator layer only techniques.
            </p>
          </div>
        }
      >
        <Button text="More formats" endIcon={<CaretDownIcon />} disabled={disabled} />
      </Popover>
    </ButtonGroup>
  )
}
