import { defineRemote, withWorkers } from '@iodine/build-kit'

const here = import.meta.dirname

export default withWorkers(here, defineRemote(here), {
  workers: {
    layout: './src/stage/layout.worker.ts',
    draw: './src/stage/draw.worker.ts',
    'co-shares': './src/stage/co-shares.worker.ts',
  },
  sources: ['package.json', 'src/model', 'src/stage'],
})
