import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** The fields of a process's stat file after its name, which may itself hold blanks. */
const statOf = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Seconds of CPU time that a process has used so far, in user and in kernel mode (Linux). */
export const cpuSeconds = (pid: number): number => {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
}

/** The same to the nanosecond, of the threads that still run. */
export const preciseCpuSeconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) =>
      sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9,
    0,
  )

/** A process's descendants with their command lines (Linux). */
export const descendants = (ancestor: number): { pid: number; command: string }[] => {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter(each => /^\d+$/.test(each)))
    try {
      parents.set(Number(name), Number(statOf(Number(name))[1]))
    } catch {
      // Gone by now.
    }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === ancestor || isBelow(parents.get(pid)))
  return [...parents.keys()].flatMap(pid => {
    if (pid === ancestor || !isBelow(pid)) return []
    try {
      return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }]
    } catch {
      return []
    }
  })
}
