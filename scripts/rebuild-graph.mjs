/** `npm run rebuild-graph`: the graph's counts anew from the narratives, in the product that runs on DATA_DIR. */
import { rebuild } from './lib/rebuild.mjs'

await rebuild('narratives', 'Graph rebuilt.')
