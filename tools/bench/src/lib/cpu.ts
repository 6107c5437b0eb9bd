import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Returns the CPU seconds of a process so far, in user and kernel mode (Linux). */
export const cpuSeconds = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // Fields start after the process's name, which may contain blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
}

/** Returns a process's descendants with their command lines. */
export const descendants = (ancestor: number): { pid: number; command: string }[] => {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args=', '-ww'], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const processes = lines.map(line => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return { pid: Number(pid), parent: Number(parent), command }
  })
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]))
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === ancestor || isBelow(parents.get(pid)))
  return processes.filter(({ parent }) => isBelow(parent))
}

const IDLE_MS = 5_000
const IDLE_SHARE = 0.1

/** Resolves when all descendants of this process have used less than a tenth of a core for five seconds. */
export const whenIdle = async (): Promise<void> => {
  const used = () => new Map(descendants(process.pid).map(({ pid }) => [pid, cpuOf(pid)]))
  for (let before = used(); ; ) {
    await sleep(IDLE_MS)
    const after = used()
    const seconds = [...after].reduce((sum, [pid, now]) => sum + now - (before.get(pid) ?? 0), 0)
    if (seconds < (IDLE_SHARE * IDLE_MS) / 1_000) return
    before = after
  }
}

/** Returns the CPU seconds of a process; 0 after its end. */
const cpuOf = (pid: number): number => {
  try {
    return cpuSeconds(pid)
  } catch {
    return 0
  }
}
