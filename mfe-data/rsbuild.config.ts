import { defineRemote, withWorkers } from '@iodine/build-kit'

const here = import.meta.dirname

export default withWorkers(here, defineRemote(here), {
  workers: { read: './src/drafts/read.worker.ts' },
  sources: [
    'package.json',
    'src/model',
    'src/drafts',
    '../packages/contracts/src',
    '../packages/imports/package.json',
    '../packages/imports/src',
  ],
})
