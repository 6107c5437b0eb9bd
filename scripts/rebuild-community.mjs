/** `npm run rebuild-community`: public profiles anew from accounts, IODs and narratives, in the product that runs on DATA_DIR. */
import { rebuild } from './lib/rebuild.mjs'

await rebuild('community', 'Community rebuilt.')
