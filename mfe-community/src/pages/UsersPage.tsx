import { errorDetail, hasStatus, useHost } from '@iodine/mfe-kit'
import { Button, EmptyState, ErrorCallout, Loading, Page, PageHeader, SearchInput, Tag } from '@iodine/ui'
import { PeopleIcon } from '@iodine/ui/icons'
import { useSearchParams } from '@iodine/ui/router'
import { useEffect, useRef, useState } from 'react'
import { searchTerm } from '../model/search'
import { useUsers } from '../queries/users'
import { UserCard } from './UserCard'
import styles from './UsersPage.module.css'

const TYPING_MS = 250
const ERROR_MS = 5_000

/** The community: everybody with a public profile. The search stands in the address. */
export function UsersPage() {
  const { config, notify } = useHost()
  const { typed, setTyped, term } = useSearch()
  const { users, total, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useUsers(term)

  useEffect(() => {
    if (!error || hasStatus(error, 401)) return
    notify({ title: 'Error', description: 'Unable to load users', status: 'error', duration: ERROR_MS })
  }, [error, notify])

  const content = () => {
    if (!users)
      return error ? (
        <ErrorCallout title="Unable to load users" onRetry={() => void refetch()} retrying={isFetching}>
          {errorDetail(error, 'Check your connection, then try again.')}
        </ErrorCallout>
      ) : (
        <Loading />
      )
    if (users.length === 0)
      return (
        <EmptyState
          icon={<PeopleIcon size={40} />}
          title="No profiles found"
          description={
            term ? 'Try different search terms' : 'There are no public profiles on the platform yet'
          }
        />
      )
    return (
      <>
        <ul className={styles.grid} aria-label="Profiles" aria-busy={isFetching}>
          {users.map(user => (
            <li key={user.id}>
              <UserCard user={user} />
            </li>
          ))}
        </ul>
        {hasNextPage && (
          <div className={styles.more}>
            <Button
              text="Load more profiles"
              loading={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            />
          </div>
        )}
      </>
    )
  }

  return (
    <Page>
      <PageHeader
        title={`${config.product_name} Community`}
        subtitle="People on the platform and what they contribute."
      />
      <div className={styles.bar}>
        <SearchInput
          className={styles.search}
          value={typed}
          onChange={setTyped}
          placeholder="Search for a user..."
        />
        <div className={styles.badges} role="status">
          {users && (
            <Tag round minimal>
              {total.toLocaleString('en-US')} profile(s) found
            </Tag>
          )}
          {term && (
            <Tag round minimal intent="primary">
              Search: "{term}"
            </Tag>
          )}
        </div>
      </div>
      {content()}
    </Page>
  )
}

/** What is typed, and the term that was last long enough to ask for, kept in the address. */
function useSearch() {
  const [search, setSearch] = useSearchParams()
  const term = search.get('search') ?? ''
  const [typed, setTyped] = useState(term)
  const set = useRef(setSearch)
  set.current = setSearch
  useEffect(() => {
    const next = searchTerm(typed)
    if (next === undefined || next === term) return
    const timer = setTimeout(() => set.current(next ? { search: next } : {}, { replace: true }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, term])
  return { typed, setTyped, term }
}
