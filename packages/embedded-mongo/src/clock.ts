import { readDoc } from './bson/read.js'
import { Binary, Doc, Timestamp, type Value } from './bson/values.js'
import { writeDoc } from './bson/write.js'
import { fail } from './errors.js'
import { space } from './storage/catalog.js'
import type { Kv } from './storage/kv.js'

const key = Buffer.from([space.meta, 2])
/**
 * Maximum seconds by which a client may advance the cluster time beyond this machine's clock: a year, as in MongoDB.
 */
const mostAhead = 31_536_000
/** Seconds by which the stored time is ahead of a write, so that most writes need not store it. */
const aheadSeconds = 1
const noSignature = Doc.of({ hash: new Binary(0, Buffer.alloc(20)), keyId: 0n })

/** The cluster time of a single-member replica set. It is monotonic, also across restarts. */
export class ClusterClock {
  private at: Timestamp
  /** The stored time, from which a restart continues; at least the time of every write. */
  private stored: Timestamp | undefined

  constructor(kv: Kv) {
    const stored = kv.get(key)
    const at = stored && readDoc(stored).get('at')
    this.at = at instanceof Timestamp ? at : new Timestamp(seconds(), 1)
  }

  /** Returns a time later than all earlier ones. */
  tick(): Timestamp {
    const now = seconds()
    this.at =
      now > this.at.seconds ? new Timestamp(now, 1) : new Timestamp(this.at.seconds, this.at.ordinal + 1)
    return this.at
  }

  /** Advances the time for a write and stores it for a restart. Must run inside the write's transaction. */
  persist(kv: Kv) {
    this.tick()
    if (this.stored && !later(this.at, this.stored)) return
    this.stored = new Timestamp(this.at.seconds + aheadSeconds, 0)
    kv.put(key, writeDoc(Doc.of({ at: this.stored })))
  }

  /** Forgets the stored time after its transaction was rolled back, so that the next write stores it again. */
  undo() {
    this.stored = undefined
  }

  /** Advances to a client's `$clusterTime` if that is later (gossip). */
  receiveGossip(command: Doc) {
    const gossip = command.get('$clusterTime')
    if (gossip === undefined) return
    const time = gossip instanceof Doc ? gossip.get('clusterTime') : undefined
    if (!(time instanceof Timestamp)) return fail(14, "'$clusterTime.clusterTime' must be a timestamp")
    if (time.seconds > seconds() + mostAhead)
      fail(
        209,
        `New cluster time, ${time.seconds}, is too far from this node's wall clock time, ${seconds()}.`,
      )
    if (later(time, this.at)) this.at = time
  }

  /** Rejects an `afterClusterTime` in the future. Other times are satisfied: reads see all committed data. */
  checkAfter(time: Value) {
    if (!(time instanceof Timestamp)) return fail(14, "'readConcern.afterClusterTime' must be a timestamp")
    if (later(time, this.at))
      fail(72, 'readConcern afterClusterTime value must not be greater than the current clusterTime.')
  }

  /** Adds the `$clusterTime` and `operationTime` of a replica set's replies. */
  stamp(reply: Doc): Doc {
    return reply
      .set('$clusterTime', Doc.of({ clusterTime: this.at, signature: noSignature }))
      .set('operationTime', this.at)
  }
}

const seconds = () => Math.floor(Date.now() / 1000)

const later = (a: Timestamp, b: Timestamp) =>
  a.seconds > b.seconds || (a.seconds === b.seconds && a.ordinal > b.ordinal)
