import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Returns the start time of a process, which distinguishes it from a later process with the same id. Undefined if there
 * is no such process.
 */
export function processStart(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux')
      return (
        execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
      )
    // The name in parentheses may contain spaces; the fields after it start with the state. A zombie counts
    // as ended.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

/**
 * Locks a data folder for this process; waits `waitMs` for a run that is stopping. Not proper-lockfile, which relies on
 * a file's age: a live process suspended for 2.9 s lost the folder, and a killed one kept it for 2.1 s.
 * @returns a function that releases the lock
 * @throws Error naming the process that holds it
 */
export async function lockFolder(folder: string, waitMs = 3_000): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'lock')
  const draft = `${file}.${process.pid}`
  const content = `${process.pid} ${processStart(process.pid) ?? ''}`
  const deadline = Date.now() + waitMs
  for (;;) {
    // Written to a draft and then linked, so that no process reads a partial lock.
    writeFileSync(draft, content, { mode: 0o600 })
    try {
      linkSync(draft, file)
      return () => {
        if (read(file) === content) rmSync(file)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(draft, { force: true })
    }
    const held = read(file)
    if (held === undefined) continue
    const [pid = '', start] = held.split(' ')
    if (!start || processStart(Number(pid)) !== start) rmSync(file, { force: true })
    else if (Date.now() > deadline)
      throw new Error(
        `DATA_DIR ${folder} is in use by process ${pid}: stop that one, or give this one a DATA_DIR of its own`,
      )
    else await sleep(100)
  }
}

/** Returns the id of the process that holds the folder's lock; undefined if none does. */
export function lockHolder(folder: string): number | undefined {
  const [pid = '', start] = (read(join(folder, 'lock')) ?? '').split(' ')
  return start && processStart(Number(pid)) === start ? Number(pid) : undefined
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
