import type { BetaCode } from '@iodine/contracts'
import { type ApiClient, createQueryClient, errorToast } from '@iodine/mfe-kit'
import { QueryClientProvider, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import {
  Button,
  Card,
  DateTime,
  EmptyState,
  FormGroup,
  HTMLTable,
  InputGroup,
  LoadingPanel,
  Page,
  PageHeader,
  Tag,
} from '@iodine/ui'
import { type FormEvent, useState } from 'react'
import { useHost, useUser } from '../app/HostProvider'
import styles from './Admin.module.css'

const betaCodesQuery = (api: ApiClient) => ({
  queryKey: ['beta-codes'],
  queryFn: () => api.call('GET /admin/beta-codes'),
})

/** The administrators' page, 'Access denied' for other users. */
export function Admin() {
  const { is_admin: isAdmin } = useUser()
  const [queryClient] = useState(createQueryClient)
  if (!isAdmin) {
    return (
      <Page>
        <PageHeader title="Access denied" subtitle="You don't have permission to access this page." />
      </Page>
    )
  }
  return (
    <QueryClientProvider client={queryClient}>
      <Page>
        <PageHeader
          title="Beta Code Management"
          subtitle="Codes that invite new users while the app is in beta."
        />
        <NewCode />
        <BetaCodes />
      </Page>
    </QueryClientProvider>
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

function BetaCodes() {
  const { api } = useHost()
  const query = useQuery(betaCodesQuery(api))
  return (
    <LoadingPanel
      query={query}
      errorTitle="Unable to load beta codes"
      whenStale="error"
      isEmpty={codes => codes.length === 0}
      empty={<EmptyState title="No beta codes yet" description="Generate the first one above." />}
    >
      {codes => <CodeTable codes={codes} />}
    </LoadingPanel>
  )
}

function CodeTable({ codes }: { codes: readonly BetaCode[] }) {
  return (
    <Card className={styles.tableCard} role="region" aria-label="Beta codes" tabIndex={0}>
      <HTMLTable className={styles.table} striped>
        <thead>
          <tr>
            <th>Code</th>
            <th>Email</th>
            <th>Status</th>
            <th>Creation Date</th>
            <th>Used Date</th>
            <th>Created by</th>
          </tr>
        </thead>
        <tbody>
          {codes.map(code => (
            <tr key={code.id}>
              <td className={styles.code}>{code.code}</td>
              <td>{code.email ?? '—'}</td>
              <td>
                <Tag minimal intent={code.used ? 'none' : 'success'}>
                  {code.used ? 'Used' : 'Available'}
                </Tag>
              </td>
              <td>
                <DateTime value={code.created_at} />
              </td>
              <td>{code.used_at ? <DateTime value={code.used_at} /> : '—'}</td>
              <td>{code.created_by_username ?? '—'}</td>
            </tr>
          ))}
        </tbody>
      </HTMLTable>
    </Card>
  )
}
