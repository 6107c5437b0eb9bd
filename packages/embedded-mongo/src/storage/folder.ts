import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** Error for an unusable data folder. Nothing in it was changed. */
export class DataFolderError extends Error {}

const lockName = 'embedded-mongo.lock'
const dataName = 'data.mdb'
const closedName = 'embedded-mongo.closed'

/** The key of the store's format marker, and its value. It sorts before all other keys. */
export const formatKey = Buffer.from([0, 0])
export const format = Buffer.from('iodine embedded-mongo 2')

/** Returns the start time of a process, if the kernel reports it: process ids are reused. */
const startOf = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns the id of the process that holds a lock, or undefined if it has ended. */
const holder = (text: string): number | undefined => {
  const [pid, start] = text.split(' ')
  const id = Number(pid)
  if (!Number.isInteger(id) || id <= 0 || !isAlive(id)) return undefined
  return start === '' || startOf(id) === start ? id : undefined
}

/** Locks a folder for this process, and creates it if necessary. Returns the function that unlocks it. */
export const lockFolder = (folder: string): (() => void) => {
  mkdirSync(folder, { recursive: true })
  const lock = join(folder, lockName)
  const own = `${lock}.${process.pid}.${randomBytes(4).toString('hex')}`
  const text = `${process.pid} ${startOf(process.pid)} ${randomBytes(8).toString('hex')}`
  writeFileSync(own, text)
  try {
    for (let tries = 0; tries < 5; tries++) {
      try {
        linkSync(own, lock)
        return () => {
          if (existsSync(lock) && readFileSync(lock, 'latin1') === text) rmSync(lock)
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      removeStaleLock(folder, lock)
    }
    throw inUse(folder)
  } finally {
    rmSync(own, { force: true })
  }
}

const inUse = (folder: string, pid?: number) =>
  new DataFolderError(
    `The data folder ${folder} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}. Stop it first, or choose another folder.`,
  )

/**
 * Removes a stale lock.
 * @throws DataFolderError if its process is alive
 */
const removeStaleLock = (folder: string, lock: string) => {
  let text: string
  try {
    text = readFileSync(lock, 'latin1')
  } catch {
    return
  }
  const pid = holder(text)
  if (pid !== undefined) throw inUse(folder, pid)
  const aside = `${lock}.old.${randomBytes(4).toString('hex')}`
  try {
    renameSync(lock, aside)
  } catch {
    return
  }
  // If another process replaced the stale lock first, the moved file is its new lock and is restored.
  if (readFileSync(aside, 'latin1') !== text) {
    try {
      linkSync(aside, lock)
    } finally {
      rmSync(aside)
    }
    throw inUse(folder)
  }
  rmSync(aside)
}

/** Returns the state of a data file, which every write changes. */
const stateOf = (folder: string): string => {
  const { ino, size, mtimeNs } = statSync(join(folder, dataName), { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

/** Records the state of the data file after the store has closed it, so that the next start can skip the check. */
export const noteClosed = (folder: string): void => writeFileSync(join(folder, closedName), stateOf(folder))

/**
 * Returns whether the data file is unchanged since the store closed it. Removes the record: a store may open the file.
 */
const isAsClosed = (folder: string): boolean => {
  const note = join(folder, closedName)
  if (!existsSync(note)) return false
  const state = readFileSync(note, 'latin1')
  rmSync(note)
  return state === stateOf(folder)
}

/**
 * Checks the headers and every page of the data file before the store opens it, unless it is unchanged since a store
 * closed it. LMDB maps the file into memory without validation, so that a truncated or overwritten file would crash the
 * process.
 * @returns whether the file was checked
 */
export const checkData = (folder: string): boolean => {
  for (const name of ['WiredTiger', 'mongod.lock'])
    if (existsSync(join(folder, name)))
      throw new DataFolderError(
        `The data folder ${folder} belongs to a MongoDB server (it holds ${name}). Choose another folder.`,
      )
  const path = join(folder, dataName)
  if (!existsSync(path) || isAsClosed(folder)) return false
  const file = openSync(path, 'r')
  try {
    if (fstatSync(file).size > 0) new DataFile(file, path).check()
    return true
  } finally {
    closeSync(file)
  }
}

const header = 24
const magic = 0xbeefc0de
const none = 0xffffffffffffffffn

type Meta = { free: bigint; root: bigint; transaction: bigint }

/** A data file of lmdb-js: two headers, then branch, leaf and overflow pages. */
class DataFile {
  private readonly file: number
  private readonly path: string
  private readonly size: number
  private pageSize = 4096
  private readonly seen = new Set<number>()

  constructor(file: number, path: string) {
    this.file = file
    this.path = path
    this.size = fstatSync(file).size
  }

  check() {
    const first = this.meta(0)
    const second = this.meta(1)
    const meta = first.transaction >= second.transaction ? first : second
    if (meta.free !== none) this.tree(meta.free, 0, false)
    if (meta.root === none) return
    this.tree(meta.root, 0, true)
    if (!this.firstKey(meta.root).equals(formatKey)) throw this.foreign()
  }

  private damaged(what: string): never {
    throw new DataFolderError(
      `The data file ${this.path} is damaged: ${what}. It was left as it is; restore it from a copy or choose another folder.`,
    )
  }

  private foreign() {
    return new DataFolderError(
      `The file ${this.path} was not made by this database. It was left as it is; choose another folder.`,
    )
  }

  private read(at: number, size: number): Buffer {
    if (at + size > this.size) this.damaged('it is cut off')
    const bytes = Buffer.allocUnsafe(size)
    readSync(this.file, bytes, 0, size, at)
    return bytes
  }

  private meta(number: 0 | 1): Meta {
    if (this.size < (number + 1) * this.pageSize) throw this.foreign()
    const bytes = this.read(number * this.pageSize, 0xa0)
    if (bytes.readUInt32LE(0x18) !== magic) {
      if (number === 0) throw this.foreign()
      this.damaged('its second header is broken')
    }
    if (bytes.readUInt32LE(0x1c) !== 2) throw this.foreign()
    if (number === 0) {
      const size = bytes.readUInt32LE(0x30)
      if (size < 512 || size > 65536 || (size & (size - 1)) !== 0) this.damaged('its page size is broken')
      this.pageSize = size
    }
    return {
      free: bytes.readBigUInt64LE(0x58),
      root: bytes.readBigUInt64LE(0x88),
      transaction: bytes.readBigUInt64LE(0x98),
    }
  }

  private page(number: bigint): Buffer {
    const at = Number(number)
    if (at > Number.MAX_SAFE_INTEGER / this.pageSize) this.damaged('a page number is broken')
    const bytes = this.read(at * this.pageSize, this.pageSize)
    if (bytes.readBigUInt64LE(0) !== number) this.damaged(`page ${at} is not what it should be`)
    if (this.seen.has(at)) this.damaged(`page ${at} is used twice`)
    this.seen.add(at)
    return bytes
  }

  private tree(root: bigint, depth: number, ordered: boolean) {
    if (depth > 30) this.damaged('its tree is too deep')
    const bytes = this.page(root)
    const kind = bytes.readUInt16LE(18) & 0x0f
    if (kind !== 1 && kind !== 2) this.damaged(`page ${root} is of an unknown kind`)
    let before = -1
    let beforeEnd = 0
    const count = this.countNodes(bytes, root)
    for (let i = 0; i < count; i++) {
      const at = this.node(bytes, i, root)
      const keyEnd = at + 8 + bytes.readUInt16LE(at + 6)
      if (keyEnd > bytes.length) this.damaged(`page ${root} holds a broken key`)
      // A branch page's first key is empty.
      if (
        ordered &&
        before >= 0 &&
        (kind === 2 || i > 1) &&
        bytes.compare(bytes, at + 8, keyEnd, before, beforeEnd) >= 0
      )
        this.damaged(`the keys of page ${root} are out of order`)
      before = at + 8
      beforeEnd = keyEnd
      if (kind === 1) this.tree(BigInt(bytes.readUIntLE(at, 6)), depth + 1, ordered)
      else this.value(bytes, at, keyEnd, root)
    }
  }

  private countNodes(bytes: Buffer, number: bigint): number {
    const lower = bytes.readUInt16LE(20)
    const upper = bytes.readUInt16LE(22)
    if (lower > upper || upper > this.pageSize - header || lower % 2 !== 0)
      this.damaged(`the header of page ${number} is broken`)
    return lower / 2
  }

  /** Returns the offset of a node in its page. */
  private node(bytes: Buffer, index: number, number: bigint): number {
    const at = bytes.readUInt16LE(header + index * 2)
    if (at < bytes.readUInt16LE(22) || at + header + 8 > bytes.length)
      this.damaged(`page ${number} points outside of itself`)
    return at + header
  }

  private value(bytes: Buffer, node: number, at: number, number: bigint) {
    const flags = bytes.readUInt16LE(node + 4)
    const size = bytes.readUInt32LE(node)
    if (flags & 6) throw this.foreign()
    if ((flags & 1) === 0) {
      if (at + size > bytes.length) this.damaged(`a value of page ${number} is cut off`)
      return
    }
    if (at + 8 > bytes.length) this.damaged(`a value of page ${number} is cut off`)
    const first = this.page(bytes.readBigUInt64LE(at))
    const pages = first.readUInt32LE(20)
    const from = Number(bytes.readBigUInt64LE(at)) * this.pageSize
    if (
      (first.readUInt16LE(18) & 4) === 0 ||
      pages * this.pageSize < size + header ||
      from + pages * this.pageSize > this.size
    )
      this.damaged(`a large value of page ${number} is cut off`)
  }

  private firstKey(root: bigint): Buffer {
    for (let number = root; ; ) {
      const bytes = this.read(Number(number) * this.pageSize, this.pageSize)
      this.countNodes(bytes, number)
      const at = this.node(bytes, 0, number)
      if ((bytes.readUInt16LE(18) & 0x0f) === 2)
        return bytes.subarray(at + 8, at + 8 + bytes.readUInt16LE(at + 6))
      number = BigInt(bytes.readUIntLE(at, 6))
    }
  }
}
