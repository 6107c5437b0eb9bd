export { deploymentFiles, writeDeployment } from './deployment.mjs'
export { GeneratorError } from './files.mjs'
export { newSection } from './section.mjs'
export { newService } from './service.mjs'
