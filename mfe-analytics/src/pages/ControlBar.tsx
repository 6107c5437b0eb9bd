import { CATEGORIES, isDay, isZone, SOURCE_TYPES, SOURCES } from '@iodine/contracts'
import { SOURCE_LABELS } from '@iodine/mfe-kit'
import { Button, Checkbox, FormGroup, HTMLSelect, InputGroup, SegmentedControl, truncate } from '@iodine/ui'
import { CaretDownIcon } from '@iodine/ui/icons'
import { FilterMenu, ScrollPopover } from '@iodine/ui/overlays'
import { type FormEvent, useId, useState } from 'react'
import { type ChartsProps, PERIODS, periodProblem } from '../model/controls'
import { useCampaignNames } from '../queries/analyses'
import styles from './AnalyticsPage.module.css'

const CHOSEN = 'chosen'
const NAME_CHARS = 60
const PERIOD_TEXTS: Record<(typeof PERIODS)[number], string> = {
  7: 'Last 7 days',
  30: 'Last 30 days',
  90: 'Last 90 days',
  365: 'Last year',
}

/** The row of controls above the charts: those that the tab's charts respect. */
export function ControlBar({ controls, onChange }: ChartsProps) {
  const { tab, days, campaign, categories, sourceTypes, sources, mine } = controls
  const hasCampaigns = tab === 'indicators' || tab === 'campaigns'
  const options = [
    ...PERIODS.map(each => ({ value: String(each), label: PERIOD_TEXTS[each] })),
    { value: CHOSEN, label: 'From–to' },
  ]
  return (
    <fieldset className={styles.bar} aria-label="Controls">
      <HTMLSelect
        aria-label="Period"
        iconName="caret-down"
        options={options}
        value={days === null ? CHOSEN : String(days)}
        onChange={({ target: { value } }) => onChange({ days: value === CHOSEN ? null : Number(value) })}
      />
      {days === null && (
        <DaysForm key={`${controls.from} ${controls.to}`} controls={controls} onChange={onChange} />
      )}
      {hasCampaigns && <CampaignSelect campaign={campaign} onChange={onChange} />}
      {tab === 'indicators' && (
        <>
          <FilterMenu
            label="Categories"
            choices={CATEGORIES}
            chosen={categories}
            onChange={next => onChange({ categories: next })}
          />
          <FilterMenu
            label="Sources"
            choices={SOURCE_TYPES}
            chosen={sourceTypes}
            onChange={next => onChange({ sourceTypes: next })}
          />
        </>
      )}
      {tab === 'collection' && (
        <HTMLSelect
          aria-label="Source"
          iconName="caret-down"
          value={sources[0] ?? ''}
          options={[
            { value: '', label: 'All sources' },
            ...SOURCES.map(value => ({ value, label: SOURCE_LABELS[value] })),
          ]}
          onChange={({ target: { value } }) => onChange({ sources: SOURCES.filter(each => each === value) })}
        />
      )}
      {hasCampaigns && (
        <SegmentedControl
          aria-label="Owner"
          size="small"
          options={[
            { label: 'Everyone’s', value: 'all' },
            { label: 'Mine', value: 'own' },
          ]}
          value={mine ? 'own' : 'all'}
          onValueChange={value => onChange({ mine: value === 'own' })}
        />
      )}
      <More controls={controls} onChange={onChange} />
    </fieldset>
  )
}

function CampaignSelect({ campaign, onChange }: Pick<ChartsProps, 'onChange'> & { campaign: string | null }) {
  const campaigns = useCampaignNames()
  const isKnown = campaign === null || campaigns?.some(({ id }) => id === campaign)
  return (
    <HTMLSelect
      className={styles.campaign}
      aria-label="Campaign"
      iconName="caret-down"
      value={campaign ?? ''}
      onChange={({ target: { value } }) => onChange({ campaign: value || null })}
    >
      <option value="">All campaigns</option>
      {!isKnown && campaign && <option value={campaign}>Chosen campaign</option>}
      {campaigns?.map(({ id, name }) => (
        <option key={id} value={id}>
          {truncate(name, NAME_CHARS)}
        </option>
      ))}
    </HTMLSelect>
  )
}

/** First and last day. They are applied together: one alone may be invalid. */
function DaysForm({ controls, onChange }: ChartsProps) {
  const [from, setFrom] = useState(controls.from)
  const [to, setTo] = useState(controls.to)
  const problem = periodProblem(from, to)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem === null) onChange({ from, to, days: null })
  }
  return (
    <form className={styles.days} aria-label="Days of the period" onSubmit={submit}>
      <InputGroup type="date" aria-label="From" value={from} onValueChange={setFrom} />
      <InputGroup type="date" aria-label="To" value={to} onValueChange={setTo} />
      <Button
        type="submit"
        text="Apply"
        disabled={problem !== null || (from === controls.from && to === controls.to)}
      />
      {isDay(from) && isDay(to) && problem && <span role="alert">{problem}</span>}
    </form>
  )
}

/** Zones that the browser knows. */
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter(zone => zone !== 'UTC' && isZone(zone))]

function More({ controls: { compare, zone }, onChange }: ChartsProps) {
  const id = useId()
  const active = Number(compare) + Number(zone !== 'UTC')
  return (
    <ScrollPopover
      placement="bottom-end"
      content={
        <fieldset className={styles.more} aria-label="More controls">
          <Checkbox
            label="Compare with the period before"
            checked={compare}
            onChange={() => onChange({ compare: !compare })}
          />
          <FormGroup label="Time zone of the days" labelFor={id}>
            <HTMLSelect
              id={id}
              fill
              iconName="caret-down"
              options={ZONES}
              value={zone}
              onChange={event => onChange({ zone: event.target.value })}
            />
          </FormGroup>
        </fieldset>
      }
    >
      <Button endIcon={<CaretDownIcon />} aria-haspopup="dialog">
        More{active > 0 && ` (${active})`}
      </Button>
    </ScrollPopover>
  )
}
