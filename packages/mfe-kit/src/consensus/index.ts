export { ConsensusMark } from './ConsensusMark'
export { ConsensusContext, useConsensus, useListConsensus, useListedConsensus } from './queries'
