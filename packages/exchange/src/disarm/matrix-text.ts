/** Texts of a drawn matrix. */
export interface MatrixTexts {
  title: string
  phases: Record<string, string>
  until: (release: string) => string
  measures: Record<'campaigns' | 'iods' | 'quotes', (count: string) => string>
  both: string
  notUsed: string
  used: (count: number) => string
  empty: string
  source: (version: string) => string
}

const plural = (one: string, many: string) => (count: string) => `${count} ${count === '1' ? one : many}`

/** Texts of a drawn matrix by language. DISARM's own names are in English only. */
export const MATRIX_TEXTS: Record<'en' | 'fr', MatrixTexts> = {
  en: {
    title: 'DISARM matrix',
    phases: { Plan: 'Plan', Prepare: 'Prepare', Execute: 'Execute', Assess: 'Assess' },
    until: release => `until ${release}`,
    measures: {
      campaigns: plural('campaign', 'campaigns'),
      iods: plural('IOD', 'IODs'),
      quotes: plural('quote', 'quotes'),
    },
    both: 'Both',
    notUsed: 'Not used',
    used: count => `${count} ${count === 1 ? 'technique' : 'techniques'} used`,
    empty: 'No techniques used',
    source: version => `DISARM Red ${version} by the DISARM Foundation, CC BY-SA 4.0`,
  },
  fr: {
    title: 'Matrice DISARM',
    phases: { Plan: 'Planifier', Prepare: 'Préparer', Execute: 'Exécuter', Assess: 'Évaluer' },
    until: release => `jusqu’à ${release}`,
    measures: {
      campaigns: plural('campagne', 'campagnes'),
      iods: plural('IOD', 'IODs'),
      quotes: plural('citation', 'citations'),
    },
    both: 'Les deux',
    notUsed: 'Non utilisée',
    used: count => `${count} ${count === 1 ? 'technique utilisée' : 'techniques utilisées'}`,
    empty: 'Aucune technique utilisée',
    source: version => `DISARM Red ${version}, DISARM Foundation, CC BY-SA 4.0`,
  },
}
