import { type ApiClient, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { formatDate, formatRelative, LoadingPanel, Tag } from '@iodine/ui'
import { ConfirmButton, DialogButton } from '@iodine/ui/overlays'
import { type ReactNode, useState } from 'react'
import { ItemRow, ItemRows } from './ItemRow'
import styles from './Profile.module.css'
import { SecretDialog } from './SecretDialog'

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
export function KeyList<T extends Item, M>({ Form, Made, ...props }: KeyListProps<T, M>) {
  const { noun, aNoun, short, max, icon, load, revoke, nameOf, tagOf, revoked } = props
  const { api } = useHost()
  const queryKey = [noun]
  const query = useQuery({ queryKey, queryFn: ({ signal }) => load(api, signal) })
  const [made, setMade] = useState<M | null>(null)
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
                <ItemRow
                  key={item.id}
                  icon={icon}
                  name={nameOf(item)}
                  tag={isOver(item) ? EXPIRED : tagOf(item)}
                  about={aboutOf(item)}
                  actions={
                    <ConfirmButton
                      button={{
                        variant: 'outlined',
                        intent: 'danger',
                        text: 'Revoke',
                        'aria-label': `Revoke ${nameOf(item)}`,
                      }}
                      title={`Revoke the ${noun}`}
                      confirmLabel="Revoke"
                      onConfirm={() => end.run(item)}
                    >
                      “<bdi>{nameOf(item)}</bdi>”: {revoked}
                    </ConfirmButton>
                  }
                />
              ))}
            </ItemRows>
            <div className={styles.row}>
              <DialogButton
                button={{
                  intent: items.length === 0 ? 'primary' : 'none',
                  text: `Create ${short}`,
                  disabled: items.length >= max,
                }}
                title={`Create ${aNoun}`}
              >
                {close => <Form create={create.run} onClose={close} />}
              </DialogButton>
              {items.length >= max && (
                <span className={styles.muted}>
                  You have {max} {short}s, the maximum. Revoke one first.
                </span>
              )}
            </div>
          </>
        )}
      </LoadingPanel>
      <SecretDialog title={`Your ${noun}`} made={made} onClose={() => setMade(null)}>
        {shown => <Made made={shown} />}
      </SecretDialog>
    </>
  )
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const EXPIRED = (
  <Tag minimal intent="danger">
    Expired
  </Tag>
)

const isOver = ({ expires_at }: Item) => expires_at !== null && Date.parse(expires_at) <= Date.now()

/** Describes the last use and the expiry of a key. */
const aboutOf = (item: Item): string => {
  const { expires_at, last_used_at } = item
  const used = last_used_at ? `Used ${formatRelative(last_used_at)}` : 'Never used'
  if (expires_at === null) return `${used} · does not expire`
  return `${used} · ${isOver(item) ? 'expired' : 'expires'} ${formatDate(expires_at)}`
}
