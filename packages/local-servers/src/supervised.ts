import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processStart } from './lock.js'

/** Returns the path of the first of the programs found on PATH. */
export function onPath(...names: string[]): string | undefined {
  try {
    const script = names.map(name => `command -v ${name}`).join(' || ')
    return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

/**
 * Ends the program when the supervisor's standard input closes, i.e. when the parent process exits for any
 * reason. Plain sh, as the supervisor must outlive a kill -9 of this process, and to avoid a second Node
 * process.
 */
const script = `exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill $server 2>/dev/null; } & watch=$!
exec 3<&-
wait $server; code=$?
kill $watch 2>/dev/null
exit $code`

export interface Supervised {
  /** Resolves when the program has exited for any reason. */
  ended: Promise<void>
  /** Sends SIGTERM and waits until the program has exited. */
  stop(): Promise<void>
}

/** Starts a server that receives SIGTERM when this process ends, even by kill -9. */
export function startSupervised(program: string, args: string[]): Supervised {
  // Its own process group, so that Ctrl+C in a terminal does not end it before its clients.
  const child: ChildProcess = spawn('/bin/sh', ['-c', script, 'supervise', program, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.stdin?.on('error', () => {})
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => resolve()).once('error', () => resolve())
  }).then(() => void child.stdin?.destroy())
  return {
    ended,
    stop() {
      child.stdin?.end()
      return ended
    },
  }
}

const processFile = (folder: string) => join(folder, 'process.json')

/** Records in the folder the process that serves from it. */
export function keepProcess(folder: string, pid: number): void {
  writeFileSync(processFile(folder), JSON.stringify({ pid, start: processStart(pid) }))
}

/**
 * Ends the server process that a killed run left in the folder, as two servers would corrupt its files. Does not end an
 * unrelated process that reuses the id.
 */
export async function endLeftover(folder: string): Promise<void> {
  let kept: { pid: number; start?: string }
  try {
    kept = JSON.parse(readFileSync(processFile(folder), 'utf8'))
  } catch {
    return
  }
  const alive = () => kept.start !== undefined && processStart(kept.pid) === kept.start
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!alive()) return
    process.kill(kept.pid, signal)
    for (const deadline = Date.now() + 5_000; alive() && Date.now() < deadline; ) await sleep(50)
  }
}
