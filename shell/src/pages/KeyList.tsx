import { type ApiClient, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { Button, formatDate, formatRelative, LoadingPanel, Tag, useRetained } from '@iodine/ui'
import { ConfirmDialog, Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { type ReactNode, useState } from 'react'
import { ItemRow, ItemRows } from './ItemRow'
import styles from './Profile.module.css'

interface Item {
  id: string
  /** Null if the key does not expire. */
  expires_at: string | null
  last_used_at: string | null
}

export interface FormProps<M> {
  /** Creates a key by `call`; on failure it shows a toast. Resolves to whether the key was created. */
  create: (call: (api: ApiClient) => Promise<M>) => Promise<boolean>
  onClose: () => void
}

export interface KeyListProps<T extends Item, M> {
  /** Name of the item: 'feed key'; also with its article, and as a short form. */
  noun: string
  aNoun: string
  short: string
  max: number
  icon: ReactNode
  load: (api: ApiClient, signal: AbortSignal) => Promise<T[]>
  revoke: (api: ApiClient, id: string) => Promise<unknown>
  nameOf: (item: T) => string
  /** Renders the permissions of a valid key. */
  tagOf: (item: T) => ReactNode
  /** Explains the effect of a revocation. */
  revoked: string
  /** The form of the dialog that creates a key. */
  Form: (props: FormProps<M>) => ReactNode
  /** Renders a new key, which is shown only once. */
  Made: (props: { made: M }) => ReactNode
}

/** A card of My Profile with the user's keys or tokens: creates one, which is shown once, and revokes them. */
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
    failed: `Unable to create ${aNoun}`,
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
      <LoadingPanel query={query} errorTitle={`Unable to load ${noun}s`} compact>
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
                text={`Create ${short}`}
                disabled={items.length >= max}
                onClick={() => setMaking(true)}
              />
              {items.length >= max && (
                <span className={styles.muted}>
                  You have {max} {short}s, the maximum. Revoke one first.
                </span>
              )}
            </div>
          </>
        )}
      </LoadingPanel>
      <Dialog
        isOpen={making}
        onClose={() => setMaking(false)}
        title={`Create ${aNoun}`}
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
