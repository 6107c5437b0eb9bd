import { type ApiClient, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { Button, formatDate, formatRelative, LoadingPanel, Tag, useRetained } from '@iodine/ui'
import { ConfirmDialog, Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { type ReactNode, useState } from 'react'
import { ItemRow, ItemRows } from './ItemRow'
import styles from './Profile.module.css'

interface Item {
  id: string
  /** Null: it does not expire. */
  expires_at: string | null
  last_used_at: string | null
}

export interface FormProps<M> {
  /** Makes one by `call`; says why if it cannot. Resolves to whether it is made. */
  create: (call: (api: ApiClient) => Promise<M>) => Promise<boolean>
  onClose: () => void
}

export interface KeyListProps<T extends Item, M> {
  /** 'feed key', with its article, and in short. */
  noun: string
  aNoun: string
  short: string
  max: number
  icon: ReactNode
  load: (api: ApiClient, signal: AbortSignal) => Promise<T[]>
  revoke: (api: ApiClient, id: string) => Promise<unknown>
  nameOf: (item: T) => string
  /** What a live one may be used for. */
  tagOf: (item: T) => ReactNode
  /** What is over for whoever uses a revoked one. */
  revoked: string
  /** The form that makes one, in a dialog. */
  Form: (props: FormProps<M>) => ReactNode
  /** What is shown once, of a new one. */
  Made: (props: { made: M }) => ReactNode
}

/** A user's keys or tokens on a card of My Profile: makes one, which is shown once, and revokes them. */
export function KeyList<T extends Item, M>({
  noun,
  aNoun,
  short,
  max,
  icon,
  load,
  revoke,
  nameOf,
  tagOf,
  revoked,
  Form,
  Made,
}: KeyListProps<T, M>) {
  const { api } = useHost()
  const queryKey = [noun]
  const query = useQuery({ queryKey, queryFn: ({ signal }) => load(api, signal) })
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<M | null>(null)
  const shown = useRetained(made)
  const [ending, setEnding] = useState<T | null>(null)
  const asked = useRetained(ending)
  const create = useAction({
    mutationFn: (call: (api: ApiClient) => Promise<M>) => call(api),
    onSuccess: result => setMade(result),
    failed: `Unable to make ${aNoun}`,
    invalidates: [queryKey],
  })
  const end = useAction({
    mutationFn: ({ id }: T) => revoke(api, id),
    done: { title: `${capitalized(noun)} revoked`, duration: 3000 },
    failed: `Unable to revoke the ${noun}`,
    invalidates: [queryKey],
  })
  return (
    <>
      <LoadingPanel query={query} errorTitle={`Unable to load ${noun}s`}>
        {items => (
          <>
            <ItemRows>
              {items.map(item => (
                <Row
                  key={item.id}
                  item={item}
                  icon={icon}
                  name={nameOf(item)}
                  tag={tagOf(item)}
                  onRevoke={() => setEnding(item)}
                />
              ))}
            </ItemRows>
            <div className={styles.row}>
              <Button
                intent={items.length === 0 ? 'primary' : 'none'}
                text={`Make a ${short}`}
                disabled={items.length >= max}
                onClick={() => setMaking(true)}
              />
              {items.length >= max && (
                <span className={styles.muted}>
                  You have {max} {short}s: revoke one first.
                </span>
              )}
            </div>
          </>
        )}
      </LoadingPanel>
      <Dialog
        isOpen={making}
        onClose={() => setMaking(false)}
        title={`Make ${aNoun}`}
        canOutsideClickClose={false}
      >
        <Form create={create.run} onClose={() => setMaking(false)} />
      </Dialog>
      <Dialog
        isOpen={made !== null}
        onClose={() => setMade(null)}
        title={`Your ${noun}`}
        canOutsideClickClose={false}
      >
        {shown && (
          <>
            <DialogBody>
              <p className={styles.once}>Copy it now: it is not shown again.</p>
              <Made made={shown} />
            </DialogBody>
            <DialogFooter actions={<Button intent="primary" text="Done" onClick={() => setMade(null)} />} />
          </>
        )}
      </Dialog>
      <ConfirmDialog
        isOpen={ending !== null}
        title={`Revoke the ${noun}`}
        confirmLabel="Revoke"
        onConfirm={async () => ending && end.run(ending)}
        onClose={() => setEnding(null)}
      >
        “<bdi>{asked && nameOf(asked)}</bdi>”: {revoked}
      </ConfirmDialog>
    </>
  )
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

interface RowProps {
  item: Item
  icon: ReactNode
  name: string
  tag: ReactNode
  onRevoke: () => void
}

function Row({ item: { expires_at, last_used_at }, icon, name, tag, onRevoke }: RowProps) {
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return (
    <ItemRow
      icon={icon}
      name={name}
      tag={
        isOver ? (
          <Tag minimal intent="danger">
            Expired
          </Tag>
        ) : (
          tag
        )
      }
      about={
        <>
          {last_used_at ? `Used ${formatRelative(last_used_at)}` : 'Never used'}
          {' · '}
          {expires_at === null
            ? 'does not expire'
            : `${isOver ? 'expired' : 'expires'} ${formatDate(expires_at)}`}
        </>
      }
      actions={
        <Button
          variant="outlined"
          intent="danger"
          text="Revoke"
          aria-label={`Revoke ${name}`}
          onClick={onRevoke}
        />
      }
    />
  )
}
