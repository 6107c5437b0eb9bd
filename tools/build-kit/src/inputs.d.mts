/** The parts of a parsed pnpm-lock.yaml that are read. */
export interface Lock {
  importers: Record<string, unknown>
  snapshots: Record<string, unknown>
}
export function inputsOf(lock: Lock, app: string): { folders: string[]; packages: string[] }
