import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The process that listens on a loopback port (Linux). */
export const pidListeningOn = (port: number): number => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map(line => line.trim().split(/\s+/))
      .filter(fields => fields[1]?.endsWith(`:${hex}`) && fields[3] === '0A')
      .map(fields => `socket:[${fields[9]}]`),
  )
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name)))
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`))
        if (inodes.includes(readlinkSync(`/proc/${pid}/fd/${fd}`))) return Number(pid)
    } catch {
      // Not ours to look into, or gone by now.
    }
  throw new Error(`nothing listens on port ${port}`)
}

/** Megabytes of main memory that a process holds now (Linux). */
export const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
