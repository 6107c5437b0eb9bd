import { readDoc } from './bson/read.js'
import { Binary, Doc, Timestamp, type Value } from './bson/values.js'
import { writeDoc } from './bson/write.js'
import { fail } from './errors.js'
import { space } from './storage/catalog.js'
import type { Kv } from './storage/kv.js'

const key = Buffer.from([space.meta, 2])
/** How far beyond this machine's clock a client may push the cluster's: a year, as MongoDB has it. */
const mostAhead = 31_536_000
/** How far ahead of a change the kept time is, so that most changes need not write it. */
const aheadSeconds = 1
const noSignature = Doc.of({ hash: new Binary(0, Buffer.alloc(20)), keyId: 0n })

/** The cluster's time, as a replica set of one keeps it: it never goes back, not even over a restart. */
export class ClusterClock {
  private at: Timestamp
  /** What a restart begins with; at least every time given out with a change. */
  private kept: Timestamp | undefined

  constructor(kv: Kv) {
    const stored = kv.get(key)
    const kept = stored && readDoc(stored).get('at')
    this.at = kept instanceof Timestamp ? kept : new Timestamp(seconds(), 1)
  }

  /** A time later than every one before. */
  tick(): Timestamp {
    const now = seconds()
    this.at =
      now > this.at.seconds ? new Timestamp(now, 1) : new Timestamp(this.at.seconds, this.at.ordinal + 1)
    return this.at
  }

  /** Gives a change its time and sees to it that a restart begins later: called within the change's transaction. */
  keep(kv: Kv) {
    this.tick()
    if (this.kept && !later(this.at, this.kept)) return
    this.kept = new Timestamp(this.at.seconds + aheadSeconds, 0)
    kv.put(key, writeDoc(Doc.of({ at: this.kept })))
  }

  /** The transaction of a change came to nothing, and with it what it kept. */
  undo() {
    this.kept = undefined
  }

  /** Takes over the time that a client has heard of, if that is later. */
  hear(command: Doc) {
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

  /** Refuses a read after a time that has not come yet; every other one sees all that is committed. */
  checkAfter(time: Value) {
    if (!(time instanceof Timestamp)) return fail(14, "'readConcern.afterClusterTime' must be a timestamp")
    if (later(time, this.at))
      fail(72, 'readConcern afterClusterTime value must not be greater than the current clusterTime.')
  }

  /** A reply with the times that a replica set's replies have. */
  stamp(reply: Doc): Doc {
    return reply
      .set('$clusterTime', Doc.of({ clusterTime: this.at, signature: noSignature }))
      .set('operationTime', this.at)
  }
}

const seconds = () => Math.floor(Date.now() / 1000)

const later = (a: Timestamp, b: Timestamp) =>
  a.seconds > b.seconds || (a.seconds === b.seconds && a.ordinal > b.ordinal)
