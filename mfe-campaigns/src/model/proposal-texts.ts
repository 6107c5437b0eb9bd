import type { ProposalMode, TechniqueProposals } from '@iodine/contracts'

export type Language = 'en' | 'fr'
type Failure = NonNullable<TechniqueProposals['failure']>

/** Texts of the proposals. */
export interface ProposalTexts {
  title: string
  close: string
  source: string
  sources: Record<'text' | 'narrative' | 'evidence', string>
  text: string
  length: (used: string, max: string) => string
  chooseNarrative: string
  narratives: string
  noNarratives: string
  evidenceHelp: string
  mode: string
  modes: Record<ProposalMode, string>
  modeHelp: Record<ProposalMode, string>
  addKey: string
  propose: string
  again: string
  waiting: Record<ProposalMode, string>
  by: { offline: string; ai: (model: string) => string }
  list: (version: string) => string
  found: (count: number) => string
  none: string
  read: (sentences: number) => string
  omitted: (count: number, max: number) => string
  dropped: (count: number) => string
  visible: Record<'text' | 'narrative' | 'evidence', string>
  accept: string
  reject: string
  accepted: string
  rejected: string
  failed: string
  failures: Record<Failure, string>
  errors: {
    running: string
    hour: (max: number) => string
    noSentence: string
    tooLong: (max: string) => string
    noKey: string
    gone: string
    expired: string
    changed: string
    full: string
    other: string
  }
}

const en: ProposalTexts = {
  title: 'Propose techniques',
  close: 'Close',
  source: 'Propose from',
  sources: { text: 'Text', narrative: 'My narrative', evidence: 'The campaign’s quotes' },
  text: 'Text to read',
  length: (used, max) => `${used} of at most ${max} characters`,
  chooseNarrative: 'Choose a narrative...',
  narratives: 'My narratives',
  noNarratives: 'You have no narratives yet.',
  evidenceHelp: 'Reads the quotes of the campaign’s IODs that you may read, up to 50,000 characters.',
  mode: 'Read by',
  modes: { offline: 'Rules on this server', ai: 'My AI provider' },
  modeHelp: {
    offline: 'No text leaves this server. The rules read English.',
    ai: 'Sends the sentences to your AI provider with your key, which pays for it.',
  },
  addKey: 'Add an AI key to your profile',
  propose: 'Propose',
  again: 'Propose from another text',
  waiting: {
    offline: 'The rules are reading the text...',
    ai: 'Your AI provider is reading the text. You may close this and come back.',
  },
  by: { offline: 'By rules on this server', ai: model => `By your AI provider, model ${model}` },
  list: version => `DISARM ${version}`,
  found: count => (count === 1 ? '1 proposal' : `${count} proposals`),
  none: 'No technique found. A text may describe none.',
  read: sentences => (sentences === 1 ? '1 sentence read' : `${sentences} sentences read`),
  omitted: (count, max) =>
    `${count} more ${count === 1 ? 'sentence was' : 'sentences were'} not read: the limit is ${max}.`,
  dropped: count => `${count} ${count === 1 ? 'answer' : 'answers'} could not be used.`,
  visible: {
    text: 'If you accept a proposal, its sentence becomes visible to all members.',
    narrative:
      'Your narrative is private. If you accept a proposal, its sentence becomes visible to all members.',
    evidence: 'If you accept a proposal, its sentence becomes visible to all members.',
  },
  accept: 'Accept',
  reject: 'Reject',
  accepted: 'Accepted',
  rejected: 'Rejected',
  failed: 'The proposals failed',
  failures: {
    missing_key: 'There is no AI key in your profile.',
    rejected_key: 'Your AI key was rejected by the provider.',
    rate_limited: 'The AI provider is limiting requests with your key. Try again later.',
    no_credit: 'The account of your AI key has no credit left at the provider.',
    refused: 'The AI provider refused to read the text.',
    provider_failed: 'The AI provider failed to read the text.',
    gone: 'The text was changed or deleted.',
    unavailable: 'The text could not be read in time. Try again later.',
  },
  errors: {
    running: 'Another run is under way: wait until it is done.',
    hour: max => `You have requested proposals ${max} times in an hour, the maximum. Try again later.`,
    noSentence: 'There is no sentence to read.',
    tooLong: max => `The text has more than ${max} characters.`,
    noKey: 'There is no AI key in your profile.',
    gone: 'The text was changed or deleted.',
    expired: 'These proposals have expired. Request them again.',
    changed: 'DISARM’s list has changed. Request the proposals again.',
    full: 'This campaign has the maximum number of techniques or quotes. Remove one to make room.',
    other: 'The request failed. Try again later.',
  },
}

