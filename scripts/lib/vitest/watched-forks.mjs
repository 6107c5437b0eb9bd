import { relative } from 'node:path'
import { ForksPoolWorker } from 'vitest/node'

const NAME = 'watched forks'

/**
 * A vitest worker process that is killed if the event loop of its test file is blocked, or if loading the file exceeds the
 * limit. Vitest's timeouts catch neither: they need a running event loop or a running test.
 */
class WatchedFork extends ForksPoolWorker {
  // Vitest compares it with the pool's name before assigning the next file to a worker.
  name = NAME
  #limitMs
  #files = ''
  #isLoaded = false
  #lastSign = 0
  #lastLook = 0

  constructor(options, limitMs) {
    super(options)
    this.#limitMs = limitMs
  }

  async start() {
    await super.start()
    const fork = this._fork
    const watch = setInterval(() => this.#look(), this.#limitMs / 10)
    // Vitest does not kill a stopped worker with a blocked event loop.
    const kill = () => fork.kill('SIGKILL')
    process.once('exit', kill)
    fork.once('exit', () => {
      clearInterval(watch)
      process.off('exit', kill)
    })
  }

  send(message) {
    if (message.type === 'run') {
      this.#files = message.context.files.map(({ filepath }) => relative(process.cwd(), filepath)).join(', ')
      this.#isLoaded = false
      this.#lastSign = Date.now()
    }
    super.send(message)
  }

  on(event, callback) {
    if (event !== 'message') return super.on(event, callback)
    super.on(event, message => {
      const isBeat = message?.heartbeat === true
      if (message?.m === 'onCollected') this.#isLoaded = true
      // While a file loads, it requests modules and reports its tests. After that the tests' own timeouts
      // apply.
      if (!isBeat || this.#isLoaded) this.#lastSign = Date.now()
      if (!isBeat) callback(message)
    })
  }

  #look() {
    const now = Date.now()
    // After a suspend of the machine or a stall of this process, missing heartbeats prove nothing.
    if (now - this.#lastLook > this.#limitMs / 2) this.#lastSign = now
    this.#lastLook = now
    if (!this.#files || now - this.#lastSign <= this.#limitMs) return
    const fault = this.#isLoaded ? 'blocks its event loop' : 'does not finish loading'
    const error = new Error(
      `${this.#files} ${fault}: ended after ${this.#limitMs / 1000} s without a heartbeat`,
    )
    error.stack = error.message
    this.#files = ''
    this.fork.emit('error', error)
    this.fork.kill('SIGKILL')
  }
}

/** Returns a value for vitest's option `pool`: worker processes that are killed after `limitMs` without a heartbeat. */
export const watchedForks = (limitMs = 120_000) => ({
  name: NAME,
  createPoolWorker: options => new WatchedFork(options, limitMs),
})
