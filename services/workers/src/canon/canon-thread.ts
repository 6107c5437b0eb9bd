import { parentPort, workerData } from 'node:worker_threads'
import { assign } from '@iodine/canon'
import type { Comparison } from './assign-in-thread.js'

const { triplets, options } = workerData as Comparison
parentPort?.postMessage(assign(triplets, options))
