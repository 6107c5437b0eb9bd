/**
 * Load of fifty analysts for a minute on the product as started by `npm start`: times by route, and CPU time by process.
 *
 *   npm run bench -- load
 *   ANALYSTS=50 SECONDS=60 npm run bench -- load
 *   ANALYSTS=100,200,400 npm run bench -- load
 *
 * With several numbers, that many analysts work at the same data one after another: the last line of each shows at which
 * number the answers become slow.
 */
import { startApp } from '@iodine/harness'
import { NO_LIMITS, quantile, startAiProvider } from '@iodine/test-kit'
import { type Sample, startAnalysts } from './lib/analysts.js'
import { cpuSeconds, descendants } from './lib/cpu.js'
import { table } from './lib/measure.js'
import { startTestServer } from './lib/test-server.js'

const numbers = (process.env.ANALYSTS ?? '50').split(',').map(Number)
const ms = Number(process.env.SECONDS ?? 60) * 1_000
const AI_MS = 1_000
/** Returns whether a status is expected: a second vote is rejected by design. */
const isExpected = ({ route, status }: Sample) =>
  status < 300 || (status === 409 && route === 'POST /iods/:id/vote')

const percentiles = (samples: readonly Sample[]): void => {
  const routes = [...new Set(samples.map(({ route }) => route))]
  const timesOf = (route: string) => samples.filter(each => each.route === route).map(each => each.ms)
  const rows = routes
    .map(route => ({ route, times: timesOf(route) }))
    .sort((a, b) => quantile(b.times, 0.95) - quantile(a.times, 0.95))
    .map(({ route, times }) => [
      route,
      String(times.length),
      ...[0.5, 0.95, 0.99, 1].map(share => quantile(times, share).toFixed(0)),
    ])
  table(['route', 'requests', 'median ms', '95 %', '99 %', 'slowest'], rows)
  const errors = samples.filter(sample => !isExpected(sample))
  const all = samples.map(each => each.ms)
  console.log(
    `\n${samples.length} requests, ${(samples.length / (ms / 1_000)).toFixed(0)} a second, ${errors.length} errors, 95 % within ${quantile(all, 0.95).toFixed(0)} ms`,
  )
  for (const { route, status } of errors.slice(0, 10)) console.log(`  ${route}: ${status}`)
  if (errors.length > 0) process.exitCode = 1
}

const ROLES: [string, RegExp][] = [
  ['gateway, services and workers', /dev-stack\/dist\/main|start\.mjs/],
  ['embedded database', /dist\/(start\/)?isolated/],
  ['Redis', /redis-server|valkey-server \d/],
]

/** Returns the process of each role. */
const processes = () => {
  const running = descendants(process.pid)
  return ROLES.flatMap(([name, pattern]) => {
    // Takes the busiest match: the command line of a waiting shell also contains the name.
    const [found] = running
      .filter(({ command }) => pattern.test(command))
      .map(({ pid }) => ({ name, pid, used: cpuSeconds(pid) }))
      .sort((a, b) => b.used - a.used)
    return found ?? []
  })
}

const ai = await startAiProvider()
ai.always({ after: AI_MS, answer: 'simple' })
const env = { OPENAI_BASE_URL: ai.url, ...NO_LIMITS, LOG_LEVEL: 'info' }
const server = await startTestServer(startApp, { env })
try {
  const people = await startAnalysts(server, Math.max(...numbers))
  for (const number of numbers) {
    // Lets earlier writes settle and warms up the code.
    await people.work(5_000, number)
    const before = processes()
    const samples = await people.work(ms, number)
    const used = before.map(({ name, pid, used }) => ({ name, seconds: cpuSeconds(pid) - used }))
    console.log(`\n## ${number} analysts\n`)
    percentiles(samples)
    console.log('')
    table(
      ['process', 'CPU, s', 'of one core'],
      used.map(({ name, seconds }) => [
        name,
        seconds.toFixed(1),
        `${((seconds / (ms / 1_000)) * 100).toFixed(0)} %`,
      ]),
    )
  }
  await people.close()
} finally {
  await server.stop()
  await ai.stop()
}
