import { LIMITS, type Person } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { usePagedQuery } from '@iodine/mfe-kit/query'
import {
  Button,
  DateTime,
  EmptyState,
  formatAmount,
  formatCount,
  LoadingPanel,
  LoadMore,
  SearchInput,
  useDebounce,
} from '@iodine/ui'
import { type Column, Table, TableSkeleton } from '@iodine/ui/table'
import { useMemo, useState } from 'react'
import { Lines } from './Lines'
import styles from './People.module.css'
import { PEOPLE, PersonDialog, StateTags } from './PersonDialog'

/** The accounts: searched by name, address or id, and administered individually. */
export function People() {
  const { api } = useHost()
  const [text, setText] = useState('')
  const [search] = useDebounce(text.trim(), 300)
  const [openId, setOpenId] = useState<string | null>(null)
  const columns = useMemo(() => columnsOf(setOpenId), [])
  const query = usePagedQuery({
    queryKey: [...PEOPLE, 'list', search],
    readPage: (page, signal) =>
      api.page('GET /admin/people', { query: { ...(search && { search }), ...page }, signal }),
  })
  return (
    <>
      <div className={styles.search}>
        <SearchInput
          value={text}
          onChange={next => setText(next.slice(0, LIMITS.searchMax))}
          placeholder="Search by username, e-mail or id..."
        />
      </div>
      <LoadingPanel
        query={query}
        errorTitle="Unable to load people"
        skeleton={<TableSkeleton columns={columns} heights={{ row: 56, card: 220 }} />}
        empty={
          <EmptyState
            title="No accounts found"
            description="Search by the beginning of a username or e-mail address, or by a complete id."
          />
        }
      >
        {items => (
          <>
            <p className={styles.count} role="status">
              {formatAmount(query.total ?? 0, 'account')}
            </p>
            <Table items={items} label="People" columns={columns} minWidth={880} />
            <LoadMore query={query.more} text="Show more people" />
          </>
        )}
      </LoadingPanel>
      {openId !== null && <PersonDialog key={openId} id={openId} onClose={() => setOpenId(null)} />}
    </>
  )
}

const columnsOf = (open: (id: string) => void): readonly Column<Person>[] => [
  {
    name: 'Person',
    cell: ({ username, email }) => (
      <Lines first={username === null ? 'No username' : `@${username}`} second={email} />
    ),
  },
  { name: 'State', width: 208, cell: person => <StateTags person={person} /> },
  {
    name: 'Member since',
    width: 128,
    cell: ({ created_at }) => <DateTime value={created_at} />,
  },
  {
    name: 'Last active',
    width: 128,
    cell: ({ last_active_at }) => <DateTime value={last_active_at} />,
  },
  {
    name: 'Sessions',
    width: 96,
    isNumber: true,
    cell: ({ sessions }) => formatCount(sessions),
  },
  {
    name: 'Actions',
    width: 112,
    cell: ({ id, username, email }) => (
      <Button text="Manage" aria-label={`Manage ${username ?? email}`} onClick={() => open(id)} />
    ),
  },
]
