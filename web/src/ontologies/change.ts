import type { Schemas } from '../api/client'

/** What a proposal would do to an ontology. null is that it is not there. */
export interface Effect {
  ontology: string
  measure: string
  before: string
  after: string
}

/** What is known of the ontologies that a proposal is about. */
export interface Known {
  source?: Schemas['Ontology'] | undefined
  target?: Schemas['Ontology'] | undefined
  shared?: number | undefined // concepts in both
  quotes?: { chunks: number; documents: number } | undefined // of the concept that a promotion is about, in the source
}

const n = (value: number | undefined) => (value === undefined ? '?' : value.toLocaleString('en'))

/** effectsOf says what a proposal would change. A merge and a demotion move all of an ontology into another one; a promotion moves the chunks that show a concept into a new one. */
export function effectsOf(p: Schemas['OntologyProposal'], k: Known): Effect[] {
  const effects: Effect[] = []
  const add = (ontology: string, measure: string, before: string, after: string) => effects.push({ ontology, measure, before, after })
  if (p.proposal_type === 'promotion') {
    const moved = k.quotes?.chunks ?? 0
    add(p.suggested_name ?? 'the new ontology', 'chunks', 'not there', k.quotes ? n(moved) : '?')
    add(p.ontology_name, 'chunks', n(k.source?.source_count), k.source && k.quotes ? n(k.source.source_count - moved) : '?')
    return effects
  }
  const target = p.target_ontology ?? 'another ontology'
  add(p.ontology_name, 'documents', n(k.source?.file_count), 'gone')
  add(p.ontology_name, 'concepts', n(k.source?.concept_count), 'gone')
  if (k.source && k.target) {
    add(target, 'chunks', n(k.target.source_count), n(k.target.source_count + k.source.source_count))
    add(target, 'concepts', n(k.target.concept_count), n(k.target.concept_count + k.source.concept_count - (k.shared ?? 0)))
  }
  return effects
}
