export { ConsensusMark } from './ConsensusMark'
export {
  ConsensusContext,
  useConsensus,
  useListConsensus,
  useListedConsensus,
  useRefreshConsensus,
} from './queries'
