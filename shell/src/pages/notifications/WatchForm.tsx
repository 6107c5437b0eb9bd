import { LIMITS, WATCH_CHANNELS, type Watch, type WatchChannel } from '@iodine/contracts'
import { Checkbox, Disclosure, Switch, TextField } from '@iodine/ui'
import { DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useRefusal } from '../FieldForm'

type Entered = Pick<Watch, 'name' | 'channels' | 'paused'>

export interface WatchFormProps {
  watch: Watch
  /** Resolves to whether the watch was saved. */
  onSave: (entered: Entered) => Promise<boolean>
  onClose: () => void
}

const OTHERS: readonly [WatchChannel, string][] = [
  ['webhook', 'Send to my webhook'],
  ['feed', 'Show in my Atom feed'],
]

/** The form that changes a watch, as the content of a dialog. */
export function WatchForm({ watch, onSave, onClose }: WatchFormProps) {
  const [name, setName] = useState(watch.name)
  const [channels, setChannels] = useState(watch.channels)
  const [paused, setPaused] = useState(watch.paused)
  const { fieldProps, setMissing, refuse } = useRefusal<'name'>()
  const save = async () =>
    name.trim() === ''
      ? refuse('name', 'A name is required')
      : onSave({ name: name.trim(), channels, paused })
  const box = (channel: WatchChannel, label: string) => (
    <Checkbox
      key={channel}
      label={label}
      checked={channels.includes(channel)}
      onChange={({ currentTarget: { checked } }) =>
        setChannels(WATCH_CHANNELS.filter(each => (each === channel ? checked : channels.includes(each))))
      }
    />
  )
  return (
    <DialogForm submitLabel="Save" onSubmit={save} onClose={onClose}>
      <TextField
        {...fieldProps('name')}
        label="Name"
        autoComplete="off"
        autoFocus
        maxLength={LIMITS.watchNameMax}
        value={name}
        onValueChange={value => {
          setMissing()
          setName(value)
        }}
      />
      <Switch
        label="Paused: nothing new is notified"
        checked={paused}
        onChange={event => setPaused(event.currentTarget.checked)}
      />
      {box('mail', 'Send by mail, if mails are on')}
      <Disclosure
        label="Advanced"
        active={OTHERS.filter(([channel]) => !watch.channels.includes(channel)).length}
      >
        {OTHERS.map(([channel, label]) => box(channel, label))}
      </Disclosure>
    </DialogForm>
  )
}
