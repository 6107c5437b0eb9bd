/**
 * `npm run deploy:files`: generates the services' entries in docker-compose.yml and deploy/kubernetes from
 * each service's package.json.
 */
import { writeDeployment } from '../tools/generators/src/deployment.mjs'
import { main, root, say } from './lib/run.mjs'

await main(async () => {
  const changed = await writeDeployment(root)
  say(changed.length > 0 ? `Written:\n${changed.map(file => `  ${file}`).join('\n')}` : 'All up to date')
})
