import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { reportPort } from './report.js'

/** The embedded database as a process. Arguments: its folder, and the port of the previous start or 0. */
const [dataDir = '', port] = process.argv.slice(2)
const { uri, stop } = await startEmbeddedMongo({ dataDir, port: Number(port) })
process.once('SIGTERM', () => void stop().then(() => process.exit(0)))
reportPort(uri)
