import type { BetaCode } from '@iodine/contracts'
import { type ApiClient, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { Button, Card, DateTime, EmptyState, LoadingPanel, Tag, TextField } from '@iodine/ui'
import { type Column, Table, TableSkeleton } from '@iodine/ui/table'
import { type FormEvent, useState } from 'react'
import styles from './BetaCodes.module.css'

type ListedCode = BetaCode & { created_by_username: string | null }

const BETA_CODES = ['beta-codes']
const betaCodesQuery = (api: ApiClient) => ({
  queryKey: BETA_CODES,
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
  { name: 'Code', cell: ({ code }) => <span className={styles.code}>{code}</span> },
  { name: 'Email', cell: ({ email }) => <span className={styles.text}>{email ?? '—'}</span> },
  {
    name: 'Status',
    width: 104,
    cell: ({ used }) => (
      <Tag minimal intent={used ? 'none' : 'success'}>
        {used ? 'Used' : 'Available'}
      </Tag>
    ),
  },
  {
    name: 'Creation Date',
    width: 128,
    cell: ({ created_at }) => <DateTime value={created_at} />,
  },
  {
    name: 'Used Date',
    width: 128,
    cell: ({ used_at }) => (used_at ? <DateTime value={used_at} /> : '—'),
  },
  {
    name: 'Created by',
    width: 192,
    cell: ({ created_by_username }) => <span className={styles.text}>{created_by_username ?? '—'}</span>,
  },
]

/** The invitation codes for new users. */
export function BetaCodes() {
  return (
    <>
      <NewCode />
      <CodeList />
    </>
  )
}

function NewCode() {
  const { api } = useHost()
  const [email, setEmail] = useState('')
  const generate = useAction({
    mutationFn: () => api.call('POST /admin/beta-codes', { body: { email: email.trim() || null } }),
    onSuccess: () => setEmail(''),
    done: { title: 'Beta code created', duration: 3000 },
    failed: 'Error creating code',
    invalidates: [BETA_CODES],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void generate.run()
  }

  return (
    <Card className={styles.card}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          groupClass={styles.email}
          label="Email"
          labelInfo="(optional)"
          type="email"
          autoComplete="off"
          placeholder="Only this person may use the code"
          value={email}
          onValueChange={setEmail}
        />
        <Button type="submit" intent="primary" text="Generate code" loading={generate.isPending} />
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
      skeleton={<TableSkeleton columns={COLUMNS} heights={{ row: 40, card: 180 }} />}
      empty={<EmptyState title="No beta codes yet" description="Generate the first one above." />}
    >
      {codes => <Table items={codes} label="Beta codes" columns={COLUMNS} minWidth={880} />}
    </LoadingPanel>
  )
}
