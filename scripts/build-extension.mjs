/** `npm run build:extension`: makes `extension/dist/iodine-collector-*.zip`, ready for the browsers' stores. */
import { install } from './lib/install.mjs'
import { main, must } from './lib/run.mjs'

await main(async () => {
  await install()
  await must('Building the extension', process.execPath, [
    'tools/build-kit/src/build-apps.mjs',
    '--force',
    'extension',
  ])
})
