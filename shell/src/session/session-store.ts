import type { Profile } from '@iodine/contracts'

export const TOKEN_KEY = 'access_token'

/** The signed-in user's profile, and when the account will be deleted; null if no deletion is scheduled. */
export interface SessionUser extends Profile {
  delete_at: string | null
}

export interface SessionState {
  user: SessionUser | null
  /** True until the first check has ended, and during a login or a refresh. */
  loading: boolean
}

/** Creates the state of the session, independent of React. `fetchProfile` uses the currently stored token. */
export function createSessionStore(fetchProfile: () => Promise<SessionUser>, storage: Storage) {
  let state: SessionState = { user: null, loading: true }
  const listeners = new Set<() => void>()
  // Of concurrent checks, only the latest sets the state.
  let latestCheck = 0

  const set = (change: Partial<SessionState>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const getToken = () => storage.getItem(TOKEN_KEY)
  const signOut = () => {
    latestCheck += 1
    storage.removeItem(TOKEN_KEY)
    set({ user: null, loading: false })
  }
  const check = async () => {
    latestCheck += 1
    const check = latestCheck
    const token = getToken()
    if (!token) return set({ user: null, loading: false })
    try {
      const user = await fetchProfile()
      if (check === latestCheck) set({ user, loading: false })
    } catch {
      if (check === latestCheck && getToken() === token) signOut()
    }
  }

  return {
    getState: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getToken,
    /** Checks the stored token, then follows changes by other tabs. Returns a function that stops this. */
    start: () => {
      const onStorage = (event: StorageEvent) => {
        if (event.key === TOKEN_KEY || event.key === null) void check()
      }
      window.addEventListener('storage', onStorage)
      void check()
      return () => window.removeEventListener('storage', onStorage)
    },
    /** Stores a token and fetches its user. */
    login: (token: string): Promise<void> => {
      storage.setItem(TOKEN_KEY, token)
      set({ loading: true })
      return check()
    },
    /** Removes the token and the user; the caller ends the session on the server. */
    logout: signOut,
    /** Checks the stored token again, with `loading` set. */
    refresh: (): Promise<void> => {
      set({ loading: true })
      return check()
    },
    /** Refetches the profile without setting `loading`. On failure it rejects and the state is unchanged. */
    reload: async () => {
      const token = getToken()
      const check = latestCheck
      const user = await fetchProfile()
      if (check === latestCheck && token === getToken()) set({ user })
    },
    /** Signs out after the server rejected this token, unless the token was replaced. Returns whether it signed out. */
    expire: (refusedToken: string | null): boolean => {
      if (getToken() !== refusedToken && getToken() !== null) return false
      signOut()
      return true
    },
  }
}

export type SessionStore = ReturnType<typeof createSessionStore>