const plural = (count: number, one: string, many: string) => `${count} ${count < 2 ? one : many}`

const fr: ProposalTexts = {
  title: 'Proposer des techniques',
  close: 'Fermer',
  source: 'Proposer à partir de',
  sources: { text: 'Texte', narrative: 'Mon récit', evidence: 'Citations de la campagne' },
  text: 'Texte à lire',
  length: (used, max) => `${used} caractères sur ${max} au plus`,
  chooseNarrative: 'Choisir un récit...',
  narratives: 'Mes récits',
  noNarratives: 'Vous n’avez pas encore de récit.',
  evidenceHelp: 'Lit les citations des IOD de la campagne que vous pouvez lire, jusqu’à 50 000 caractères.',
  mode: 'Lu par',
  modes: { offline: 'Des règles sur ce serveur', ai: 'Mon fournisseur d’IA' },
  modeHelp: {
    offline: 'Aucun texte ne quitte ce serveur. Les règles lisent l’anglais.',
    ai: 'Envoie les phrases à votre fournisseur d’IA avec votre clé, qui paie l’appel.',
  },
  addKey: 'Ajouter une clé d’IA à votre profil',
  propose: 'Proposer',
  again: 'Proposer à partir d’un autre texte',
  waiting: {
    offline: 'Les règles lisent le texte...',
    ai: 'Votre fournisseur d’IA lit le texte. Vous pouvez fermer et revenir.',
  },
  by: {
    offline: 'Par des règles sur ce serveur',
    ai: model => `Par votre fournisseur d’IA, modèle ${model}`,
  },
  list: version => `DISARM ${version}`,
  found: count => plural(count, 'proposition', 'propositions'),
  none: 'Aucune technique trouvée. Un texte peut n’en décrire aucune.',
  read: sentences => plural(sentences, 'phrase lue', 'phrases lues'),
  omitted: (count, max) =>
    `${plural(count, 'autre phrase n’a pas été lue', 'autres phrases n’ont pas été lues')} : la limite est de ${max}.`,
  dropped: count => `${plural(count, 'réponse inutilisable', 'réponses inutilisables')}.`,
  visible: {
    text: 'Si vous acceptez une proposition, sa phrase devient visible pour tous les membres.',
    narrative:
      'Votre récit est privé. Si vous acceptez une proposition, sa phrase devient visible pour tous les membres.',
    evidence: 'Si vous acceptez une proposition, sa phrase devient visible pour tous les membres.',
  },
  accept: 'Accepter',
  reject: 'Rejeter',
  accepted: 'Acceptée',
  rejected: 'Rejetée',
  failed: 'Les propositions ont échoué',
  failures: {
    missing_key: 'Votre profil n’a pas de clé d’IA.',
    rejected_key: 'Le fournisseur a refusé votre clé d’IA.',
    rate_limited: 'Le fournisseur d’IA limite les appels avec votre clé. Réessayez plus tard.',
    no_credit: 'Le compte de votre clé d’IA n’a plus de crédit chez le fournisseur.',
    refused: 'Le fournisseur d’IA a refusé de lire le texte.',
    provider_failed: 'Le fournisseur d’IA n’a pas pu lire le texte.',
    gone: 'Le texte a été modifié ou supprimé.',
    unavailable: 'Le texte n’a pas pu être lu à temps. Réessayez plus tard.',
  },
  errors: {
    running: 'Une autre demande est en cours : attendez qu’elle se termine.',
    hour: max => `Vous avez fait ${max} demandes en une heure, le maximum. Réessayez plus tard.`,
    noSentence: 'Il n’y a aucune phrase à lire.',
    tooLong: max => `Le texte a plus de ${max} caractères.`,
    noKey: 'Votre profil n’a pas de clé d’IA.',
    gone: 'Le texte a été modifié ou supprimé.',
    expired: 'Ces propositions ont expiré. Demandez-les à nouveau.',
    changed: 'La liste de DISARM a changé. Demandez à nouveau les propositions.',
    full: 'La campagne a le nombre maximal de techniques ou de citations. Supprimez-en une.',
    other: 'La demande a échoué. Réessayez plus tard.',
  },
}

export const PROPOSAL_TEXTS: Record<Language, ProposalTexts> = { en, fr }

/** Returns the language of the proposals: French for a browser in French, else English. */
export const languageOf = (preferred: string): Language => (/^fr\b/i.test(preferred) ? 'fr' : 'en')
