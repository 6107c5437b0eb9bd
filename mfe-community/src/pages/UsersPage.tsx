import { useErrorToast, useHost } from '@iodine/mfe-kit'
import {
  Button,
  EmptyState,
  formatCount,
  LoadingPanel,
  LoadMore,
  Page,
  PageHeader,
  SearchInput,
  SkeletonCards,
  Tag,
  useSearchText,
} from '@iodine/ui'
import { PeopleIcon } from '@iodine/ui/icons'
import { useSearchParams } from '@iodine/ui/router'
import { searchTerm } from '../model/search'
import { useUsers } from '../queries/users'
import { UserCard } from './UserCard'
import styles from './UsersPage.module.css'

const ERROR_MS = 5_000
const SKELETONS = 6

/** The page of all users with a public profile. The URL contains the search term. */
export function UsersPage() {
  const { config } = useHost()
  const { typed, setTyped, term } = useSearch()
  const users = useUsers(term)
  useErrorToast(users.error, 'Unable to load users', ERROR_MS)
  return (
    <Page>
      <PageHeader
        title={`${config.product_name} Community`}
        subtitle="Members of the platform and their contributions."
      />
      <div className={styles.bar}>
        <SearchInput
          className={styles.search}
          value={typed}
          onChange={setTyped}
          placeholder="Search for a user..."
        />
        <div className={styles.badges} role="status">
          {users.data && (
            <Tag round minimal>
              {formatCount(users.total ?? 0)} profile(s) found
            </Tag>
          )}
          {searchTerm(typed) === undefined && (
            <Tag round minimal intent="warning">
              Type at least 3 characters
            </Tag>
          )}
          {term && (
            <Tag round minimal intent="primary">
              Search: "{term}"
            </Tag>
          )}
        </div>
      </div>
      <LoadingPanel
        query={users}
        errorTitle="Unable to load users"
        skeleton={<SkeletonCards count={SKELETONS} lines={5} className={styles.grid} />}
        empty={
          <EmptyState
            icon={<PeopleIcon size={40} />}
            title="No profiles found"
            description={
              term ? 'Try different search terms' : 'There are no public profiles on the platform yet'
            }
            action={
              term ? (
                <Button text="Show all profiles" onClick={() => setTyped('')} />
              ) : (
                <Button text="Refresh" onClick={() => void users.refetch()} />
              )
            }
          />
        }
      >
        {list => (
          <>
            <ul className={styles.grid} aria-label="Profiles" aria-busy={users.isFetching}>
              {list.map(user => (
                <li key={user.id}>
                  <UserCard user={user} />
                </li>
              ))}
            </ul>
            <LoadMore query={users.more} text="Load more profiles" />
          </>
        )}
      </LoadingPanel>
    </Page>
  )
}

/** Returns the typed text, and the last valid search term, which is stored in the URL. */
function useSearch() {
  const [search, setSearch] = useSearchParams()
  const term = search.get('search') ?? ''
  const [typed, setTyped] = useSearchText(term, text => {
    const next = searchTerm(text)
    if (next !== undefined && next !== term) setSearch(next ? { search: next } : {}, { replace: true })
  })
  return { typed, setTyped, term }
}
