import type { BetaCode } from '@iodine/contracts'
import { type ApiClient, errorToast } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { Button, Card, DateTime, EmptyState, FormGroup, InputGroup, LoadingPanel, Tag } from '@iodine/ui'
import { type Column, Table, TableSkeleton } from '@iodine/ui/table'
import { type FormEvent, useState } from 'react'
import { useHost } from '../../app/HostProvider'
import styles from './BetaCodes.module.css'

type ListedCode = BetaCode & { created_by_username: string | null }

const betaCodesQuery = (api: ApiClient) => ({
  queryKey: ['beta-codes'],
  queryFn: async (): Promise<ListedCode[]> => {
    const [codes, creators] = await Promise.all([
      api.call('GET /admin/beta-codes'),
      api.call('GET /admin/beta-codes/creators').catch(() => []),
    ])
    const names = new Map(creators.map(({ id, created_by_username }) => [id, created_by_username]))
    return codes.map(code => ({ ...code, created_by_username: names.get(code.id) ?? null }))
  },
})

const COLUMNS: readonly Column<ListedCode>[] = [
  { name: 'Code', isNamed: true, cell: ({ code }) => <span className={styles.code}>{code}</span> },
  { name: 'Email', isNamed: true, cell: ({ email }) => <span className={styles.text}>{email ?? '—'}</span> },
  {
    name: 'Status',
    width: 104,
    isNamed: true,
    cell: ({ used }) => (
      <Tag minimal intent={used ? 'none' : 'success'}>
        {used ? 'Used' : 'Available'}
      </Tag>
    ),
  },
  {
    name: 'Creation Date',
    width: 128,
    isNamed: true,
    cell: ({ created_at }) => <DateTime value={created_at} />,
  },
  {
    name: 'Used Date',
    width: 128,
    isNamed: true,
    cell: ({ used_at }) => (used_at ? <DateTime value={used_at} /> : '—'),
  },
  {
    name: 'Created by',
    width: 192,
    isNamed: true,
    cell: ({ created_by_username }) => <span className={styles.text}>{created_by_username ?? '—'}</span>,
  },
]

/** Codes that invite new users. */
export function BetaCodes() {
  return (
    <>
      <NewCode />
      <CodeList />
    </>
  )
}

function NewCode() {
  const { api, notify } = useHost()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [working, setWorking] = useState(false)

  const generate = async (event: FormEvent) => {
    event.preventDefault()
    setWorking(true)
    try {
      await api.call('POST /admin/beta-codes', { body: { email: email.trim() || null } })
      setEmail('')
      notify({ title: 'Beta code created', status: 'success', duration: 3000 })
      await queryClient.invalidateQueries(betaCodesQuery(api))
    } catch (error) {
      notify(errorToast(error, 'Error creating code'))
    } finally {
      setWorking(false)
    }
  }

  return (
    <Card className={styles.card}>
      <form className={styles.form} onSubmit={generate}>
        <FormGroup className={styles.email} label="Email" labelInfo="(optional)" labelFor="beta-email">
          <InputGroup
            id="beta-email"
            type="email"
            autoComplete="off"
            placeholder="Only this person may use the code"
            value={email}
            onValueChange={setEmail}
          />
        </FormGroup>
        <Button type="submit" intent="primary" text="Generate code" loading={working} />
      </form>
    </Card>
  )
}

function CodeList() {
  const { api } = useHost()
  const query = useQuery(betaCodesQuery(api))
  return (
    <LoadingPanel
      query={query}
      errorTitle="Unable to load beta codes"
      isEmpty={codes => codes.length === 0}
      skeleton={<TableSkeleton columns={COLUMNS} heights={{ row: 40, card: 180 }} />}
      empty={<EmptyState title="No beta codes yet" description="Generate the first one above." />}
    >
      {codes => <Table items={codes} label="Beta codes" columns={COLUMNS} minWidth={880} />}
    </LoadingPanel>
  )
}
