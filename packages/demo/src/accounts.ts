export interface DemoAccount {
  /** Null: the deployment's first administrator. */
  email: string | null
  username: string
  /** Share of the demo records that the account collects, 0 to 1. */
  collected: number
}

/** Demo accounts; the first has data in every section. */
export const demoAccounts: readonly DemoAccount[] = [
  { email: 'analyst@iodine.example', username: 'mirror_desk', collected: 1 },
  { email: null, username: 'demo_admin', collected: 0.4 },
  { email: 'night@iodine.example', username: 'night_reader', collected: 0.3 },
  { email: 'grid@iodine.example', username: 'grid_notes', collected: 0.2 },
  { email: 'ledger@iodine.example', username: 'blue_ledger', collected: 0.2 },
  { email: 'second@iodine.example', username: 'second_look', collected: 0 },
]
